"""Tsikhanovich's thesis (2011): λ, k and topics over time.

In: TDT2 as the thesis weighs it. Out: results for the catalogue.
Above it: the catalogue of ``papers``.
"""
