"""Latent semantic indexing: the leading singular vectors of X as topics."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from quire.backends.backend import as_matrix
from quire.engine.loop import Factorization
from quire.engine.singular import Vectors, improving_vectors, least_residual, projected
from quire.engine.trace import Step
from quire.methods.estimator import TopicEstimator
from quire.methods.finite import finite_weights


@dataclass(kw_only=True, eq=False, repr=False)
class LSI(TopicEstimator):
    """Latent semantic indexing: the truncated SVD X ≈ U S Vᵀ, with W = U S = X V and H = Vᵀ.

    No W and H of any sign are nearer to X. A topic is a direction, whose sign means nothing: it is turned so
    that its largest entry is positive. A document's topic is the one with its largest weight by size, and its
    shares go by squared weights, which add up to its squared length as far as the topics explain it.

    Parameters
    ----------
    tol : float, default=1e-6
        Stop when ‖XV − US‖ (or ‖XᵀU − VS‖, the one that is not 0 anyway) is at most this share of ‖S‖.
    max_iter : int, default=6
        Most attempts, each of twice as many rounds of the power method as the last.
    init, n_init
        Not used: there is one best answer, and no start.
    n_components, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`); an iteration is an attempt.

    Attributes
    ----------
    singular_values_ : array of shape (k,)
        S.
    others
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.lsi import LSI
    >>> X = np.array([[2.0, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = LSI(2, random_state=0)
    >>> W = model.fit_transform(X)
    >>> bool(np.allclose(model.inverse_transform(W), X)), model.labels_.tolist()
    (True, [1, 1, 0, 0])
    """

    tol: float = 1e-6
    max_iter: int = 6

    _on_device = False
    _in_blocks = False
    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {"singular_values_": (0,)}

    def transform(self, X: Any) -> NDArray[Any]:
        """Return X V.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        self._check_fitted()
        X = self._check_data(X, reset=False)
        return finite_weights(projected(X, self.components_, self.n_jobs), X, self)  # type: ignore[no-any-return]

    def assign_by(
        self, lengths: NDArray[np.float64], W: NDArray[Any], silent: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return each document's topic, of the largest weight by size, and its squared weights as shares.

        Parameters
        ----------
        lengths : ignored
            The topics have length 1.
        W : array of shape (n_samples, k)
            The documents' weights.
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
        self._check_no_start(W, H)
        k, most = self._wanted(X), min(X.shape)
        if k > most:
            raise ValueError(
                f"A {X.shape[0]} × {X.shape[1]} matrix has {most} singular vectors and n_components={k} were "
                f"asked for: ask for {most} or fewer."
            )
        vectors, trace, stopped = self._search(X, k)
        self.singular_values_ = vectors.S
        W_fitted = projected(X, vectors.Vt, self.n_jobs)
        error = distance(X, W_fitted, self.n_jobs)
        return Factorization(W_fitted, vectors.Vt, 0.5 * error * error, error, trace, stopped)

    def _search(self, X: Any, k: int) -> tuple[Vectors, list[Step], str]:
        """Make attempts until one is exact enough."""
        began, stopped = time.perf_counter(), ""
        trace: list[Step] = []
        exact = max(self.tol, least_residual(X.dtype)) if self.tol > 0 else 0.0
        attempts = improving_vectors(X, k, check_random_state(self.random_state), self.n_jobs)
        while not stopped:
            vectors = next(attempts)
            error = distance(X, vectors.S, self.n_jobs)
            step = Step(len(trace) + 1, 0.5 * error * error, vectors.residual, time.perf_counter() - began)
            trace.append(step)
            if self._report(step):
                stopped = "callback"
            elif vectors.residual <= exact:
                stopped = "tol"
            elif self.max_time is not None and step.seconds >= self.max_time:
                stopped = "max_time"
            elif len(trace) == self.max_iter:
                stopped = "max_iter"
        return vectors, trace, stopped


def distance(X: Any, part: NDArray[Any], n_jobs: int | None) -> float:
    """Return ‖X − WH‖ where WH is a projection of X and as long as ``part``."""
    with as_matrix(X, n_jobs) as matrix:
        unit = matrix.scale**2
        explained = float(np.sum(np.square(part / unit, dtype=np.float64)))
        return math.sqrt(max(matrix.squared_norm - explained, 0.0)) * unit
