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

from quire.ops.matrix import Factor, Matrix, Progress, Side, Small
from quire.rules.penalty import Penalty
from quire.rules.rule import Factors, Grams, LeastSquares


@dataclass(frozen=True)
class Penalised(LeastSquares):
    """A rule for least squares with a penalty on either factor.

    Parameters
    ----------
    W, H : Penalty
        The penalty on either factor.

    Examples
    --------
    >>> from quire.rules.hals import Penalised
    >>> from quire.rules.penalty import Penalty
    >>> Penalised(W=Penalty(l1=8.0)).scaled(2.0).W.l1
    1.0
    """

    W: Penalty = field(default_factory=Penalty)
    H: Penalty = field(default_factory=Penalty)

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


@dataclass(frozen=True)
class Hals(Penalised):
    """The rule.

    Parameters
    ----------
    W, H : Penalty
        The penalty on either factor.
    sweeps : int
        At most this many sweeps per product.
    patience : float
        A row is left once a sweep gains at most this share of what its first one did.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.reference import ReferenceMatrix
    >>> from quire.rules.hals import Hals
    >>> X = ReferenceMatrix(np.array([[2.0, 4.0], [1.0, 2.0]]))
    >>> W, H = np.ones((2, 1)), np.array([[1.0], [2.0]])
    >>> _ = Hals().update(X, "W", W, H, X.gram(H))
    >>> W.tolist()
    [[2.0], [1.0]]
    """

    sweeps: int = 6
    patience: float = 0.1

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Sweep every row of ``factor``."""
        weight = self.on(side)
        return X.descend(side, factor, other, weight.added_to(gram), weight.l1, self.sweeps, self.patience)
