"""Weightings by how rare a term is (xu2003, kim2008, tsikhanovich2011)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.text.weights.scheme import Scheme, power, scaled


class _Rare(Scheme):
    """Terms weigh log(n / how often they occur), 0 where that is negative."""

    def columns(self, sums: NDArray[np.float64], n: int, tau: float) -> NDArray[np.float64]:
        """Return the logarithms."""
        rarity = np.log(np.divide(n, sums, out=np.ones_like(sums), where=sums > 0))
        return np.maximum(rarity, 0)


class RareTokens(_Rare):
    """Rare is what has few occurrences in all."""

    def column_sums(self, counts: sp.csr_array, values: sp.csr_array) -> NDArray[np.float64]:
        """Return how often each term occurs."""
        return np.asarray(counts.sum(axis=0), np.float64)


class RareInDocuments(_Rare):
    """Rare is what few documents hold; every document has unit length."""

    def column_sums(self, counts: sp.csr_array, values: sp.csr_array) -> NDArray[np.float64]:
        """Return how many documents hold each term."""
        held = counts.indices[counts.data > 0]
        return np.bincount(held, minlength=counts.shape[1]).astype(np.float64)

    def rows(
        self, values: sp.csr_array, columns: NDArray[np.float64], shift: float, degrees: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """Return the inverse lengths; where degrees are known, the documents' own go into them."""
        weighted = scaled(values, np.ones(values.shape[0]), columns)
        scale = power(np.sqrt(weighted.power(2).sum(axis=1)), 0.0, 1)
        return scale if degrees is None else scale * power(scale * (weighted @ degrees), 0.0, 0.5)


class NormalizedCut(RareInDocuments):
    """As that, and rows times d^-½ with d = X Xᵀ e, how much a document shares with all (xu2003 §3.3)."""

    needs_degrees = True
