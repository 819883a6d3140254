"""Singular vectors of X as the space in which k-means parts the documents: AA and NC (xu2003 §4.3)."""

from __future__ import annotations

import copy
import math
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from quire.backends.backend import as_matrix
from quire.backends.check import silent_rows
from quire.engine.loop import Factorization
from quire.engine.singular import Vectors, improving_vectors, least_residual, projected
from quire.engine.start import scaled_rows
from quire.methods.lsi import distance
from quire.methods.means import KMeans, positive

_ATTEMPTS = 6  # at exact singular vectors
_EXACT = 1e-6


@dataclass(kw_only=True, eq=False, repr=False)
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
    n_components, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (``TopicEstimator``); an iteration is one of k-means.

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
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

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

    _on_device = False
    _in_blocks = False
    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {"vectors_": (), "singular_values_": (), "centroids_": (0,)}

    def transform(self, X: Any) -> NDArray[Any]:
        """Return a 1 for the cluster of each document; zeros for one without any term known from the fit.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        self._check_fitted()
        X = self._check_data(X, reset=False)
        known = (self.components_ > 0).any(axis=0)  # every term of the fit is in the mean of some cluster
        return self._indicators(X, X @ known.astype(X.dtype) > 0)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.init not in (None, "k-means++", "rows"):
            name = type(self).__name__
            raise ValueError(f"init={self.init!r} is not a start for {name}: choose k-means++ or rows.")

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        self._check_no_start(W, H)
        began, written = time.perf_counter(), ~silent_rows(X)
        k = self._wanted(X, int(written.sum()))
        self._prepare(X)
        vectors = self._leading(scaled_rows(X, self._document_weights(X)), k, began)
        there = vectors.S / vectors.S[0] > max(X.shape) * np.finfo(X.dtype).eps  # the others are rounding error
        self.singular_values_, self.vectors_ = vectors.S[there], vectors.Vt[there]
        clusters = self._clustered(self._folded_in(X)[written], k, began)
        W_fitted = self._indicators(X, written)
        sizes = W_fitted.sum(axis=0, dtype=np.float64)[:, None]
        sums = sp.csr_array(W_fitted.T, dtype=np.float64) @ X
        means = np.asarray(sums.toarray() if sp.issparse(sums) else sums) / np.maximum(sizes, 1)
        error = distance(X, np.sqrt(sizes) * means, self.n_jobs)
        return replace(clusters, W=W_fitted, H=means.astype(X.dtype), error=error)

    def _document_weights(self, X: Any) -> NDArray[np.float64]:
        """Return what each row of X is multiplied by."""
        return np.ones(X.shape[0])

    def _leading(self, X: Any, k: int, began: float) -> Vectors:
        """Return the singular vectors, as exact as time allows."""
        attempts = improving_vectors(X, k, check_random_state(self.random_state), self.n_jobs)
        vectors = next(attempts)
        for _ in range(_ATTEMPTS - 1):
            late = self.max_time is not None and time.perf_counter() - began >= self.max_time
            if late or vectors.residual <= max(_EXACT, least_residual(X.dtype)):
                break
            vectors = next(attempts)
        return vectors

    def _folded_in(self, X: Any) -> NDArray[np.float64]:
        """Return the documents' places among the singular vectors, X V S⁻¹: U for those of the fit."""
        places = projected(X, self.vectors_, self.n_jobs).astype(np.float64)
        return np.asarray(places * self._document_weights(X)[:, None] / self.singular_values_)

    def _clustered(self, points: NDArray[np.float64], k: int, began: float) -> Factorization:
        """Set the centroids by k-means, with the time that is left."""
        engine = copy.copy(self)
        engine.n_components = k
        if self.max_time is not None:
            engine.max_time = max(self.max_time - (time.perf_counter() - began), 1e-9)
        points, shift = positive(points)
        starts = engine._starts(points, None, None)
        with as_matrix(points, self.n_jobs, device=self._where) as matrix:
            fit = engine._best_of(matrix, starts)
        self.centroids_ = fit.H + shift
        return fit

    def _indicators(self, X: Any, known: NDArray[np.bool_]) -> NDArray[Any]:
        """Return a 1 for the nearest centroid of each known document."""
        nearest = cdist(self._folded_in(X), self.centroids_, "sqeuclidean").argmin(axis=1)
        W = np.zeros((X.shape[0], len(self.centroids_)), X.dtype)
        rows = np.flatnonzero(known)
        W[rows, nearest[rows]] = 1
        return W


@dataclass(kw_only=True, eq=False, repr=False)
class NC(AA):
    """Normalized cut (xu2003 §4.3): average association of D^-½ X, where D = diag(X Xᵀ e).

    The rows of X are weighted and the rest is :class:`AA` (appendix A). So it parts documents as AA does when
    the weights are in X already, as :class:`quire.Weight` puts them there by ``ncw``; but the topics are
    means of the rows of X as given. The weight of a new document comes from the documents of the fit.

    Parameters
    ----------
    init, tol, max_iter, n_init, n_components, random_state, n_jobs, device, max_time, verbose, callback
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
