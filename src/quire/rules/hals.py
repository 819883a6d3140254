"""Hierarchical alternating least squares, also called RRI (tsikhanovich2011 eq. 2).

For fixed H every row of W is a small problem of its own,

    min over w ≥ 0 of  ½ w (HHᵀ + l2·I) wᵀ − (XHᵀ)_i · w + l1·Σ_t w_t,

and one sweep of coordinate descent solves it exactly in one topic after the other. The product XHᵀ costs
far more than a sweep, so a row is swept several times per product, until that stops paying (accelerated
HALS: Gillis and Glineur, Neural Computation 2012).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from quire.ops.matrix import Factor, Matrix, Progress, Side, Small


@dataclass(frozen=True)
class Penalty:
    """l1·Σ|F| + ½·l2·‖F‖² on one factor.

    Examples
    --------
    >>> from quire.rules.hals import Penalty
    >>> Penalty(l1=0.5)
    Penalty(l1=0.5, l2=0.0)
    """

    l1: float = 0.0
    l2: float = 0.0

    def scaled(self, scale: float) -> Penalty:
        """Return the penalty for X / scale² and factors / scale, the whole objective / scale⁴.

        Examples
        --------
        >>> from quire.rules.hals import Penalty
        >>> Penalty(8.0, 4.0).scaled(2.0)
        Penalty(l1=1.0, l2=1.0)
        """
        return Penalty(self.l1 / scale / scale / scale, self.l2 / scale / scale)


@dataclass(frozen=True)
class Hals:
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

    W: Penalty = field(default_factory=Penalty)
    H: Penalty = field(default_factory=Penalty)
    sweeps: int = 6
    patience: float = 0.1
    extrapolates = True

    def scaled(self, scale: float) -> Hals:
        """Scale the penalties."""
        return replace(self, W=self.W.scaled(scale), H=self.H.scaled(scale))

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Sweep every row of ``factor``."""
        return self._descend(X, side, factor, other, gram, self.sweeps, self.patience)

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Sweep every row until a sweep gains next to nothing; each row stops by itself."""
        patience = 1e-8 if X.dtype == np.float32 else 1e-14
        return self._descend(X, side, factor, other, gram, 1000, patience)

    def penalty(self, X: Matrix, side: Side, factor: Factor, gram: Small) -> float:
        """l1·Σ|F| + ½·l2·‖F‖²."""
        weight: Penalty = getattr(self, side)
        l1 = weight.l1 * float(X.column_sums(factor).sum()) if weight.l1 else 0.0
        return l1 + 0.5 * weight.l2 * float(np.trace(gram))

    def _descend(
        self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small, sweeps: int, patience: float
    ) -> Progress:
        weight: Penalty = getattr(self, side)
        G = gram + weight.l2 * np.eye(len(gram))
        if weight.l1 > 0:  # a topic that is empty on the other side costs l1 and explains nothing
            empty = np.flatnonzero(np.diag(G) == 0)
            G[empty, empty] = 1.0
        return X.descend(side, factor, other, G, weight.l1, sweeps, patience)
