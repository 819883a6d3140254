"""The CPU kernels of the mixture: the likeliest topic of every document, and its memberships in all."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.backends.kernels.mixture_simd import posterior


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


def posteriors(
    P: Any, F: Any, gram: Any, logs: Any, topics: int, total: float, work: Any, report: Any, start: int, stop: int
) -> None:  # fmt: skip
    """Overwrite rows start:stop of F with memberships, and column ``topics`` with who takes part.

    Scores are (gram[i, 0] · P[i, t] + gram[i, 1] · logs[t]) · total; a row's memberships sum to gram[i, 2]. ``report``
    gets the highest score, the sum of all e^(score − highest), and how much moved.
    """
    width = F.shape[1]
    for i in range(start, stop):
        row = i * width
        posterior(P, row, F, row, logs, topics, gram[i, 0], gram[i, 1], total, gram[i, 2], work, report, 3 * i)
        F[i, topics] = 1 if gram[i, 2] > 0 else 0


KERNELS = (best_topics, posteriors)
