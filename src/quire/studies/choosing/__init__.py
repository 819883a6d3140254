"""How many topics: consensus of runs, elbow, held-out error, and the search for λ and k.

In: X or a corpus, and the numbers to try. Out: a choice, with the table that it was made from.
Above it: ``papers``, ``pages`` and ``cli``.
"""
