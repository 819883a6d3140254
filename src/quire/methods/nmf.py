"""NMF as a scikit-learn estimator."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

from quire.backends.check import check_all_positive
from quire.engine.rules.beta import Beta
from quire.engine.rules.registry import SOLVERS
from quire.engine.rules.rule import Penalty, Rule
from quire.methods.online import Online

_LOSSES = {"frobenius": 2, "kullback-leibler": 1, "itakura-saito": 0}


@dataclass(kw_only=True, eq=False, repr=False)
class NMF(Online):
    """Non-negative matrix factorization X ≈ W H, for documents × terms.

    Minimises D(X, WH) + n_features·alpha_W·(l1_ratio·ΣW + ½(1 − l1_ratio)·‖W‖²)
    + n_samples·alpha_H·(l1_ratio·ΣH + ½(1 − l1_ratio)·‖H‖²) over W, H ≥ 0, as scikit-learn's NMF does; D is
    ½‖X − WH‖² or the divergence that ``beta_loss`` names.

    Parameters
    ----------
    solver : {"hals", "mu", "anls"}, default="hals"
        The update rule: coordinate descent, multiplicative updates (xu2003), or exact least squares by block
        principal pivoting (kim2008). Other losses than Frobenius are always solved by multiplicative updates.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"}, default="frobenius"
        The loss. Itakura–Saito needs every value of X to be positive.
    alpha_W : float, default=0.0
        Weight of the penalty on W.
    alpha_H : float or "same", default="same"
        Weight of the penalty on H.
    l1_ratio : float, default=0.0
        Share of L1 in the penalty.
    accelerate : bool, default=True
        Extrapolate between iterations where the solver allows it (the objective still never rises).
    coarse : bool or "auto", default="auto"
        Begin on a sample of the documents. ``"auto"``: from 100,000 documents or 2²⁵ values
        on.
    forget_factor : float, default=0.7
        For ``partial_fit``: what a batch still counts for after another one of average size
        (:class:`quire.methods.online.Online`).
    n_components, init, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (``TopicEstimator``). ``init=None``: ``nndsvda`` where
        k ≤ min(n, d) and ``n_init=1``, else ``random``.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The topic of each document: the largest weight once every topic has unit length (xu2003 §3.2);
        −1 for a document without any weight, such as an empty one.
    others
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire import NMF
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = NMF(n_components=2, random_state=0).fit(X)
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    >>> round(float(model.reconstruction_err_), 3)
    0.0
    """

    solver: str = "hals"
    beta_loss: str = "frobenius"
    alpha_W: float = 0.0  # noqa: N815
    alpha_H: float | str = "same"  # noqa: N815
    l1_ratio: float = 0.0
    accelerate: bool = True
    coarse: bool | str = "auto"

    def _rule(self, shape: tuple[int, int]) -> Rule:
        n_samples, n_features = shape
        alpha_H = self.alpha_W if self.alpha_H == "same" else float(self.alpha_H)
        weight_W, weight_H = n_features * self.alpha_W, n_samples * alpha_H
        l1, l2 = self.l1_ratio, 1 - self.l1_ratio
        penalties = Penalty(weight_W * l1, weight_W * l2), Penalty(weight_H * l1, weight_H * l2)
        if self.beta_loss != "frobenius":
            return Beta(*penalties, beta=_LOSSES[self.beta_loss])
        return SOLVERS[self.solver](*penalties)

    def _prepare(self, X: Any) -> None:
        if self.beta_loss == "itakura-saito":
            check_all_positive(X, "beta_loss='itakura-saito'")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, known in (("solver", SOLVERS), ("beta_loss", _LOSSES)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} is not known: use {' or '.join(known)}.")
        if (self.solver == "mu" or self.beta_loss != "frobenius") and self.init == "nndsvd":
            warnings.warn(
                "Multiplicative updates cannot leave the zeros of init='nndsvd': use init='nndsvda'.",
                UserWarning,
                stacklevel=4,
            )
        if self.solver == "anls" and self.beta_loss != "frobenius":
            raise ValueError("solver='anls' is for beta_loss='frobenius' only: use solver='mu'.")
        given: dict[str, Any] = {"alpha_W": self.alpha_W, "alpha_H": self.alpha_H}
        for name, value in given.items():
            number = isinstance(value, numbers.Real) and 0 <= float(value) < float("inf")
            if not number and not (name == "alpha_H" and value == "same"):
                raise ValueError(f"{name}={value!r} must be a number of at least 0 (alpha_H also 'same').")
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio={self.l1_ratio!r} must lie between 0 (L2 only) and 1 (L1 only).")
        if self.coarse not in (True, False, "auto"):
            raise ValueError(f"coarse={self.coarse!r} must be True, False or 'auto'.")
