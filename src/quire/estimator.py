"""What all estimators share: scikit-learn's methods around one factorization."""

from __future__ import annotations

import numbers
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from quire.check import check_matrix, check_not_all_zero
from quire.factorization import Factorization, Start, factorize, solve_documents
from quire.ops.backend import as_matrix
from quire.ops.matrix import Matrix
from quire.rules.rule import Rule
from quire.start import balanced, coarse_start, first_factors
from quire.topics import assign
from quire.trace import Step, Stopping, trace_array

_MakeStart = Callable[[float | None], Start]
_COARSE_FROM = 100_000  # documents from which a start on a sample pays
_COARSE_ROWS, _COARSE_SHARE = 20_000, 50  # the sample: so many documents, or one in so many


class TopicEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: a subclass stores its parameters and names its rule (``_rule``).

    Examples
    --------
    >>> from quire import NMF
    >>> from quire.estimator import TopicEstimator
    >>> issubclass(NMF, TopicEstimator)
    True
    """

    n_components: int | str
    init: str | None
    tol: float
    max_iter: int
    random_state: Any
    verbose: int
    n_init: int
    n_jobs: int | None
    accelerate: bool
    coarse: bool | str
    max_time: float | None
    callback: Any

    def fit(self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None) -> Self:
        """Learn the topics of X.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        y : ignored
            For scikit-learn.
        W, H : arrays, optional
            The start, with ``init="custom"``.
        """
        self.fit_transform(X, y, W, H)
        return self

    def fit_transform(
        self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Learn the topics of X and return W, the documents' weights on them.

        Parameters
        ----------
        X, y, W, H
            As for :meth:`fit`.
        """
        before = self.__dict__.copy()
        try:
            return self._keep(self._factorize(X, W, H))
        except BaseException:  # a fit that failed leaves the model as it was
            self.__dict__ = before
            raise

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the documents' best weights on the topics learnt.

        A document gets the same weights alone, in any batch, and in ``fit_transform``.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        H = self.components_.astype(X.dtype, copy=False)
        with as_matrix(X, self.n_jobs) as matrix:
            return solve_documents(matrix, H, self._rule(X.shape)).W

    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]:
        """Return W H.

        Parameters
        ----------
        X : array of shape (n_samples, k)
            The documents' weights W.
        """
        check_is_fitted(self)
        return np.asarray(np.asarray(X) @ self.components_)

    # -- for subclasses ----------------------------------------------------------------------------------

    def _rule(self, shape: tuple[int, int]) -> Rule:
        raise TypeError(f"{type(self).__name__} has no update rule.")

    def _check_parameters(self) -> None:
        for name in ("max_iter", "n_init"):
            value = getattr(self, name)
            if not isinstance(value, numbers.Integral) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")
        n_jobs: Any = self.n_jobs
        if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
            raise ValueError(f"n_jobs={n_jobs!r} must be a number of threads, -1, or None for all cores.")
        if not self.tol >= 0:
            raise ValueError(f"tol={self.tol!r} must be 0 or more.")
        if self.max_time is not None and not self.max_time > 0:
            raise ValueError(f"max_time={self.max_time!r} must be a positive number of seconds, or None.")
        if self.coarse not in (True, False, "auto"):
            raise ValueError(f"coarse={self.coarse!r} must be True, False or 'auto'.")

    # -- the fit, step by step ---------------------------------------------------------------------------

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        self._check_parameters()
        X = self._check_data(X, reset=True)
        check_not_all_zero(X, type(self).__name__)
        starts = self._starts(X, W, H)
        with as_matrix(X, self.n_jobs) as matrix:
            return self._best_of(matrix, starts)

    def _check_data(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C",
            ensure_all_finite=False,
        )  # fmt: skip
        return check_matrix(X, type(self).__name__)

    def _starts(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> list[_MakeStart]:
        """Return a function per start, so that only one start is in memory at a time."""
        if self.init == "custom":
            start = self._custom_start(X, W, H)
            return [lambda max_time: start]
        if W is not None or H is not None:
            raise ValueError(f"W and H are used with init='custom' only, not with init={self.init!r}.")
        k = min(10, *X.shape) if self.n_components == "auto" else self.n_components
        if not isinstance(k, numbers.Integral) or k < 1:
            raise ValueError(f"n_components={k!r} must be a whole number of at least 1, or 'auto'.")
        rng = check_random_state(self.random_state)
        init = "random" if self.init is None and self.n_init > 1 else self.init
        return [lambda max_time: self._start(X, int(k), init, rng, max_time)] * self.n_init

    def _start(
        self, X: Any, k: int, init: str | None, rng: np.random.RandomState, max_time: float | None
    ) -> Start:
        """Make one start, perhaps from a sample."""
        coarse = X.shape[0] >= _COARSE_FROM if self.coarse == "auto" else self.coarse
        if not coarse:
            return first_factors(X, k, init, rng, self.n_jobs)
        n_sample = max(_COARSE_ROWS, X.shape[0] // _COARSE_SHARE)
        rule = self._rule(X.shape)
        return coarse_start(X, k, init, rule, n_sample, rng, self.n_jobs, max_time)

    def _custom_start(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Start:
        if W is None or H is None:
            raise ValueError("init='custom' needs both W and H: pass them to fit or fit_transform.")
        W, H = np.asarray(W, X.dtype), np.asarray(H, X.dtype)
        k = H.shape[0] if self.n_components == "auto" else self.n_components
        if k == 0:
            raise ValueError("W and H must have at least one topic.")
        for name, F, shape in (("W", W, (X.shape[0], k)), ("H", H, (k, X.shape[1]))):
            if F.shape != shape:
                raise ValueError(f"{name} must have the shape {shape}, not {F.shape}.")
            check_matrix(np.ascontiguousarray(F), f"{type(self).__name__} as {name}")
        return balanced(W, H)

    def _best_of(self, matrix: Matrix, starts: list[_MakeStart]) -> Factorization:
        """Factorize from every start and keep the lowest objective."""
        began, best = time.perf_counter(), None
        rule = self._rule(matrix.shape)
        for number, start in enumerate(starts):
            left = None if self.max_time is None else self.max_time - (time.perf_counter() - began)
            if best is not None and left is not None and left <= 0:
                break
            stopping = Stopping(self.tol, self.max_iter, left)
            found = factorize(
                matrix,
                partial(start, left),
                rule,
                stopping,
                accelerate=self.accelerate,
                callback=self._report,
            )
            if self.verbose:
                end = f"{len(found.trace)} iterations, stopped by {found.stopped}"
                print(f"start {number + 1}: objective {found.objective:.6g}, {end}")
            if best is None or found.objective < best.objective:
                best = found
            if found.stopped == "callback":
                break
        assert best is not None
        return best

    def _report(self, step: Step) -> Any:
        if self.verbose > 1:
            values = f"objective {step.objective:.6g}, residual {step.residual:.2e}"
            print(f"iteration {step.iteration}: {values}, {step.seconds:.2f} s")
        return self.callback(step) if self.callback is not None else False

    def _keep(self, found: Factorization) -> NDArray[Any]:
        """Set the fitted attributes; return W."""
        if found.stopped == "max_iter" and self.tol > 0:
            warnings.warn(
                f"Stopped after max_iter={self.max_iter} iterations before tol={self.tol} was reached: raise "
                "max_iter or tol if the topics are not settled.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.components_ = found.H
        self.n_components_ = len(found.H)
        self.reconstruction_err_ = found.error
        self.objective_ = found.objective
        self.n_iter_ = len(found.trace)
        self.trace_ = trace_array(found.trace)
        self.stopped_ = found.stopped
        self.labels_, self.memberships_ = assign(found.W, found.H)
        return found.W

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
