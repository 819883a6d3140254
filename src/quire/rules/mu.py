"""Multiplicative updates (xu2003 eqs 8 and 9; Lee and Seung 2001): F ← F ∘ P / (F G).

With penalties the denominator is F (G + l2·I + square·eeᵀ) + l1. Each step minimises a quadratic that lies
above the objective and touches it at F: Σ_t d_t f_t² / (2 F_t) − p·f with d the denominator, for which l1·f
is bounded by l1·(f²/F + F)/2. So the objective never rises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    extrapolates = False  # what extrapolation sets to zero would stay there

    def begin(self, X: Matrix, start: Start) -> Start:
        """Fill a factor of zeros, which would stay zero."""
        return filled(start)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Multiply every row of ``factor``."""
        weight = self.on(side)
        G, l1 = weight.added_to(gram).astype(X.dtype), X.dtype.type(weight.l1)
        return X.by_rows(factor, X.product(side, other), len(gram), lambda F, P: multiplied(F, P, G, l1))


def multiplied(
    F: NDArray[Any], P: NDArray[Any], G: NDArray[Any], l1: float = 0.0, left: NDArray[Any] | None = None
) -> tuple[float, float]:
    """Multiply F by P / (left F G + l1) in place; a denominator of 0 leaves an entry as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.rules.mu import multiplied
    >>> F = np.array([[1.0, 0.0]])
    >>> multiplied(F, np.array([[3.0, 1.0]]), np.diag([2.0, 0.0])), F.tolist()
    ((4.5, 0.5), [[1.5, 0.0]])
    """
    denominator = F @ G if left is None else left @ F @ G
    denominator += l1
    old = F.copy()
    np.multiply(F, P, out=F, where=denominator > 0)  # first, for P / denominator may overflow
    np.divide(F, denominator, out=F, where=denominator > 0)
    old -= F
    denominator -= P
    residual = float(np.einsum("it,it->", old, denominator, dtype=np.float64))  # Σ denominator δ² / F
    return float(np.einsum("it,it->", F, P, dtype=np.float64)), max(residual, 0.0)


def filled(start: Start) -> Start:
    """Replace a factor that is all zero by ones: multiplying cannot leave zero.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.rules.mu import filled
    >>> filled((np.zeros((1, 1)), np.full((1, 1), 2.0)))[0].tolist()
    [[1.0]]
    """
    W, H = (F if F.any() else np.ones_like(F) for F in start)
    return W, H
