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
from quire.engine.rules.penalty import Penalty
from quire.engine.rules.rule import Factors, Grams, LeastSquares
from quire.places.codec import storable


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
        """Sweep every row until a sweep gains next to nothing; each row stops by itself."""
        patience = 1e-8 if X.dtype == np.float32 else 1e-14
        weight = self.on(side)
        return X.descend(side, factor, other, weight.added_to(gram), weight.l1, 1000, patience)


@storable
@dataclass(frozen=True)
class Hals(Penalised):
    """Sweeps of coordinate descent over the rows of a factor."""

    sweeps: int = 6  # at most this many sweeps per product
    patience: float = 0.1  # A row is left once a sweep gains at most this share of what its first one did
    batches = True

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Sweep every row of ``factor``."""
        weight = self.on(side)
        return X.descend(side, factor, other, weight.added_to(gram), weight.l1, self.sweeps, self.patience)


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
