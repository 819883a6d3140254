"""Alternating non-negative least squares (kim2008 §3): each half step solves its factor exactly.

The rows' problems are solved by block principal pivoting on the k × k Gram matrix (Kim and Park, SIAM Journal
on Scientific Computing 2011), begun from the row's last support.
"""

from __future__ import annotations

from dataclasses import dataclass

from quire.ops.matrix import Factor, Matrix, Progress, Side, Small
from quire.rules.hals import Penalised


@dataclass(frozen=True)
class Anls(Penalised):
    """The rule.

    Parameters
    ----------
    W, H : Penalty
        The penalty on either factor; kim2008's sparse NMF is ``W=Penalty(square=β)``, ``H=Penalty(l2=η)``.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.reference import ReferenceMatrix
    >>> from quire.rules.anls import Anls
    >>> X = ReferenceMatrix(np.array([[2.0, 4.0], [1.0, 2.0]]))
    >>> W, H = np.ones((2, 1)), np.array([[1.0], [2.0]])
    >>> _ = Anls().update(X, "W", W, H, X.gram(H))
    >>> W.tolist()
    [[2.0], [1.0]]
    """

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Solve every row of ``factor``."""
        weight = self.on(side)
        product = X.product(side, other)
        return X.solve_rows(factor, product, weight.added_to(gram), weight.l1, 0.0)
