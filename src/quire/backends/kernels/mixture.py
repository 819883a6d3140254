"""The CPU kernel of the mixture: the likeliest topic of every document."""

from __future__ import annotations

from typing import Any

import numpy as np


def best_topics(P: Any, gram: Any, sums: Any, mapping: Any, start: int, stop: int) -> None:
    """Set mapping[i] to the first topic t with the largest gram[i, 0] · P[i, t] + gram[i, 1] · sums[t]."""
    for i in range(start, stop):
        by, of_size = gram[i, 0], gram[i, 1]
        best, highest = 0, -np.inf
        for t in range(len(sums)):
            score = by * P[i, t] + of_size * sums[t]
            if score > highest:
                best, highest = t, score
        mapping[i] = best


KERNELS = (best_topics,)
