"""The only code that touches X: its products with factors, and half steps on their rows.

In: X in memory or in row blocks, factors, a rule's numbers. Out: factors, Gram matrices, objectives.
Above it: ``engine`` and ``methods``; ``text`` for the kernels that count words.
"""
