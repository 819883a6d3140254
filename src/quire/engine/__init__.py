"""The one outer loop of every factorization, its starts, and when it stops.

In: X as a back end holds it, a rule, first factors. Out: W, H, the trace, and why it stopped.
Above it: ``methods`` and all that is above that.
"""
