"""Questions asked of runs and corpora: how good, how many topics, what of known classes, what moved.

In: a run, two runs, or a corpus with options. Out: an evaluation, a choice, classes, a comparison.
Above it: ``papers``, ``pages`` and ``cli``.
"""
