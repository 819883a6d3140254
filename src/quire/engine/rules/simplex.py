"""Topics on a simplex: RRI with λ on W and constrained rows of H (tsikhanovich2011 §2.5).

A row of H, all else held, has the objective ‖w_t‖²·½‖h − q‖² + constant with q = R_tᵀw_t / ‖w_t‖²: the same
curvature in every direction. So its minimum under any constraint is the point nearest to q, and projecting q
is exact, not the approximation that the thesis takes it for: its counter-example 1000x² + y² is no such
function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.gpu import kernels as gpukernels
from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.engine.rules.hals import Hals
from quire.engine.rules.rule import Start
from quire.places.codec import storable

Projection = Callable[[NDArray[Any]], NDArray[Any]]
CONSTRAINTS = ("simplex", "nnl2", "free")


@storable
@dataclass(frozen=True)
class Rri(Hals):
    """The rule: λ is the l1 penalty on W, in the convention of eq. 2 (the appendix divides it by n)."""

    constraint: str = "simplex"  # on the rows of H: sum ``size``, or length at most ``size``, or none
    size: float = 1.0  # z of the simplex, or the length
    batches = False
    documents_first = True  # as in the thesis's program; which half step comes first decides where W dies

    def scaled(self, scale: float) -> Self:
        """Scale λ and the simplex."""
        return replace(super().scaled(scale), size=self.size / scale)

    def begin(self, X: Matrix, start: Start) -> Start:
        """Project the rows of H (the fifth step of §2.5.2), and fit W's size to them once more."""
        W, H = start
        if self.constraint == "free":
            return start
        H = np.array([self._project(row) for row in H])
        F = {"W": X.factor(W), "H": X.factor(H.T)}
        fit = float(np.trace(X.gram(F["W"], X.product("W", F["H"]))))
        size = float(np.sum(X.gram(F["W"]) * X.gram(F["H"])))
        return (W * W.dtype.type(fit / size) if size > 0 and fit > 0 else W), H

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Sweep the rows of W; set one row of H after the other."""
        if side == "W" or self.constraint == "free":
            return super().update(X, side, factor, other, gram)
        product = X.product(side, other)
        return X.by_topics(factor, product, self.H.added_to(gram), self._project)

    @property
    def _project(self) -> Projection:
        return partial(onto_simplex if self.constraint == "simplex" else onto_ball, size=self.size)


def onto_simplex(q: Any, size: float = 1.0) -> NDArray[Any]:
    """Return the nearest h ≥ 0 with Σh = size (Duchi et al. 2008).

    It is [q − τ]₊ for some τ. Michelot (1986) finds τ without sorting: that of all entries first, then, as
    long as any lies below it, that of the entries above.
    """
    if not isinstance(q, np.ndarray):  # on a GPU, where each decision below would cost a wait
        return np.asarray(gpukernels.onto_simplex(q, size), like=q)
    above = q.astype(np.float64)
    tau = (above.sum() - size) / len(above)
    while True:
        fewer = above[above > tau]
        if len(fewer) in (0, len(above)):  # none where the values drown the size in rounding
            break
        above = fewer
        tau = (above.sum() - size) / len(above)
    h = np.maximum(q - tau, 0)
    return np.asarray(h * (size / h.sum()), q.dtype) if h.any() else _vertex(q, size)


def _vertex(q: NDArray[Any], size: float) -> NDArray[Any]:
    h = np.zeros_like(q)
    h[q.argmax()] = size
    return h


def onto_ball(q: NDArray[Any], size: float = 1.0) -> NDArray[Any]:
    """Return the nearest h ≥ 0 with ‖h‖₂ ≤ size: the positive part, shortened where it is too long."""
    h = np.maximum(q, 0)
    length = float(np.sqrt(np.sum(h.astype(np.float64) ** 2)))
    return np.asarray(h * (size / length), q.dtype, like=q) if length > size else h
