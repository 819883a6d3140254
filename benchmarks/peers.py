"""The other implementations, each brought to tell its objective as it goes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import sklearn.decomposition

from quire.backends.cpu.matrix import CpuMatrix
from quire.engine.loop import solve_documents
from quire.engine.rules.hals import Hals

Curve = list[tuple[float, float]]  # (seconds, relative squared error)


def relative_error(X, squared_norm, W, H) -> float:
    """‖X − WH‖² / ‖X‖² without forming WH."""
    inner = float(np.sum((X @ np.ascontiguousarray(H.T)) * W, dtype=np.float64))
    grams = float(np.sum((W.T.astype(np.float64) @ W) * (H.astype(np.float64) @ H.T)))
    return 1 - 2 * inner / squared_norm + grams / squared_norm


def sklearn_fit(X, W, H, iterations, solver="cd"):
    """Scikit-learn's own fit, from this start, for so many iterations."""
    model = sklearn.decomposition.NMF(W.shape[1], init="custom", solver=solver, tol=0, max_iter=iterations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit_transform(X, W=W.copy(), H=H.copy()), model.components_


def sklearn_errors(X, squared_norm, W, H, solver="cd", step=1) -> Iterator[float]:
    """Yield the error after 1, 2, … iterations: each call starts where the last one ended."""
    while True:
        W, H = sklearn_fit(X, W, H, step, solver)
        yield relative_error(X, squared_norm, W, H)


def minibatch_curve(X, squared_norm, k, seed, limit) -> Curve:
    """MiniBatchNMF after each of its passes, by partial_fit; the time of scoring is left out."""
    model = sklearn.decomposition.MiniBatchNMF(k, init="random", random_state=seed, batch_size=1024)

    def one_pass() -> None:
        for start in range(0, X.shape[0], 1024):
            model.partial_fit(X[start : start + 1024])

    return _curve(one_pass, lambda: model.components_, X, limit)


def gensim_curve(X, squared_norm, k, seed, limit) -> Curve | None:
    """Gensim's online Nmf after each pass, or None where gensim is not installed."""
    try:
        from gensim.matutils import Sparse2Corpus
        from gensim.models.nmf import Nmf
    except ImportError:
        return None
    corpus = Sparse2Corpus(X, documents_columns=False)
    names = dict(enumerate(map(str, range(X.shape[1]))))
    model = Nmf(None, num_topics=k, id2word=names, random_state=seed, passes=1, chunksize=2000, normalize=False)
    return _curve(lambda: model.update(corpus), lambda: model.get_topics(normalize=False), X, limit)


def _curve(advance: Callable[[], object], topics: Callable[[], np.ndarray], X, limit: float) -> Curve:
    """Advance until the limit; score each H with the best W for it, which favours the peer."""
    curve, spent = [], 0.0
    matrix = CpuMatrix(X)
    while spent < limit:
        began = time.perf_counter()
        advance()
        spent += time.perf_counter() - began
        H = np.ascontiguousarray(topics(), dtype=X.dtype)
        error = solve_documents(matrix, H, Hals()).error ** 2 / matrix.squared_norm
        curve.append((spent, error))
    matrix.close()
    return curve
