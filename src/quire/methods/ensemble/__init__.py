"""The default method: several runs, their consensus, and a mixture that makes it exact.

In: X in memory or in row blocks. Out: topics, memberships that are probabilities, votes of the runs.
Above it: ``scores``, ``runs`` and all that is above them.
"""
