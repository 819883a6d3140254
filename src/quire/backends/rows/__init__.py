"""X in row blocks at a place: W lies beside its blocks, H here, and a step is one sweep.

In: blocks that a place keeps. Out: the same operations as the reference, as tasks of other back ends.
Above it: ``opening`` and ``engine``.
"""
