"""Posterior probabilistic clustering (ding2008 eqs 4 to 6): every row of W sums to 1.

The exact step solves each row, a least-squares problem on the simplex. The printed one (eq. 5),

    W ← W ∘ (XHᵀ + rowdot(W HHᵀ, W)) / (W HHᵀ + rowdot(XHᵀ, W)), then rows brought to sum 1,

where rowdot is one number a row, need not descend: a row that would rise goes only as far towards the
printed point as its objective falls. Rows on the way sum to 1 as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.engine.rules.hals import Hals
from quire.engine.rules.rule import Start, quotient
from quire.places.codec import storable


@storable
@dataclass(frozen=True)
class Posterior(Hals):
    """Rows of W on the simplex, by exact or by printed steps."""

    exact: bool = True  # solve the rows of W exactly and sweep H; else the printed steps, safeguarded
    total: float = 1.0  # what rows of W sum to
    batches = False

    @property
    def extrapolates(self) -> bool:  # type: ignore[override]
        """The printed steps cannot leave zero."""
        return self.exact

    def scaled(self, scale: float) -> Self:
        """Scale what rows sum to."""
        return replace(super().scaled(scale), total=self.total / scale)

    def begin(self, X: Matrix, start: Start) -> Start:
        """Bring the rows of W to sum 1."""
        W, H = start
        return shares(W, self.total), H

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Improve the posteriors, or the topics."""
        if side == "W":
            return posteriors(X, factor, X.product(side, other), gram, self.total, self.exact)
        if self.exact:
            return super().update(X, side, factor, other, gram)
        return X.multiply(side, factor, other, gram, 0.0)

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Solve every row exactly."""
        return posteriors(X, factor, X.product(side, other), gram, self.total, exact=True)


def posteriors(X: Matrix, factor: Factor, product: Factor, gram: Small, total: float, exact: bool) -> Progress:
    """Improve rows that sum to ``total``, in place."""
    if exact:
        return X.solve_rows(factor, product, gram, 0.0, total)
    G, t = gram.astype(X.dtype), X.dtype.type(total)
    return X.by_rows(factor, product, len(gram), lambda F, P: _printed(F, P, G, t))


def _printed(F: NDArray[Any], P: NDArray[Any], G: NDArray[Any], total: Any) -> tuple[float, float]:
    """Eq. 5 with its safeguard. The curvature along the way to the printed point gives the best length."""
    G = np.asarray(G, like=F)
    quadratic = F @ G
    added = np.einsum("it,it->i", quadratic, F)[:, None], np.einsum("it,it->i", P, F)[:, None]
    denominator = quadratic * total + added[1]
    ratio = quotient(P * total + added[0], denominator, 1)
    way = shares(F * ratio, total) - F
    slope = np.einsum("it,it->i", quadratic - P, way)
    curvature = np.einsum("it,it->i", way @ G, way)
    rises = slope + curvature / 2 > 0
    best = quotient(-slope, curvature, 0)
    length = np.where(rises, np.clip(best, 0, 1), F.dtype.type(1))
    F += length[:, None] * way
    residual = float(np.sum(length**2 * curvature, dtype=np.float64))
    return float(np.einsum("it,it->", F, P, dtype=np.float64)), residual


def shares(F: NDArray[Any], total: float = 1.0) -> NDArray[Any]:
    """Return the rows brought to sum ``total``; a row of zeros is spread evenly."""
    if len(F) > 1 and F.strides[0] == 0:  # one row for all: W that is to be filled takes no memory
        return np.broadcast_to(shares(F[:1], total), F.shape)
    sums = F.sum(axis=1, keepdims=True, dtype=np.float64)
    return quotient(F * total, sums, total / F.shape[1]).astype(F.dtype, copy=False)
