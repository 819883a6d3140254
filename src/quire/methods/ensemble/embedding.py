"""Documents as points: the leading singular vectors of X, weighted, with noise taken out."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.engine.singular import document_vectors

_ROUNDS = 5  # of the power iteration
_OF_NOISE = 2  # singular values of a matrix without topics: the first has the sizes, the second the edge
_MOST, _STRONG = 100, 0.6  # topics to be found by themselves; what a strong value has of the second
COMPONENTS = 128  # of the vectors of another model
_ALIKE = 0.99  # a second singular value so near the first: documents fall into parts that share no term


def balanced_weights(X: sp.csr_array, tau: float) -> sp.csr_array:
    """Return D_r^-½ X D_c^-½ with D + τ·mean(D) for D: the normalized Laplacian, regularised.

    Without τ some of the leading vectors belong to a handful of documents that share rare terms.
    """
    scales = []
    for axis in (1, 0):
        totals = np.asarray(X.sum(axis=axis, dtype=np.float64)).ravel()
        totals += tau * totals.mean()
        scales.append(np.divide(1.0, np.sqrt(totals), out=np.zeros_like(totals), where=totals > 0))
    rows = np.repeat(scales[0], np.diff(X.indptr))
    data = (X.data * rows * scales[1][X.indices]).astype(X.dtype)
    return sp.csr_array((data, X.indices, X.indptr), X.shape)


def without_topics(X: sp.csr_array, rng: np.random.RandomState) -> sp.csr_array:
    """Return X with its entries dealt out anew: documents as long, terms as frequent, but no topics."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    rng.shuffle(rows)
    dealt = sp.csr_array((X.data, (rows, X.indices)), shape=X.shape)
    dealt.sum_duplicates()
    return dealt


def document_places(
    X: sp.csr_array, k: int, tau: float, dimensions: int, n_jobs: int | None = None, device: str = "cpu"
) -> NDArray[Any]:
    """Return a point of length 1 per document; documents that share terms are near each other.

    X is weighted (:func:`balanced_weights`).
    """
    # Of its leading singular vectors the first, which only knows how long documents are, is left out (unless
    # documents fall into parts without a common term, which the first ones then tell apart), and a value s
    # counts as √(s² − e²), e being the second value of a matrix like X without topics
    # (:func:`without_topics`): what does not rise above noise takes no part, but for the k leading ones,
    # since k topics are asked for.
    U, S, edge = _leading(X, max(dimensions, 2 * k) + 1, tau, n_jobs, device)
    edge = min(edge, float(S[k + 1])) if len(S) > k + 1 else 0.0
    strength = strengths(S, edge)
    if not strength.any():  # all documents are alike
        return np.ones((X.shape[0], 1), X.dtype)
    return of_length_one(U[:, strength > 0] * strength[strength > 0])


def beside_vectors(places: NDArray[Any], vectors: NDArray[Any], share: float = 1.0) -> NDArray[Any]:
    """Return the places of documents by their words, and beside them those by the vectors of another model.

    Of the vectors the leading principal components count, each vector being brought to the length of a place.
    """
    vectors = of_length_one(np.asarray(vectors, np.float64))
    vectors -= vectors.mean(axis=0)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    components = of_length_one(vectors @ axes[:, ::-1][:, :COMPONENTS])
    return np.hstack([places, np.sqrt(share) * components]).astype(places.dtype)


def of_length_one(points: NDArray[Any]) -> NDArray[Any]:
    """Return points brought to length 1; one at the origin stays there."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0))


def likely_topics(
    X: sp.csr_array, lowest: int, highest: int | None, tau: float, n_jobs: int | None = None, device: str = "cpu"
) -> int:
    """Return how many topics X seems to have: strong singular values, and one for what all share.

    A value is strong that rises above noise by 0.6 of what the second does or more. The second, since the
    first may be a group of documents unlike all others, such as one of another language.
    """
    _, S, edge = _leading(X, (highest or _MOST) + 1, tau, n_jobs, device)
    strength = strengths(S, edge)
    apart = int(strength[0] == 0)
    second = float(strength[apart + 1]) if len(strength) > apart + 1 else 0.0
    least = max(_STRONG * second, float(np.finfo(np.float32).eps))
    k = apart + int((strength >= least).sum())
    return max(min(lowest, int(X.shape[0]), int(X.shape[1])), min(k, highest or _MOST), 1)


def _leading(
    X: sp.csr_array, most: int, tau: float, n_jobs: int | None, device: str
) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return the leading singular vectors and values of X, weighted, and the second value of noise."""
    rng = np.random.RandomState(0)  # the same for every seed: this is no part of what is drawn
    U, S = document_vectors(balanced_weights(X, tau), min(*X.shape, most), rng, n_jobs, _ROUNDS, device)
    noise = balanced_weights(without_topics(X, rng), tau)
    values = document_vectors(noise, min(*X.shape, _OF_NOISE), rng, n_jobs, _ROUNDS, device)[1]
    return U, S, float(values[-1])


def strengths(S: NDArray[Any], edge: float) -> NDArray[np.float64]:
    """Return how far singular values rise above noise; 0 for the first, which has the documents' lengths."""
    strength = np.sqrt(np.maximum(np.square(S, dtype=np.float64) - edge**2, 0))
    if len(S) > 1 and S[1] < _ALIKE * S[0]:
        strength[0] = 0
    return np.asarray(strength)
