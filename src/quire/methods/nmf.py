"""NMF as a scikit-learn estimator."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from quire.backends.backend import as_matrix
from quire.backends.check import check_all_positive
from quire.engine.loop import solve_documents
from quire.engine.rules.beta import Beta
from quire.engine.rules.registry import SOLVERS
from quire.engine.rules.rule import Penalty, Rule, Start
from quire.engine.start import check_known
from quire.methods.estimator import TopicEstimator
from quire.methods.growth import SquaresGrowth
from quire.methods.online import Online
from quire.places.parts import Blocks

LOSSES = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
_ROUNDS = 20  # through documents that came
_FARTHEST = 300  # β: beyond, sums of powers of next to anything leave the range
_MANY = 1000  # features from which a topic for each is not what somebody meant who asked for none


@dataclass(kw_only=True, eq=False, repr=False)
class NMF(Online):
    """Non-negative matrix factorization X ≈ W H, for documents × terms.

    Minimises D(X, WH) + n_features·alpha_W·(l1_ratio·ΣW + ½(1 − l1_ratio)·‖W‖²)
    + n_samples·alpha_H·(l1_ratio·ΣH + ½(1 − l1_ratio)·‖H‖²) over W, H ≥ 0, as scikit-learn's NMF does; D is
    ½‖X − WH‖² or the divergence that ``beta_loss`` names.

    Parameters
    ----------
    n_components : int, None or "auto", default="auto"
        Topics. None: as many as there are features. ``"auto"``: as many as a custom W or H has, else as None.
    solver : {"hals", "cd", "mu", "anls"}, default="hals"
        The update rule: coordinate descent (``"cd"`` is scikit-learn's name for it), multiplicative updates
        (xu2003), or exact least squares by block principal pivoting (kim2008). With ``"hals"`` and another loss than
        Frobenius multiplicative updates are taken.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float, default="frobenius"
        The loss, by name or as the β of a β-divergence (these are 2, 1 and 0). From 0 (Itakura–Saito) down every
        value of X must be positive.
    alpha_W : float, default=0.0
        Weight of the penalty on W.
    alpha_H : float or "same", default="same"
        Weight of the penalty on H.
    l1_ratio : float, default=0.0
        Share of L1 in the penalty.
    shuffle : bool, default=False
        For scikit-learn: coordinate descent goes through the topics in the same order every time.
    accelerate : bool, default=True
        Extrapolate between iterations where the solver allows it (the objective still never rises).
    coarse : bool or "auto", default="auto"
        Begin on a sample of the documents. ``"auto"``: from 100,000 documents or 2²⁵ values
        on.
    forget_factor : float, default=0.7
        For ``partial_fit``: what a batch still counts for after another one of average size
        (:class:`quire.methods.online.Online`).
    init, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
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
    beta_loss: float | str = "frobenius"
    alpha_W: float = 0.0  # noqa: N815
    alpha_H: float | str = "same"  # noqa: N815
    l1_ratio: float = 0.0
    shuffle: bool = False
    accelerate: bool = True
    coarse: bool | str = "auto"

    _takes_zeros = True
    takes_seeds = True

    def score(self, X: Any, y: object = None) -> float:
        """Return how well the topics explain X, the higher the better: −D(X, WH) for each document, W at its best.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        y : ignored
            For scikit-learn.
        """
        self._check_fitted()
        X = self._seen(self._check_data(X, reset=False))
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            solved = solve_documents(matrix, self.components_.astype(X.dtype), self._rule(X.shape))
        return float(-0.5 * solved.error**2 / X.shape[0])

    def growth(self, before: Blocks, came: Blocks, remembered: float) -> Callable[..., TopicEstimator]:
        """Return a function that lets the topics grow by documents that came, as for every estimator.

        Parameters
        ----------
        before, came, remembered
            As for every estimator.
        """
        if self._beta != 2:
            return super().growth(before, came, remembered)
        self._check_fitted()
        growth = SquaresGrowth(self, before, came, remembered)

        def grown(groups: Sequence[NDArray[np.intp]], rounds: int = _ROUNDS) -> TopicEstimator:
            other: NMF = clone(self)
            other.restore({"components_": growth.grown(groups, rounds)})
            other.n_components, other.n_iter_, other.stopped_ = other.n_components_, rounds, "tol"
            return other

        return grown

    @property
    def _n_components(self) -> int:
        """What scikit-learn's own tools read."""
        return self.n_components_

    @property
    def _beta(self) -> float:
        """The number that ``beta_loss`` stands for; none where it is not known."""
        loss: Any = self.beta_loss
        if isinstance(loss, str):
            return LOSSES.get(loss, np.nan)
        return float(loss) if isinstance(loss, numbers.Real) else np.nan

    @property
    def _where(self) -> str:
        return super()._where if self._beta in (0, 1, 2) else "cpu"

    @property
    def takes_parts(self) -> bool:
        """Whether X may come in row blocks: other losses than these two look at every zero of X."""
        return self._in_blocks and self._beta in (1, 2)

    def _rule(self, shape: tuple[int, int]) -> Rule:
        n_samples, n_features = shape
        alpha_H = self.alpha_W if self.alpha_H == "same" else float(self.alpha_H)
        weight_W, weight_H = n_features * self.alpha_W, n_samples * alpha_H
        l1, l2 = self.l1_ratio, 1 - self.l1_ratio
        penalties = Penalty(weight_W * l1, weight_W * l2), Penalty(weight_H * l1, weight_H * l2)
        if self._beta != 2:
            twice = self.accelerate and self._beta == 1  # where it is quick
            return Beta(*penalties, beta=self._beta, sweeps=2 if twice else 1, far=self.accelerate)
        return SOLVERS[self.solver](*penalties)

    def _seen(self, X: Any) -> Any:
        if self._beta <= 0:
            check_all_positive(X, f"beta_loss={self.beta_loss!r}")
        return X

    def _wanted(self, X: Any, n_written: int | None = None) -> int:
        """Return k: where none was asked for, one for each feature, as scikit-learn has it."""
        if self.n_components not in (None, "auto"):
            return super()._wanted(X, n_written)
        if self.n_components == "auto" and X.shape[1] > _MANY:
            raise ValueError(
                f"n_components='auto' means a topic for each of the {X.shape[1]:,} features, as in scikit-learn: ask "
                "for a number of topics (None takes them all)."
            )
        return int(X.shape[1])

    def _custom_start(self, X: Any, W: Any, H: Any) -> Start:
        start = super()._custom_start(X, W, H)
        if not start[0].any():  # refused as scikit-learn does: multiplicative updates would leave it so
            raise ValueError("Array passed to NMF (input W) is full of zeros: start from weights above 0.")
        return start

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.solver not in SOLVERS:
            raise ValueError(f"solver={self.solver!r} is not known: use {' or '.join(SOLVERS)}.")
        if self.init not in (None, "custom"):  # also where X is all zero, and nothing begins
            check_known(self.init)
        self._check_loss()
        self._check_penalties()
        if self.coarse not in (True, False, "auto"):
            raise ValueError(f"coarse={self.coarse!r} must be True, False or 'auto'.")

    def _check_loss(self) -> None:
        loss: Any = self.beta_loss
        if not np.isfinite(self._beta):
            raise ValueError(f"beta_loss={loss!r} is not known: use {', '.join(LOSSES)} or a number.")
        if abs(self._beta) > _FARTHEST:  # powers of X, which leave the range of every number
            raise ValueError(f"beta_loss={loss!r} must lie between -{_FARTHEST} and {_FARTHEST}.")
        if self._beta != 2 and self.solver in ("anls", "cd"):
            raise ValueError(
                f"Invalid beta_loss parameter: solver {self.solver!r} does not handle beta_loss = {loss!r}: use "
                "solver='mu'."
            )
        if self._beta not in (0, 1, 2) and self.device == "cuda":
            raise ValueError(
                f"beta_loss={loss!r} runs on the CPU only: leave device='cuda' out, or take device='auto'."
            )
        if (self.solver == "mu" or self._beta != 2) and self.init == "nndsvd":
            warnings.warn(
                "The multiplicative update ('mu') solver cannot update zeros present in the initialization, and so "
                "leads to poorer results: use init='nndsvda' instead of init='nndsvd'.",
                UserWarning,
                stacklevel=5,
            )

    def _check_penalties(self) -> None:
        given: dict[str, Any] = {"alpha_W": self.alpha_W, "alpha_H": self.alpha_H}
        for name, value in given.items():
            number = isinstance(value, numbers.Real) and 0 <= float(value) < float("inf")
            if not number and not (name == "alpha_H" and value == "same"):
                raise ValueError(f"{name}={value!r} must be a number of at least 0 (alpha_H also 'same').")
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio={self.l1_ratio!r} must lie between 0 (L2 only) and 1 (L1 only).")
