"""Probabilistic latent semantic indexing (Hofmann 1999; ding2008 §5.1) by EM.

X / ΣX ≈ Σ_z P(d|z) P(z) P(w|z), held as W = ΣX · P(d|z) P(z) and H = P(w|z), rows of H summing to 1. An EM
step shares every count out among the topics by P(z|d, w) = w_dz h_zw / (WH)_dw, for both factors at once:

    W_dz ← Σ_w x_dw P(z|d, w),    H_zw ∝ Σ_d x_dw P(z|d, w).

From then on ΣWH = ΣX, so that the Kullback–Leibler divergence is the negative log-likelihood up to a
constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quire.ops.matrix import Factor, Matrix, Progress, Side, Small
from quire.rules.beta import Beta
from quire.rules.rule import Start


@dataclass(frozen=True)
class Em(Beta):
    """The rule.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.reference import ReferenceMatrix
    >>> from quire.rules.plsi import Em
    >>> X = ReferenceMatrix(np.array([[2.0, 4.0], [1.0, 2.0]]))
    >>> W, H = np.ones((2, 1)), np.array([[0.5], [0.5]])
    >>> _ = Em().update(X, "H", H, W, X.gram(W))
    >>> H.round(6).tolist()
    [[0.333333], [0.666667]]
    """

    simultaneous = True

    def begin(self, X: Matrix, start: Start) -> Start:
        """Bring the rows of H to sum 1."""
        W, H = super().begin(X, start)
        sums = H.sum(axis=1, dtype=np.float64)
        sums[sums == 0] = 1
        return (W * sums).astype(W.dtype), (H / sums[:, None]).astype(H.dtype)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Share the counts out; bring P(w|z) to sum 1 again."""
        done = super().update(X, side, factor, other, gram)
        if side == "H":
            sums = X.column_sums(factor)[: len(gram)] * X.scale
            X.scale_topics(factor, np.divide(1.0, sums, out=np.ones_like(sums), where=sums > 0))
        return done
