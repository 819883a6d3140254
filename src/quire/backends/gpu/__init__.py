"""X on an NVIDIA GPU, through CuPy and CUDA kernels of our own (extra ``gpu``).

In: X as CSR or a dense array. Out: the same operations as the reference, up to the last digits.
Above it: ``opening``, which chooses among back ends, and ``rows`` for each block.
"""
