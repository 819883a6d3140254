"""The CPU kernels of the mixture: the likeliest topic of every document, and its memberships in all."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.backends.kernels.mixture_simd import log_shares, posterior


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


def share_sums(P: Any, gram: Any, topics: int, total: float, report: Any, places: Any, start: int, stop: int) -> None:
    """Set row r of ``report`` to Σ gram[i, 0] · P[i, t] + ``total`` over the rows i from places[r] to places[r + 1]."""
    for r in range(start, stop):
        for t in range(topics):
            report[r, t] = 0
        for i in range(places[r], places[r + 1]):
            by = gram[i, 0]
            for t in range(topics):
                report[r, t] += by * P[i, t] + total


def share_logs(P: Any, gram: Any, logs: Any, topics: int, total: float, F: Any, start: int, stop: int) -> None:
    """Overwrite rows start:stop of F with log((gram[i, 0] · P[i, t] + ``total``) / logs[t]) / gram[i, 1].

    Column ``topics`` becomes 1 / gram[i, 1], what is behind it 0.
    """
    width = F.shape[1]
    for i in range(start, stop):
        row = i * width
        log_shares(P, row, F, row, logs, topics, gram[i, 0], total, gram[i, 1])
        F[i, topics] = 1 / gram[i, 1]


KERNELS = (best_topics, posteriors, share_sums, share_logs)
