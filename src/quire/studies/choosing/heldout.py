"""Error on held-out documents and terms: bi-cross-validation (Owen and Perry 2009)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire.backends.backend import as_matrix
from quire.engine.loop import solve_documents
from quire.engine.rules.hals import Hals
from quire.methods.nmf import NMF
from quire.methods.output import giving_arrays
from quire.places.indices import as_csr

_FOLDS = 2
_TOL = 1e-3


def held_out_error(X: Any, k: int, *, folds: int = _FOLDS, seed: int = 0, n_jobs: int | None = None) -> float:
    """Return ‖A − W_A H_A‖² / ‖A‖² over blocks A whose values the topics were not learnt from.

    Documents and terms are parted into folds.
    """
    # For each pair of folds, X = [[A, B], [C, D]]: the topics are learnt on D; the held-out documents find
    # their weights W_A from B and the held-out terms theirs, H_A, from C. Nothing of the size of A is ever
    # dense.
    if k < 1 or folds < 2:
        raise ValueError(f"k={k} must be at least 1, and folds={folds} at least 2.")
    X = as_csr(X, "held_out_error")
    rng = np.random.RandomState(seed)
    rows, columns = (rng.permutation(size) % folds for size in X.shape)
    left = total = 0.0
    for i in range(folds):
        held, kept = X[rows == i], X[rows != i]
        for j in range(folds):
            inside = columns == j
            A, B = sp.csr_array(held[:, inside]), sp.csr_array(held[:, ~inside])
            C, D = sp.csr_array(kept[:, inside]), sp.csr_array(kept[:, ~inside])
            left += _squared_error(A, *_predicted(B, C, D, k, seed, n_jobs))
            total += _squared_norm(A)
    return left / total if total > 0 else 0.0


def _predicted(
    B: sp.csr_array, C: sp.csr_array, D: sp.csr_array, k: int, seed: int, n_jobs: int | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return W_A and H_A (terms × topics)."""
    if not D.nnz:
        return np.zeros((B.shape[0], k), D.dtype), np.zeros((C.shape[1], k), D.dtype)
    model = giving_arrays(NMF(k, init="random", tol=_TOL, random_state=seed, n_jobs=n_jobs, coarse=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = model.fit_transform(D)
    with as_matrix(sp.csr_array(C.T), n_jobs) as terms:
        H = solve_documents(terms, np.ascontiguousarray(W.T), Hals()).W
    return model.transform(B), H


def _squared_error(A: sp.csr_array, W: NDArray[Any], H: NDArray[Any]) -> float:
    """Return ‖A − W Hᵀ‖² from products with A and k × k matrices."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    inner = float(np.einsum("ik,ik->", A @ H, W))
    return max(0.0, _squared_norm(A) - 2 * inner + float(np.sum((W.T @ W) * (H.T @ H))))


def _squared_norm(A: sp.csr_array) -> float:
    return float(np.square(A.data, dtype=np.float64).sum())
