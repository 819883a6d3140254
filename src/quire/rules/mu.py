"""Multiplicative updates (xu2003 eqs 8 and 9; Lee and Seung 2001): F ← F ∘ P / (F G).

With penalties the denominator is F (G + l2·I + square·eeᵀ) + l1. Each step minimises a quadratic that lies
above the objective and touches it at F: Σ_t d_t f_t² / (2 F_t) − p·f with d the denominator, for which l1·f
is bounded by l1·(f²/F + F)/2. So the objective never rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quire.ops.matrix import Factor, Matrix, Progress, Side, Small
from quire.rules.hals import Penalised
from quire.rules.rule import Start


@dataclass(frozen=True)
class Mu(Penalised):
    """The rule.

    Parameters
    ----------
    W, H : Penalty
        The penalty on either factor.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.reference import ReferenceMatrix
    >>> from quire.rules.mu import Mu
    >>> X = ReferenceMatrix(np.array([[2.0, 4.0], [1.0, 2.0]]))
    >>> W, H = np.ones((2, 1)), np.array([[1.0], [2.0]])
    >>> _ = Mu().update(X, "W", W, H, X.gram(H))
    >>> W.tolist()
    [[2.0], [1.0]]
    """

    documents_first = True
    extrapolates = False  # what extrapolation sets to zero would stay there

    def begin(self, X: Matrix, start: Start) -> Start:
        """Fill a factor of zeros, which would stay zero."""
        return filled(start)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Multiply every row of ``factor``."""
        weight = self.on(side)
        return X.multiply(side, factor, other, weight.added_to(gram), weight.l1)


def filled(start: Start) -> Start:
    """Replace a factor that is all zero by ones: multiplying cannot leave zero.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.rules.mu import filled
    >>> filled((np.zeros((1, 1)), np.full((1, 1), 2.0)))[0].tolist()
    [[1.0]]
    """
    W, H = (F if F.any() else np.broadcast_to(np.ones((1, 1), F.dtype), F.shape) for F in start)
    return W, H
