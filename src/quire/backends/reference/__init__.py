"""The truth: every operation in plain NumPy, readable and slow.

In: X as NumPy or SciPy holds it. Out: what the fast back ends are tested against.
Above it: the other back ends, and ``opening``, which chooses among them.
"""
