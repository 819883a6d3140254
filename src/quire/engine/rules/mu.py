"""Multiplicative updates (xu2003 eqs 8 and 9; Lee and Seung 2001): F ← F ∘ P / (F G).

With penalties the denominator is F (G + l2·I + square·eeᵀ) + l1. Each step minimises a quadratic that lies
above the objective and touches it at F: Σ_t d_t f_t² / (2 F_t) − p·f with d the denominator, for which l1·f
is bounded by l1·(f²/F + F)/2. So the objective never rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.engine.rules.hals import Penalised
from quire.engine.rules.rule import Start
from quire.places.codec import storable


@storable
@dataclass(frozen=True)
class Mu(Penalised):
    """Multiplicative updates of the squared error."""

    documents_first = True
    batches = True
    extrapolates = False  # what extrapolation sets to zero would stay there

    def begin(self, X: Matrix, start: Start) -> Start:
        """Fill a factor of zeros, which would stay zero."""
        return filled(start)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Multiply every row of ``factor``."""
        weight = self.on(side)
        return X.multiply(side, factor, other, weight.added_to(gram), weight.l1)


def filled(start: Start) -> Start:
    """Replace a factor that is all zero by ones: multiplying cannot leave zero."""
    W, H = (F if F.any() else np.broadcast_to(np.ones((1, 1), F.dtype), F.shape) for F in start)
    return W, H
