"""X in memory, on a team of threads.

In: X as CSR or a dense array. Out: the same operations as the reference, by compiled kernels.
Above it: ``opening``, which chooses among back ends, and ``rows`` for each block.
"""
