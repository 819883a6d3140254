"""First factors.

=============  =======================================================================================
``random``     abs(N(0, 1))·√(mean(X)/k), number for number scikit-learn's
``uniform``    uniform on [0, 1), both factors scaled so that α W H fits best (the papers')
``nndsvd``     the positive parts of the leading singular vectors (Boutsidis and Gallopoulos 2008)
``nndsvda``    the same, zeros replaced by mean(X)
``nndsvdar``   the same, zeros replaced by random values of a hundredth of that
``kmeans``     W: k-means indicators + 0.2 (ding2008 §5); H: the centroids
=============  =======================================================================================

For very many documents :func:`coarse_start` improves any of them on a sample first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.backend import as_matrix
from quire.backends.check import silent_rows
from quire.engine.loop import factorize
from quire.engine.rules.rule import Rule, Start
from quire.engine.singular import leading_vectors
from quire.engine.spread import spread_rows
from quire.engine.trace import Stopping
from quire.places.parts import brought, n_values, scale_of

_LARGE_ROWS, _LARGE_VALUES = 100_000, 1 << 25  # from either of which a start is improved on a sample
_COARSE_ROWS, _COARSE_SHARE, _COARSE_MOST = 20_000, 50, 200_000  # documents, or one in so many, at most
_COARSE_VALUES = 1 << 24  # that they may hold
_PIECE = 1 << 18
_SPREAD = 1 << 20  # values of an X of which two copies are nothing
_BOTH = "min(n_samples, n_features)"
STARTS = ("random", "uniform", "nndsvd", "nndsvda", "nndsvdar", "kmeans")


def check_known(init: str) -> None:
    """Refuse a start that nobody knows."""
    if init not in STARTS:
        raise ValueError(f"init={init!r} is not a start: choose one of {', '.join(STARTS)} or custom.")


def first_factors(
    X: Any, k: int, init: str | None, rng: np.random.RandomState, n_jobs: int | None = None, device: str = "cpu"
) -> Start:
    """Make W (n × k) and H (k × d) to start from."""
    if init is None:
        init = "nndsvda" if k <= min(X.shape) else "random"
    check_known(init)
    if init in ("random", "uniform"):
        return _random(X, k, rng) if init == "random" else sprinkled(X, k, rng)
    most = X.shape[0] if init == "kmeans" else min(X.shape)
    if k > most:
        raise ValueError(
            f"init = {init!r} can only be used when n_components <= {'n_samples' if init == 'kmeans' else _BOTH}, "
            f"which is {most} here, and {k} were asked for: use init='random'."
        )
    return _kmeans(X, k, rng) if init == "kmeans" else _nndsvd(X, k, init, rng, n_jobs, device)


def balanced(W: NDArray[Any], H: NDArray[Any]) -> Start:
    """Share a topic's size evenly between W and H where one side has nearly all of it.

    W H stays the same. A topic whose one side is a million times the other's could leave the range in which
    float32 can square it.
    """
    highs = W.max(axis=0).astype(np.float64), H.max(axis=1).astype(np.float64)
    both = (highs[0] > 0) & (highs[1] > 0)
    ratio = np.divide(*highs, out=np.ones_like(highs[0]), where=both)
    root = np.where((ratio > 1e6) | (ratio < 1e-6), np.sqrt(ratio), 1.0)
    if (root == 1).all():
        return W, H
    return (W / root).astype(W.dtype), (H * root[:, None]).astype(H.dtype)


def _mean(X: Any) -> float:
    n_rows, n_columns = X.shape
    return float(X.sum(dtype=np.float64)) / (float(n_rows) * float(n_columns))


def _random(X: Any, k: int, rng: np.random.RandomState) -> Start:
    average = math.sqrt(_mean(X) / k)
    H, W = (np.empty(shape, X.dtype) for shape in ((k, X.shape[1]), (X.shape[0], k)))
    for F in (H, W):
        flat = F.reshape(-1)
        for i in range(0, flat.size, _PIECE):  # the same numbers as in one go, without a large float64 copy
            flat[i : i + _PIECE] = rng.standard_normal(min(_PIECE, flat.size - i))
        F *= average
        np.abs(F, out=F)
    return W, H


def sprinkled(X: Any, k: int, rng: np.random.RandomState, density: float = 1.0) -> Start:
    """Make the start of tsikhanovich2011 §2.5.2, steps 1 to 4: H zero but for a share, all else uniform.

    Best α in αWH: ⟨X, WH⟩ / ‖WH‖², √α into each factor.
    """
    W = rng.random_sample((X.shape[0], k)).astype(X.dtype)
    H = rng.random_sample((k, X.shape[1])).astype(X.dtype)
    if density < 1:
        H[rng.random_sample(H.shape) >= density] = 0
        H[~H.any(axis=1)] = 0.5  # a topic of nothing would stay one
    fit = float(np.sum(W * (X @ H.T), dtype=np.float64))
    size = float(np.sum((W.T @ W).astype(np.float64) * (H @ H.T)))
    root = X.dtype.type(np.sqrt(fit / size))
    return W * root, H * root


def _nndsvd(X: Any, k: int, init: str, rng: np.random.RandomState, n_jobs: int | None, device: str) -> Start:
    before = rng.get_state()
    U, S, Vt = leading_vectors(X, k, rng, n_jobs, device=device)
    W, H = np.zeros_like(U), np.zeros_like(Vt)
    W[:, 0], H[0] = np.sqrt(S[0]) * np.abs(U[:, 0]), np.sqrt(S[0]) * np.abs(Vt[0])
    for t in range(1, k):  # of each pair of singular vectors, the sign that carries more
        pairs = [(np.maximum(s * U[:, t], 0), np.maximum(s * Vt[t], 0)) for s in (1, -1)]
        norms = [(np.linalg.norm(u), np.linalg.norm(v)) for u, v in pairs]
        best = 0 if norms[0][0] * norms[0][1] > norms[1][0] * norms[1][1] else 1
        (u, v), (u_norm, v_norm) = pairs[best], norms[best]
        if u_norm * v_norm > 0:
            weight = np.sqrt(S[t] * u_norm * v_norm)
            W[:, t], H[t] = weight * u / u_norm, weight * v / v_norm
    # A factor's unit is the root of X's: what is as good as 0, and mean(X) as the paper has it, are those of an X
    # near 1. For an X that is near enough as it is, they are scikit-learn's number for number.
    unit = scale_of(float((X.data if sp.issparse(X) else X).max()))
    mean = _mean(X) / unit
    if init == "nndsvdar":
        rng.set_state(before)  # scikit-learn begins its seed anew here
    for F in (W, H):
        empty = 1e-6 * unit > F
        if init == "nndsvdar":
            F[empty] = np.abs(mean * rng.standard_normal(size=int(empty.sum())) / 100)
        else:
            np.copyto(F, mean if init == "nndsvda" else 0, where=empty)
    return W.astype(X.dtype, copy=False), H.astype(X.dtype, copy=False)


def _kmeans(X: Any, k: int, rng: np.random.RandomState) -> Start:
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="openmp"):  # its sums depend on the order in which threads finish
        model = KMeans(k, n_init=1, random_state=rng).fit(_for_sklearn(X))
    W = np.full((X.shape[0], k), 0.2, X.dtype)
    W[np.arange(X.shape[0]), model.labels_] += 1
    return W, np.maximum(model.cluster_centers_, 0).astype(X.dtype)


def seeds(X: Any, k: int, init: str, rng: np.random.RandomState) -> NDArray[Any]:
    """Choose k documents to begin with as means: by ``k-means++`` (scikit-learn's), or any (``rows``)."""
    if k > X.shape[0]:
        raise ValueError(f"{k} means cannot be chosen from {X.shape[0]} documents: ask for fewer topics.")
    if init == "rows":
        chosen = rng.permutation(X.shape[0])[:k]
    elif init == "k-means++":
        chosen = _spread(X, k, rng)
    else:
        raise ValueError(f"init={init!r} is not a start for means: choose k-means++, rows or custom.")
    return np.asarray(X[chosen].toarray() if sp.issparse(X) else X[chosen])


def _spread(X: Any, k: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Choose rows far from each other; of a small X without scikit-learn's clustering, which takes long to import."""
    if sp.issparse(X) and X.nnz <= _SPREAD:
        return spread_rows(sp.csr_array(X), k, rng)
    from sklearn.cluster import kmeans_plusplus

    return np.asarray(kmeans_plusplus(_for_sklearn(X), k, random_state=rng)[1])


def scaled_rows(X: Any, by: NDArray[np.float64]) -> Any:
    """Return X with each row multiplied by a number."""
    if not sp.issparse(X):
        return np.asarray(X * by[:, None], X.dtype)
    values = (X.data * np.repeat(by, np.diff(X.indptr))).astype(X.dtype)
    return sp.csr_array((values, X.indices, X.indptr), X.shape)


def _for_sklearn(X: Any) -> Any:
    """Its k-means wants 32-bit indices."""
    if not sp.issparse(X):
        return X
    if X.nnz > np.iinfo(np.int32).max:
        raise ValueError(f"k-means cannot deal with {X.nnz:,} values: use init='random'.")
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def is_large(X: Any) -> bool:
    """Say whether a start on a sample pays: by the shape and the values of X, never by where it lies."""
    return X.shape[0] >= _LARGE_ROWS or n_values(X) >= _LARGE_VALUES


def sampled_rows(X: Any) -> int:
    """Return how many documents such a start looks at: 20,000 or one in fifty, of 2²⁴ values at most."""
    n = int(X.shape[0])
    most = max(1, _COARSE_VALUES * n // max(n_values(X), 1))
    return min(max(_COARSE_ROWS, n // _COARSE_SHARE), _COARSE_MOST, most, n)


def drawn_rows(X: Any, n_sample: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Draw so many documents, in their order; an empty one teaches nothing."""
    return np.sort(rng.permutation(np.flatnonzero(~silent_rows(X)))[:n_sample])


def coarse_start(
    X: Any,
    k: int,
    first: Callable[[Any], Start],
    rule: Rule,
    n_sample: int,
    rng: np.random.RandomState,
    n_jobs: int | None = None,
    max_time: float | None = None,
    device: str = "cpu",
) -> Start:
    """Learn H on a random sample of the documents; W is left at zero, for the first half step to fill.

    H hardly depends on how many documents it was learnt from, and an iteration on the sample costs only its
    share of one on everything. ``first`` makes the start on the sample.
    """
    rows = drawn_rows(X, n_sample, rng)
    if len(rows) < k:
        return first_factors(X, k, "random", rng)
    sample = brought(X, rows)
    start = first(sample)
    with as_matrix(sample, n_jobs, device=device) as part:
        fit = factorize(part, start, rule, Stopping(1e-2, 50, max_time))
    H = fit.H if fit.H.any(axis=1).all() else start[1]  # a topic that died would not come back
    return np.broadcast_to(np.zeros((1, 1), X.dtype), (X.shape[0], k)), H
