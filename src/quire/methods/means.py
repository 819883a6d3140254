"""One topic per document: k-means and its kin, and NMF with orthogonal documents (kim2008 eq. 19)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.backend import as_matrix
from quire.backends.matrix import Matrix
from quire.engine.loop import Factorization, factorize, solve_documents
from quire.engine.rules.hals import Hals
from quire.engine.rules.rule import Rule, Start
from quire.engine.rules.single import Single
from quire.engine.rules.soft import Soft
from quire.engine.singular import leading_vectors
from quire.engine.start import first_factors, scaled_rows, seeds
from quire.engine.trace import Stopping
from quire.methods.estimator import TopicEstimator

_SHORT = Stopping(tol=1e-2, max_iter=30)  # NMF before its documents are made orthogonal


@dataclass(kw_only=True, eq=False, repr=False)
class KMeans(TopicEstimator):
    """k-means (kim2008 eq. 4): ½‖X − WH‖², a row of W having a single 1, a row of H being a mean.

    Parameters
    ----------
    init : {None, "k-means++", "rows", "custom"}, default=None
        The first means: k-means++ (None), or documents drawn evenly (``rows``).
    n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (``TopicEstimator``). It ends when no document moves.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.means import KMeans
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> KMeans(2, random_state=0, n_init=4).fit_transform(X).sum(axis=1).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    _in_blocks = False
    _unit_topics = False
    _skips_silent = True
    _balances = False

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Single("means")

    def _start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        return np.zeros((X.shape[0], k), X.dtype), seeds(X, k, self.init or "k-means++", rng)


@dataclass(kw_only=True, eq=False, repr=False)
class SphericalKMeans(KMeans):
    """k-means by direction (Dhillon and Modha 2001): documents and means have length 1, cosines are compared.

    W and H describe the documents brought to length 1.

    Parameters
    ----------
    init, n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for :class:`KMeans`.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.means import SphericalKMeans
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = SphericalKMeans(2, random_state=0).fit(X)
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    """

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Single("directions")

    def _seen(self, X: Any) -> Any:
        return unit_rows(X)


@dataclass(kw_only=True, eq=False, repr=False)
class SoftKMeans(KMeans):
    """Soft k-means (MacKay 2003): every document belongs to all means, more to the nearer ones.

    Parameters
    ----------
    stiffness : float, default=1.5
        How sharply documents are parted, in units of 1 / their variance along the k-th singular vector: at
        about 1 the means part from each other (Rose, Gurewitz and Fox 1990), far above it is k-means.
    init, n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for :class:`KMeans`.

    Attributes
    ----------
    stiffness_ : array of shape ()
        The same in the unit of X.
    others
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.means import SoftKMeans
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> SoftKMeans(2, random_state=0).fit_transform(X).sum(axis=1).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    stiffness: float = 1.5

    _learnt: ClassVar = {"stiffness_": ()}

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Soft(float(np.asarray(self.stiffness_).item()))

    def _prepare(self, X: Any) -> None:
        k = min(self._wanted(X), *X.shape)
        values = leading_vectors(X, k, np.random.RandomState(0), self.n_jobs)[1].astype(np.float64)
        least = values[values >= 1e-6 * values[0]][-1]  # 0 only where all are
        self.stiffness_ = np.array(self.stiffness * X.shape[0] / least / least)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not 0 < self.stiffness < float("inf"):
            raise ValueError(f"stiffness={self.stiffness!r} must be a positive number.")


@dataclass(kw_only=True, eq=False, repr=False)
class ProjectiveNMF(TopicEstimator):
    """min ‖X − WWᵀX‖ over W ≥ 0 with WᵀW = I (kim2008 eq. 19), which its authors left open.

    Such a W has one positive entry in a row, and H = WᵀX: alternating between the best topic of each document
    and the best H is exact on either side (:mod:`quire.engine.rules.single`).

    Parameters
    ----------
    init : str or None, default=None
        None: a short NMF, whose topics are then made orthogonal; else a start of :mod:`quire.engine.start`.
    n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire import ProjectiveNMF
    >>> X = np.array([[2.0, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> W = ProjectiveNMF(2, random_state=0).fit_transform(X)
    >>> bool(np.allclose(W.T @ W, np.eye(2))), bool(np.allclose(W @ W.T @ X, X))
    (True, True)
    """

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Single("orthogonal")

    def _start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        W, H = first_factors(X, k, self._init, rng, self.n_jobs, self._where)
        if self.init is None:
            with as_matrix(X, self.n_jobs, device=self._where) as matrix:
                H = factorize(matrix, (W, H), Hals(), _SHORT).H
        return np.zeros_like(W), H

    def _finish(self, matrix: Matrix, fit: Factorization) -> Factorization:
        """Bring the columns of W to length 1; their lengths go into H."""
        lengths = np.sqrt(np.einsum("it,it->t", fit.W, fit.W, dtype=np.float64))
        H = (fit.H * np.where(lengths > 0, lengths, 1)[:, None]).astype(fit.H.dtype)
        solved = solve_documents(matrix, H, self._rule(matrix.shape))
        return Factorization(solved.W, H, solved.objective, solved.error, fit.trace, fit.stopped)


def unit_rows(X: Any) -> Any:
    """Bring the rows to length 1, whatever their size; a row of zeros stays one."""
    largest = np.asarray(X.max(axis=1).toarray() if sp.issparse(X) else X.max(axis=1), np.float64).ravel()
    largest[largest == 0] = 1
    near_one = scaled_rows(X, 1 / largest)  # their squares are neither too large nor too small
    squares = near_one.multiply(near_one) if sp.issparse(X) else near_one * near_one
    lengths = np.sqrt(np.asarray(squares.sum(axis=1), np.float64).ravel())
    lengths[lengths == 0] = 1
    return scaled_rows(near_one, 1 / lengths)


def positive(points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return points moved so that no coordinate is negative or 0, and by how much they were moved.

    k-means does not change when all points move alike; the engine wants them positive, and not all 0.
    """
    shift = points.min(axis=0) - 1 / math.sqrt(len(points))
    return np.ascontiguousarray(points - shift), shift
