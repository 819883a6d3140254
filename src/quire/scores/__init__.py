"""Metrics: numbers about labels, keywords and distances, without a run.

In: arrays of labels and memberships, keywords, counts. Out: numbers and small tables.
Above it: ``runs`` and all that is above that.
"""
