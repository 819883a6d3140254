"""How far documents lie from their clusters, and several runs from each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.check import as_numbers

_EXACT = 500  # where the smaller side has no more rows, all singular values are had at once
_LARGEST = 1e75  # its fourth power, which eigenvalues of squares take, is still a number
_ROUNDING = 1e-12  # of ‖X‖²: no rounding error lifts a lower bound above what it bounds


def sse(X: Any, labels: Sequence[int] | NDArray[Any]) -> float:
    """Return the sum of the documents' squared distances to the centroid of their cluster (kim2008 eq. 3).

    A document without a cluster (−1) counts with its squared length, as if its centroid were the origin: to
    leave documents out makes no clustering better, and :func:`sse_lower_bound` holds for all of them.

    Parameters
    ----------
    X : sparse matrix or array of shape (n, d)
        The documents; never made dense.
    labels : sequence of int
        Their clusters.

    """
    X, each = _plain(X), _indicator(labels)
    if each.shape[0] != X.shape[0]:
        raise ValueError(f"There are {each.shape[0]:,} labels for {X.shape[0]:,} documents: give one a document.")
    # Σ‖x − c‖² = Σ‖x‖² − Σ‖sum of a cluster‖² / size, so that no row of X is ever subtracted from.
    sums, sizes = each.T @ X, np.maximum(each.sum(axis=0), 1)
    explained = np.asarray((sums * sums).sum(axis=1)).ravel() / sizes
    return max(0.0, _squared_norm(X) - float(explained.sum()))


def sse_lower_bound(X: Any, k: int) -> float:
    """Return what the SSE of no k clusters is below: ‖X‖² − σ₁² − … − σ_k² (kim2008 eq. 11).

    Parameters
    ----------
    X : sparse matrix or array of shape (n, d)
        The documents.
    k : int
        The number of clusters.

    """
    if k < 1:
        raise ValueError(f"k={k!r} must be a number of clusters from 1 on.")
    X = _plain(X)
    small = min(X.shape)
    total = _squared_norm(X)
    if k >= small or total == 0:
        return 0.0
    if small <= max(_EXACT, 2 * k):
        gram = X @ X.T if X.shape[0] == small else X.T @ X
        largest = np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)[-k:]
    else:  # not by random projections: their values are too small, and the bound would be too large
        from scipy.sparse.linalg import svds

        start = np.random.RandomState(0).normal(size=small)
        largest = svds(X, k, v0=start, return_singular_vectors=False) ** 2
    return max(0.0, total * (1 - _ROUNDING) - float(largest.sum()))


def dispersion(runs: Sequence[Sequence[int] | NDArray[Any]]) -> float:
    """Return ρ = Σ 4(C_ij − ½)² / n², 1 where all runs put the same documents together (kim2008 eq. 17).

    C_ij is the share of the runs that put documents i and j into one cluster. ρ is exact, and C is never
    made: ΣC and ΣC² follow from how many documents each cluster of a run shares with each of every other run.
    A document without a cluster (−1) is together with itself only.

    Parameters
    ----------
    runs : sequence of sequences of int
        Labels of the same documents, from several runs.

    """
    if len({len(labels) for labels in runs}) != 1 or not len(runs[0]):
        raise ValueError("Dispersion compares runs over the same documents: give every run's labels, of equal number.")
    each = [_indicator(labels, alone=True) for labels in runs]
    every = sp.hstack(each, "csr")
    shared = sum(int(((table := one.T @ every) * table).sum()) for one in each)
    together = sum(int((one.sum(axis=0) ** 2).sum()) for one in each)
    n, r = len(runs[0]), len(runs)
    # In whole numbers up to the one division, so that equal runs give 1 and not almost 1.
    return (4 * shared - 4 * r * together + r * r * n * n) / (r * r * n * n)


def _indicator(labels: Sequence[int] | NDArray[Any], alone: bool = False) -> sp.csr_array:
    """Return documents × clusters with a 1 each; −1 is no cluster, or for ``alone`` one of its own."""
    labels = np.asarray(labels)
    names, column = np.unique(labels, return_inverse=True)
    n, k, placed = len(labels), len(names), labels >= 0
    if alone:
        lonely = np.flatnonzero(~placed)
        column[lonely] = k + np.arange(len(lonely))
        k, placed = k + len(lonely), np.ones(n, bool)
    row = np.flatnonzero(placed)
    return sp.csr_array((np.ones(len(row), np.int64), (row, column[row])), shape=(n, k))


def _plain(X: Any) -> Any:
    """Return X in float64, as an array or as CSR without duplicates."""
    X = as_numbers(X, "a score").astype(np.float64, copy=False)
    if (largest := float(abs(X).max()) if 0 not in X.shape else 0.0) > _LARGEST:
        raise ValueError(f"X holds {largest:.3g}, and sums of its squares leave the range of float64: divide it first.")
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _squared_norm(X: Any) -> float:
    return float(np.square(X.data if sp.issparse(X) else X).sum())
