"""Penalties on a factor, as what they add to its rows' small quadratic problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire.backends.matrix import Factor, Matrix, Small
from quire.places.codec import storable


@storable
@dataclass(frozen=True)
class Penalty:
    """l1·Σ|F| + ½·l2·‖F‖² + ½·square·Σ_i ‖F(i,:)‖₁² on one factor.

    The last is kim2008's (eq. 12): it makes each row sparse, and adds square·eeᵀ to the Gram matrix.
    """

    l1: float = 0.0
    l2: float = 0.0
    square: float = 0.0

    def scaled(self, scale: float, degree: int = 4) -> Penalty:
        """Return the penalty for X / scale² and factors / scale, the whole objective / scale^degree."""
        l1, l2, square = self.l1 * scale, self.l2 * scale * scale, self.square * scale * scale
        for _ in range(degree):  # one by one, as a power may overflow
            l1, l2, square = l1 / scale, l2 / scale, square / scale
        return Penalty(l1, l2, square)

    def added_to(self, gram: Small) -> Small:
        """Return the quadratic part of a row's problem: gram + l2·I + square·eeᵀ."""
        one = np.eye(gram.shape[-1])
        G = gram + self.l2 * one + self.square
        if self.l1 > 0:  # a topic that is empty on the other side costs l1 and explains nothing
            G = np.where(one * (G == 0) > 0, 1.0, G)
        return np.asarray(G)

    def value(self, X: Matrix, factor: Factor, gram: Small) -> float:
        """Return the penalty of ``factor``, whose own Gram matrix is ``gram``; a number for each start."""
        l1: Any = self.l1 * X.column_sums(factor).sum(axis=-1) if self.l1 else 0.0
        trace, whole = np.trace(gram, axis1=-2, axis2=-1), gram.sum(axis=(-2, -1))
        value: Any = l1 + 0.5 * self.l2 * trace + 0.5 * self.square * whole
        return value if np.ndim(value) else float(value)
