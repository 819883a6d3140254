"""NMF with topics on a simplex and a sparsity weight on the documents (tsikhanovich2011)."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from quire.engine.rules.rule import Penalty, Rule, Start
from quire.engine.rules.simplex import CONSTRAINTS, Rri
from quire.engine.start import sprinkled
from quire.methods.estimator import TopicEstimator


@dataclass(kw_only=True, eq=False, repr=False)
class SimplexNMF(TopicEstimator):
    """NMF whose topics are distributions over terms: rows of H sum to ``z``.

    Minimises ½‖X − WH‖² + lam·ΣW over W, H ≥ 0 with the constraint on the rows of H, by RRI
    (tsikhanovich2011 eq. 2). The step on a row of H is exact: see :mod:`quire.engine.rules.simplex`.

    Parameters
    ----------
    lam : float, default=0.0
        λ as in eq. 2; the thesis's program divides it by the number of documents. From ``lam`` = the largest
        value of X on (z = 1) W is all zero.
    constraint : {"simplex", "nnl2", "free"}, default="simplex"
        On each row of H: sum z; length at most z; none but H ≥ 0.
    z : float, default=1.0
        The size of the simplex, or the length.
    density : float or "auto", default="auto"
        Share of non-zeros in the first H (p of §2.5.2, which does not give it); auto: that of X.
    fixed : {"W", "H"} or None, default=None
        A factor to hold as ``fit(X, W=W)`` or ``fit(X, H=H)`` gives it: with W at the classes, each topic is
        what its class is about (figure 12). No start is made then; ``transform`` still solves for W.
    init : str or None, default=None
        None: the five steps of §2.5.2; else as for every estimator.
    n_init : int, default=4
        Starts; the one that ends with the lowest objective is kept.
    n_components, tol, max_iter, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire import SimplexNMF
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = SimplexNMF(2, random_state=0).fit(X)
    >>> model.components_.sum(axis=1).round(6).tolist()
    [1.0, 1.0]
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    """

    n_init: int = 4
    lam: float = 0.0
    constraint: str = "simplex"
    z: float = 1.0
    density: float | str = "auto"
    fixed: str | None = None

    @property
    def _unit_topics(self) -> bool:  # type: ignore[override]
        return self.constraint == "free"  # else the constraint has settled the topics' sizes

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Rri(Penalty(l1=self.lam), constraint=self.constraint, size=self.z)

    def _start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        if self.init is None:
            there = np.count_nonzero(X.data if sp.issparse(X) else X) / (X.shape[0] * X.shape[1])
            return sprinkled(X, k, rng, there if self.density == "auto" else float(self.density))
        return super()._start(X, k, rng, max_time)

    def _starts(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Any:
        if self.fixed is None:
            return super()._starts(X, W, H)
        return self._held_starts(X, W, H, self.fixed)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self.lam >= 0:
            raise ValueError(f"lam={self.lam!r} must be 0 or more.")
        if self.constraint not in CONSTRAINTS:
            raise ValueError(f"constraint={self.constraint!r} is not known: use {' or '.join(CONSTRAINTS)}.")
        if self.constraint == "free" and self.lam > 0:
            warnings.warn(
                "Without a constraint on H, lam has no effect in the end: W can shrink and H grow; use "
                "constraint='simplex'.",
                UserWarning,
                stacklevel=4,
            )
        if not 0 < self.z < float("inf"):
            raise ValueError(f"z={self.z!r} must be a positive number.")
        density: Any = self.density
        if density != "auto" and not (isinstance(density, numbers.Real) and 0 < float(density) <= 1):
            raise ValueError(f"density={self.density!r} must lie above 0 and be at most 1, or be 'auto'.")
        if self.fixed not in (None, "W", "H"):
            raise ValueError(f"fixed={self.fixed!r} must be 'W', 'H' or None.")
