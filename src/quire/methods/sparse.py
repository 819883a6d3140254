"""Sparse NMF for clustering (kim2008 eq. 12)."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

from quire.engine.rules.registry import SOLVERS
from quire.engine.rules.rule import Penalty, Rule
from quire.methods.estimator import TopicEstimator

_SOLVERS = ("anls", "hals")


@dataclass(kw_only=True, eq=False, repr=False)
class SparseNMF(TopicEstimator):
    """NMF in which each document is written with few topics.

    Minimises ½[‖X − WH‖² + eta·‖H‖² + beta·Σ_i ‖W(i,:)‖₁²] over W, H ≥ 0 (kim2008 eq. 12).

    Parameters
    ----------
    beta : float, default=0.1
        How sparse the documents' weights are; published: 0.1 for text, 0.5 for synthetic data.
    eta : float or "max", default="max"
        Keeps H from growing; published: the largest value of X.
    solver : {"anls", "hals"}, default="anls"
        Exact alternating least squares, as published, or coordinate descent.
    init : str or None, default=None
        None: uniform, as published. A random start in which a topic dies is drawn again, at most 9 times, as
        the authors' program does.
    n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Attributes
    ----------
    eta_ : float
        The weight that was used.
    others
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire import SparseNMF
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = SparseNMF(2, random_state=0).fit(X)
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    >>> float(model.eta_)
    6.0
    """

    beta: float = 0.1
    eta: float | str = "max"
    solver: str = "anls"

    @property
    def _redraws(self) -> int:  # type: ignore[override]
        return 9 if self._init in ("random", "uniform") else 0

    @property
    def _init(self) -> str | None:
        return self.init or "uniform"

    def _rule(self, shape: tuple[int, int]) -> Rule:
        eta = getattr(self, "eta_", 0.0)  # weights of documents do not depend on it
        return SOLVERS[self.solver](Penalty(square=self.beta), Penalty(l2=eta))

    def _prepare(self, X: Any) -> None:
        self.eta_ = float(X.max()) if self.eta == "max" else float(self.eta)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        given: dict[str, Any] = {"beta": self.beta, "eta": self.eta}
        for name, value in given.items():
            number = isinstance(value, numbers.Real) and 0 <= float(value) < float("inf")
            if not number and not (name == "eta" and value == "max"):
                raise ValueError(f"{name}={value!r} must be a number of at least 0 (eta also 'max').")
        if self.solver not in _SOLVERS:
            raise ValueError(f"solver={self.solver!r} is not known: use {' or '.join(_SOLVERS)}.")
