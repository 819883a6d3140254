"""The page of a run, as one HTML file or over HTTP.

In: a run, and a choice or another run to show beside it. Out: one payload, in a file or served.
Above it: ``cli``.
"""
