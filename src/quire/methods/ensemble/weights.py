"""What each term tells of a document's place, and so how much it counts: common words stay, empty ones fade."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.backend import as_matrix
from quire.methods.ensemble.embedding import document_places, of_length_one

_OFTEN = 20  # documents from which a term's own figure is believed more than the usual one
_LEAST = 0.02  # of the largest weight
_APART = 1e-3  # of the circle on which places lie


def weights_and_places(
    X: sp.csr_array, k: int, tau: float, dimensions: int, n_jobs: int | None, device: str
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the terms' weights, and the documents' places by weighted terms.

    The first weights show places more clearly, and these show the weights.
    """
    plain = places = document_places(X, k, tau, k, n_jobs, device)
    for most in (k, dimensions):  # weights need no more than k vectors
        weights = term_weights(X, of_length_one(places[:, :k]), n_jobs, device)
        places = document_places(weighted(X, weights), k, tau, most, n_jobs, device)
    if np.ptp(places, axis=0).max() < _APART:  # a few terms that share no document: weights only blur them
        return np.ones(X.shape[1]), plain
    return weights, places


def weighted(X: sp.csr_array, weights: NDArray[np.float64]) -> sp.csr_array:
    """Return X with each column multiplied by its weight."""
    return sp.csr_array(((X.data * weights[X.indices]).astype(X.dtype), X.indices, X.indptr), X.shape)


def term_weights(
    X: sp.csr_array, places: NDArray[Any], n_jobs: int | None = None, device: str = "cpu"
) -> NDArray[np.float64]:
    """Return how much each term counts: 1 on the average of all words, next to nothing for one that is anywhere.

    Let v be the spread of the documents' places around their mean. A term in df documents tells ρ, the share of
    v by which the mean place of these documents is away from that of all, less v / df, which chance would give.
    """
    # ρ is drawn towards the usual one, m: without that a term of two documents would tell as much as can be, and
    # small corpora would collapse. The weight ρ / (ρ + m) then is ½ for a usual term.
    df = np.bincount(X.indices, minlength=X.shape[1]).astype(np.float64)
    mean = places.mean(axis=0, dtype=np.float64)
    spread = 1 - float(mean @ mean)
    if spread <= 0:  # all documents are in one place
        return np.ones(len(df))
    away = np.square(_sums(X, places, n_jobs, device) / np.maximum(df, 1)[:, None] - mean).sum(axis=1)
    share = away / spread - 1 / np.maximum(df, 1)
    often = share[df >= _OFTEN]
    if not len(often):  # no term is known well enough: weights would be those of chance
        return np.ones(len(df))
    usual = max(float(np.median(often)), 1e-4)
    share = np.maximum((df * share + _OFTEN * usual) / (df + _OFTEN), 0)
    if not share.any():
        return np.ones(len(df))
    weights = share / (share + usual)
    weights = np.maximum(weights, _LEAST * weights.max())
    totals = np.bincount(X.indices, X.data, len(df))
    return np.asarray(weights * (totals.sum() / float(totals @ weights)))


def _sums(X: sp.csr_array, places: NDArray[Any], n_jobs: int | None, device: str) -> NDArray[np.float64]:
    """Return, for each term, the sum of the places of the documents that hold it."""
    holds = sp.csr_array((np.ones_like(X.data), X.indices, X.indptr), X.shape)
    with as_matrix(holds, n_jobs, device=device) as matrix:
        product = matrix.product("H", matrix.factor(places.astype(X.dtype)))
        return matrix.array(product, places.shape[1]).astype(np.float64) * matrix.scale**2
