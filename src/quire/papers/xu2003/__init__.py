"""Xu, Liu and Gong: Document clustering based on NMF (2003), its tables and its figure.

In: TDT2 and Reuters, a few classes at a time. Out: results for the catalogue.
Above it: the catalogue of ``papers``.
"""
