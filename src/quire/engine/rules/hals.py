"""Hierarchical alternating least squares, also called RRI (tsikhanovich2011 eq. 2).

For fixed H every row of W is a small problem of its own,

    min over w ≥ 0 of  ½ w (HHᵀ + l2·I) wᵀ − (XHᵀ)_i · w + l1·Σ_t w_t,

and one sweep of coordinate descent solves it exactly in one topic after the other. The product XHᵀ costs
far more than a sweep, so a row is swept several times per product, until that stops paying (accelerated
HALS: Gillis and Glineur, Neural Computation 2012).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.engine.rules.rule import Factors, Grams, LeastSquares, Penalty
from quire.places.codec import storable

_ALIKE = 200.0  # condition of the topics from which coordinate descent is slower than exact solutions
_FEW, _MOST = 20, 400  # sweeps of a solution: before exact ones, and without them
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Penalised(LeastSquares):
    """A rule for least squares with a penalty on either factor."""

    W: Penalty = field(default_factory=Penalty)  # the penalty on either factor
    H: Penalty = field(default_factory=Penalty)  # the penalty on either factor

    def scaled(self, scale: float) -> Self:
        """Scale the penalties."""
        return replace(self, W=self.W.scaled(scale, self.degree), H=self.H.scaled(scale, self.degree))

    def on(self, side: Side) -> Penalty:
        """Return the penalty on the factor of one side."""
        return self.W if side == "W" else self.H

    def penalty(self, X: Matrix, factors: Factors, grams: Grams) -> float:
        """Sum both penalties."""
        return sum(self.on(side).value(X, factors[side], grams[side]) for side in factors)

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Sweep every row until a sweep gains next to nothing; each row stops by itself.

        That is 1e-8 (float64: 1e-14) of what its first sweep gained: about ten sweeps, 400 at the most. On twelve
        fits of six corpora a weight was off by 1e-4 (1e-7) of the row's largest in most of them, by 3e-3 (3e-6) at
        worst; by 1e-2 on topics that were made to be nearly alike.

        Where topics are so much alike that this takes hundreds of sweeps, rows are solved exactly after a few
        of them. That depends on the topics alone, so that a row comes out the same in any company.
        """
        patience = 1e-8 if X.dtype == np.float32 else 1e-14
        weight = self.on(side)
        G = weight.added_to(gram)
        alike = condition(G) > _ALIKE
        done = X.descend(side, factor, other, G, weight.l1, _FEW if alike else _MOST, patience)
        return X.solve_rows(factor, X.product(side, other), G, weight.l1, 0.0) if alike else done


def condition(G: Small) -> float:
    """Return how much alike topics are: the condition of G with a diagonal of 1, without empty topics."""
    sizes = np.sqrt(np.diagonal(G, axis1=-2, axis2=-1))
    over = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    scaled = G * over[..., :, None] * over[..., None, :] + np.eye(G.shape[-1]) * (over == 0)[..., None]
    if not np.isfinite(scaled).all():
        return np.inf
    values = np.linalg.eigvalsh(scaled)
    return float((values[..., -1] / np.maximum(values[..., 0], _ROUNDING)).max())


@storable
@dataclass(frozen=True)
class Hals(Penalised):
    """Sweeps of coordinate descent over the rows of a factor."""

    sweeps: int = 6  # at most this many sweeps per product
    patience: float = 0.1  # A row is left once a sweep gains at most this share of what its first one did
    batches = True

    @property
    def opening(self) -> Hals:  # type: ignore[override]
        """One sweep per product."""
        return replace(self, sweeps=1)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Sweep every row of ``factor``; a topic that is empty on the other side is left alone, and may come back."""
        weight = self.on(side)
        return X.descend(side, factor, other, weight.curved(gram), weight.l1, self.sweeps, self.patience)


@storable
@dataclass(frozen=True)
class Anls(Penalised):
    """Every row of a factor solved to the end."""

    batches = True

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Solve every row of ``factor``."""
        weight = self.on(side)
        product = X.product(side, other)
        return X.solve_rows(factor, product, weight.added_to(gram), weight.l1, 0.0)
