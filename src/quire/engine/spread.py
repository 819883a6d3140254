"""Sparse rows far from each other, to begin k-means with."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import row_norms


def spread_rows(X: sp.csr_array, k: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Choose k rows by k-means++ with several candidates each (Arthur and Vassilvitskii 2007).

    These are the rows that scikit-learn's ``kmeans_plusplus`` chooses, whose package takes longer to import than a
    small fit takes. Distances are summed in float64 as there; X is copied for it once.
    """
    chosen, each = np.empty(k, np.intp), np.ones(X.shape[0], X.dtype)
    rows = X.astype(np.float64)
    columns = sp.csr_array(rows.T)
    squares = row_norms(rows, squared=True)

    def away(some: sp.csr_array | NDArray[np.float64]) -> NDArray[np.floating]:
        products = (some @ columns).toarray() if sp.issparse(some) else some @ rows.T
        squared = -2 * products
        squared += row_norms(some, squared=True)[:, None]
        squared += squares
        return np.asarray(np.maximum(squared.astype(X.dtype, copy=False), 0))

    chosen[0] = rng.choice(len(each), p=each / each.sum())
    closest = away(rows[chosen[:1]].toarray())
    left = closest @ each
    for c in range(1, k):
        goals = rng.uniform(size=2 + int(np.log(k))) * left
        candidates = np.minimum(np.searchsorted(np.cumsum(each * closest), goals), len(each) - 1)
        further = np.minimum(closest, away(rows[candidates]))
        sums = further @ each[:, None]
        best = int(sums.argmin())
        chosen[c], closest, left = candidates[best], further[best], sums[best]
    return chosen
