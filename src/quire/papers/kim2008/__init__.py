"""Kim and Park: Sparse NMF for clustering (2008), every table and figure.

In: TDT2 and data generated as the paper says. Out: results for the catalogue.
Above it: the catalogue of ``papers``.
"""
