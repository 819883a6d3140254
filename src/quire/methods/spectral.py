"""Singular vectors of X, as topics (LSI) and as the space in which k-means parts the documents (AA, NC)."""

from __future__ import annotations

import copy
import math
import numbers
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from quire.check import silent_rows
from quire.estimator import TopicEstimator
from quire.factorization import Factorization
from quire.methods.means import KMeans
from quire.ops.backend import as_matrix
from quire.singular import leading_vectors
from quire.trace import Step

_FIRST_ROUNDS = 8  # of the first attempt at the singular vectors; each further one does twice as many
_ATTEMPTS = 6
_EXACT = 1e-6


@dataclass(eq=False, repr=False)
class LSI(TopicEstimator):
    """Latent semantic indexing: the truncated SVD X ≈ U S Vᵀ, with W = U S = X V and H = Vᵀ.

    No W and H of any sign are nearer to X. A topic is a direction, whose sign means nothing: it is turned so
    that its largest entry is positive. A document's topic is the one with its largest |weight|, and its
    shares go by squared weights, which add up to its squared length as far as the topics explain it.

    Parameters
    ----------
    tol : float, default=1e-6
        Stop when ‖XV − US‖ (or ‖XᵀU − VS‖, the one that is not 0 anyway) is at most this share of ‖S‖.
    max_iter : int, default=6
        Most attempts, each of twice as many rounds of the power method as the last.
    init, n_init
        Not used: there is one best answer, and no start.
    n_components, random_state, n_jobs, max_time, verbose, callback
        As for every estimator (:class:`quire.estimator.TopicEstimator`); an iteration is an attempt.

    Attributes
    ----------
    singular_values_ : array of shape (k,)
        S.
    others
        As of every estimator (:class:`quire.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.spectral import LSI
    >>> X = np.array([[2.0, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = LSI(2, random_state=0)
    >>> W = model.fit_transform(X)
    >>> bool(np.allclose(model.inverse_transform(W), X)), model.labels_.tolist()
    (True, [1, 1, 0, 0])
    """

    tol: float = _EXACT
    max_iter: int = _ATTEMPTS

    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {"singular_values_": (0,)}

    def transform(self, X: Any) -> NDArray[Any]:
        """Return X V.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        check_is_fitted(self)
        return _projected(self._check_data(X, reset=False), self.components_, self.n_jobs)

    def assign(
        self, W: NDArray[Any], *, unit_topics: bool | None = None, silent: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return each document's topic, that of the largest |weight|, and its squared weights as shares.

        Parameters
        ----------
        W : array of shape (n_samples, k)
            The documents' weights.
        unit_topics : ignored
            The topics have length 1.
        silent : array of bool, optional
            Documents that say nothing: no topic is theirs, whatever W holds for them.
        """
        sizes = np.abs(W)
        largest = sizes.max(axis=1, keepdims=True)
        empty = largest[:, 0] == 0
        if silent is not None:
            empty = empty | silent
        sizes[empty], largest[empty] = 1, 1
        shares = (sizes / largest) ** 2  # not the squares themselves, which may leave the range of numbers
        labels = sizes.argmax(axis=1)
        labels[empty] = -1
        return labels, shares / shares.sum(axis=1, keepdims=True)

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        _check_no_start(type(self).__name__, W, H)
        k, most = _wanted(self.n_components, X), min(X.shape)
        if k > most:
            raise ValueError(
                f"A {X.shape[0]} × {X.shape[1]} matrix has {most} singular vectors and n_components={k} were "
                f"asked for: ask for {most} or fewer."
            )
        found, trace, stopped = self._search(X, k)
        self.singular_values_ = found.S
        W_found = _projected(X, found.Vt, self.n_jobs)
        error = _distance(X, W_found, self.n_jobs)
        return Factorization(W_found, found.Vt, 0.5 * error * error, error, trace, stopped)

    def _search(self, X: Any, k: int) -> tuple[_Vectors, list[Step], str]:
        """Make attempts until one is exact enough."""
        began, stopped = time.perf_counter(), ""
        trace: list[Step] = []
        exact = max(self.tol, _rounding(X.dtype)) if self.tol > 0 else 0.0
        attempts = _attempts(X, k, check_random_state(self.random_state), self.n_jobs)
        while not stopped:
            found = next(attempts)
            error = _distance(X, found.S, self.n_jobs)
            step = Step(len(trace) + 1, 0.5 * error * error, found.residual, time.perf_counter() - began)
            trace.append(step)
            if self._report(step):
                stopped = "callback"
            elif found.residual <= exact:
                stopped = "tol"
            elif self.max_time is not None and step.seconds >= self.max_time:
                stopped = "max_time"
            elif len(trace) == self.max_iter:
                stopped = "max_iter"
        return found, trace, stopped


@dataclass(eq=False, repr=False)
class AA(KMeans):
    """Average association (xu2003 §4.3): k-means on the rows of the k leading left singular vectors of X.

    They are the leading eigenvectors Y of X Xᵀ (eq. 18, with inner products as similarities). A document is
    its row of Y as it is: the paper neither multiplies by the singular values nor brings rows to length 1. W
    has a single 1 in a row; H holds the mean of each cluster's documents, over terms. A new document x is
    folded in as x V S⁻¹ and goes to the nearest centroid. Documents without any term take no part.

    Parameters
    ----------
    init : {None, "k-means++", "rows"}, default=None
        The first centroids: k-means++ (None), or documents drawn evenly (``rows``).
    tol, max_iter
        Of k-means. It ends when no document moves.
    n_init : int, default=10
        Starts of k-means; the lowest objective is kept.
    n_components, random_state, n_jobs, max_time, verbose, callback
        As for every estimator (:class:`quire.estimator.TopicEstimator`); an iteration is one of k-means.

    Attributes
    ----------
    objective_ : float
        Half the squared distances of the documents to their centroids, among the singular vectors.
    vectors_ : array of shape (r, n_features)
        Vᵀ. r = k, less where X has a smaller rank.
    singular_values_ : array of shape (r,)
        S.
    centroids_ : array of shape (k, r)
        The clusters' centroids among the singular vectors.
    others
        As of every estimator (:class:`quire.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.spectral import AA
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 3, 5]])
    >>> model = AA(2, random_state=0).fit(X)
    >>> model.components_[model.labels_[0]].tolist()
    [3.0, 1.5, 0.0, 0.0]
    """

    n_init: int = 10

    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {
        "vectors_": (),
        "singular_values_": (),
        "centroids_": (0,),
    }

    def transform(self, X: Any) -> NDArray[Any]:
        """Return a 1 for the cluster of each document; zeros for one without any term known from the fit.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        known = (self.components_ > 0).any(axis=0)  # every term of the fit is in the mean of some cluster
        return self._indicators(X, X @ known.astype(X.dtype) > 0)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.init not in (None, "k-means++", "rows"):
            name = type(self).__name__
            raise ValueError(f"init={self.init!r} is not a start for {name}: choose k-means++ or rows.")

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        _check_no_start(type(self).__name__, W, H)
        began, written = time.perf_counter(), ~silent_rows(X)
        k = _wanted(self.n_components, X, int(written.sum()))
        self._prepare(X)
        found = self._leading(_scaled_rows(X, self._document_weights(X)), k, began)
        there = found.S / found.S[0] > max(X.shape) * np.finfo(X.dtype).eps  # the others are rounding error
        self.singular_values_, self.vectors_ = found.S[there], found.Vt[there]
        clusters = self._clustered(self._folded_in(X)[written], k, began)
        W_found = self._indicators(X, written)
        sizes = W_found.sum(axis=0, dtype=np.float64)[:, None]
        sums = sp.csr_array(W_found.T, dtype=np.float64) @ X
        means = np.asarray(sums.toarray() if sp.issparse(sums) else sums) / np.maximum(sizes, 1)
        error = _distance(X, np.sqrt(sizes) * means, self.n_jobs)
        return replace(clusters, W=W_found, H=means.astype(X.dtype), error=error)

    def _document_weights(self, X: Any) -> NDArray[np.float64]:
        """Return what each row of X is multiplied by."""
        return np.ones(X.shape[0])

    def _leading(self, X: Any, k: int, began: float) -> _Vectors:
        """Return the singular vectors, as exact as time allows."""
        attempts = _attempts(X, k, check_random_state(self.random_state), self.n_jobs)
        found = next(attempts)
        for _ in range(_ATTEMPTS - 1):
            late = self.max_time is not None and time.perf_counter() - began >= self.max_time
            if late or found.residual <= max(_EXACT, _rounding(X.dtype)):
                break
            found = next(attempts)
        return found

    def _folded_in(self, X: Any) -> NDArray[np.float64]:
        """Return the documents' places among the singular vectors, X V S⁻¹: U for those of the fit."""
        places = _projected(X, self.vectors_, self.n_jobs).astype(np.float64)
        return np.asarray(places * self._document_weights(X)[:, None] / self.singular_values_)

    def _clustered(self, points: NDArray[np.float64], k: int, began: float) -> Factorization:
        """Set the centroids by k-means, with the time that is left."""
        engine = copy.copy(self)
        engine.n_components = k
        if self.max_time is not None:
            engine.max_time = max(self.max_time - (time.perf_counter() - began), 1e-3)
        # k-means does not change when all points move alike; the engine wants them positive, and not all 0.
        shift = points.min(axis=0) - 1 / math.sqrt(len(points))
        points = np.ascontiguousarray(points - shift)
        starts = engine._starts(points, None, None)
        with as_matrix(points, self.n_jobs) as matrix:
            found = engine._best_of(matrix, starts)
        self.centroids_ = found.H + shift
        return found

    def _indicators(self, X: Any, known: NDArray[np.bool_]) -> NDArray[Any]:
        """Return a 1 for the nearest centroid of each known document."""
        nearest = cdist(self._folded_in(X), self.centroids_, "sqeuclidean").argmin(axis=1)
        W = np.zeros((X.shape[0], len(self.centroids_)), X.dtype)
        rows = np.flatnonzero(known)
        W[rows, nearest[rows]] = 1
        return W


@dataclass(eq=False, repr=False)
class NC(AA):
    """Normalized cut (xu2003 §4.3): average association of D^-½ X, where D = diag(X Xᵀ e).

    The rows of X are weighted and the rest is :class:`AA` (appendix A). So it parts documents as AA does when
    the weights are in X already, as :class:`quire.Weight` puts them there by ``ncw``; but the topics are
    means of the rows of X as given. The weight of a new document comes from the documents of the fit.

    Parameters
    ----------
    init, tol, max_iter, n_init, n_components, random_state, n_jobs, max_time, verbose, callback
        As for :class:`AA`.

    Attributes
    ----------
    term_totals_ : array of shape (n_features,)
        Xᵀ e, from which the weight of a document x is (x · Xᵀe)^-½.
    others
        As of :class:`AA`.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.spectral import NC
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = NC(2, random_state=0).fit(X)
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    """

    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {**AA._learnt, "term_totals_": ()}

    def _prepare(self, X: Any) -> None:
        self.term_totals_ = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()

    def _document_weights(self, X: Any) -> NDArray[np.float64]:
        largest = float(self.term_totals_.max())  # taken out of the product, which must stay a number
        roots = np.sqrt(np.asarray(X @ (self.term_totals_ / largest), np.float64)) * math.sqrt(largest)
        return np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)


class _Vectors(NamedTuple):
    S: NDArray[Any]
    Vt: NDArray[Any]
    residual: float


def _attempts(X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None) -> Iterator[_Vectors]:
    """Yield the leading singular values and right vectors, from twice as many rounds every time."""
    rounds = _FIRST_ROUNDS
    while True:
        U, S, Vt = leading_vectors(X, k, rng, n_jobs, rounds)
        if X.shape[0] < X.shape[1]:  # then X V = U S whether exact or not, else Xᵀ U = V S
            gap = _projected(X, U.T, n_jobs, transposed=True) - Vt.T * S
        else:
            gap = _projected(X, Vt, n_jobs) - U * S
        size = float(S.max())
        yield _Vectors(S, _turned(Vt), float(np.linalg.norm(gap / size) / np.linalg.norm(S / size)))
        rounds *= 2


def _turned(Vt: NDArray[Any]) -> NDArray[Any]:
    """Turn each vector so that its largest entry, the first of several, is positive."""
    sizes = np.abs(Vt)
    largest = sizes.max(axis=1, keepdims=True)
    places = (sizes >= largest * (1 - 1e-4)).argmax(axis=1)  # which of two equals is larger is rounding error
    signs = np.where(Vt[np.arange(len(Vt)), places] < 0, -1, 1).astype(Vt.dtype)
    return np.ascontiguousarray(Vt * signs[:, None])


def _rounding(dtype: np.dtype[Any]) -> float:
    """Return the smallest residual that can be hoped for."""
    return 50 * float(np.finfo(dtype).eps)


def _projected(X: Any, vectors: NDArray[Any], n_jobs: int | None, transposed: bool = False) -> NDArray[Any]:
    """Return X V, or Xᵀ U, for vectors given as rows."""
    with as_matrix(X, n_jobs) as matrix:
        product = matrix.product("H" if transposed else "W", matrix.factor(vectors.T))
        return np.asarray(matrix.array(product, len(vectors)) * X.dtype.type(matrix.scale**2))


def _distance(X: Any, part: NDArray[Any], n_jobs: int | None) -> float:
    """Return ‖X − WH‖ where WH is a projection of X and as long as ``part``."""
    with as_matrix(X, n_jobs) as matrix:
        unit = matrix.scale**2
        explained = float(np.sum(np.square(part / unit, dtype=np.float64)))
        return math.sqrt(max(matrix.squared_norm - explained, 0.0)) * unit


def _scaled_rows(X: Any, weights: NDArray[np.float64]) -> Any:
    if not sp.issparse(X):
        return (X * weights[:, None]).astype(X.dtype)
    values = (X.data * np.repeat(weights, np.diff(X.indptr))).astype(X.dtype)
    return sp.csr_array((values, X.indices, X.indptr), X.shape)


def _wanted(n_components: Any, X: Any, n_written: int | None = None) -> int:
    """Return k."""
    if n_components == "auto":
        n, d = X.shape
        return int(min(10, n if n_written is None else n_written, d))
    if not isinstance(n_components, numbers.Integral) or n_components < 1:
        raise ValueError(f"n_components={n_components!r} must be a whole number of at least 1, or 'auto'.")
    return int(n_components)


def _check_no_start(whom: str, W: ArrayLike | None, H: ArrayLike | None) -> None:
    if W is not None or H is not None:
        raise ValueError(f"{whom} does not start from given factors: leave W and H out.")
