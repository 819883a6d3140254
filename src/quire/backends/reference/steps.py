"""One topic after the other, each over all rows: for constraints that tie a whole topic together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Progress, Small, TopicProjection


def by_topics(P: NDArray[Any], F: NDArray[Any], G: Small, project: TopicProjection) -> Progress:
    """Set each topic in turn to the projection of its unconstrained best, in place; a topic is a row here.

    With all other topics held the objective of topic t is ½ G_tt ‖f − q‖² + constant, where q = f_t + (p_t
    − Σ_s G_ts f_s) / G_tt.
    """
    # So the nearest allowed point to q is its exact minimum (tsikhanovich2011 §2.5.1). A topic with G_tt = 0
    # is projected as it is.
    residual = 0.0
    small = np.asarray(G, F.dtype, like=F)
    for t in range(len(G)):
        best = F[t]
        if G[t, t] > 1e8 * np.finfo(F.dtype).tiny:  # 1 / G_tt must be a number too
            best = F[t] + (P[t] - small[t] @ F) / F.dtype.type(G[t, t])
        new = project(best)
        residual += float(G[t, t]) * float(np.sum((new - F[t]).astype(np.float64) ** 2))
        F[t] = new
    return Progress(float(np.einsum("td,td->", F, P, dtype=np.float64)), residual)
