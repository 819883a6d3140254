"""Parts on the workers of a Dask cluster (extra ``dask``).

In: a scheduler's address or a number of workers. Out: a place like any other, with the same bits.
Above it: ``runs`` and ``studies``, which name it only where a user did.
"""
