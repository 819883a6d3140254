"""What a weighting X = D_r f(TF) D_c says: the factor of each term, and the factor of each document."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_BLOCK = 1 << 17  # entries weighed at a time


class Scheme:
    """A weighting. What documents tell about terms adds up, so that they can be looked at in parts."""

    needs_degrees = False  # documents are weighed by what they share with all others: takes a second look

    def column_sums(self, counts: sp.csr_array, values: sp.csr_array) -> NDArray[np.float64]:
        """Return what some documents, TF and f(TF), tell about the terms: to be added up over all."""
        return np.asarray(values.sum(axis=0), np.float64)

    def columns(self, sums: NDArray[np.float64], n: int, tau: float) -> NDArray[np.float64]:
        """Return the diagonal of D_c, from the sums over all n documents."""
        raise NotImplementedError

    def row_shift(self, sums: NDArray[np.float64], n: int, tau: float) -> float:
        """Return a number about all documents that the factor of each one needs."""
        return 0.0

    def rows(
        self, values: sp.csr_array, columns: NDArray[np.float64], shift: float, degrees: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """Return the diagonal of D_r for some documents f(TF); degrees are not known at a first look."""
        return np.ones(values.shape[0])


def power(totals: NDArray[Any], shift: float, exponent: float) -> NDArray[np.float64]:
    """(totals + shift)^−exponent, and 0 where the total is 0."""
    totals = np.asarray(totals, np.float64)
    base = np.where(totals > 0, totals + shift, 1.0)
    return np.where(totals > 0, base**-exponent, 0.0)


def scaled(values: sp.csr_array, rows: NDArray[Any], columns: NDArray[Any], dtype: Any = np.float64) -> sp.csr_array:
    """D_r X D_c, with the indices of X; a block of rows at a time, so that little lies beside the result."""
    data, indptr = np.empty(values.nnz, dtype), values.indptr
    cuts = np.searchsorted(indptr, np.arange(_BLOCK, values.nnz, _BLOCK))
    for start, stop in pairwise(np.unique([0, *cuts, values.shape[0]])):
        part = slice(indptr[start], indptr[stop])
        block = values.data[part] * columns[values.indices[part]]
        block *= np.repeat(rows[start:stop], np.diff(indptr[start : stop + 1]))
        data[part] = block
    return sp.csr_array((data, values.indices, indptr), values.shape)
