"""The CPU kernels of k-means: points far from each other, chosen one after the other; the nearest centres; sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.backends.kernels.layout import LEAP
from quire.backends.kernels.point_simd import squared_distance
from quire.backends.kernels.simd import axpy

_SURELY = 4.01  # 4, and a little more for what rounding may do


def spread_out(P: Any, gram: Any, order: Any, mapping: Any, out: Any, work: Any) -> None:
    """Choose points, order[0] being given: of some candidates each, drawn by squared distance, the one that is best.

    A line of ``gram`` has the candidates' uniform random numbers. A candidate is nowhere closer than a point's own
    centre (mapping) where that is four times as far from it, in squares, as from the point (the triangle inequality;
    Elkan 2003), so hardly any distances are computed. Rows of ``P`` are points, with zeros up to the vectors' width.
    ``out`` (1 + candidates × points) and ``work`` (2 × at least the points chosen, and the leaps) are to work in.
    """
    n, width, trials = len(P), P.shape[1], gram.shape[1]
    for i in range(n):
        out[0, i] = squared_distance(P, i * width, order[0] * width)
        mapping[i] = 0
    for c in range(1, len(order)):
        total = 0.0
        for i in range(n):
            if i % LEAP == 0:
                work[1, i // LEAP] = total
            total += np.float64(out[0, i])
        best, gained, chosen = 0, -1.0, 0
        for t in range(trials):
            goal = gram[c - 1, t] * total
            leap = (n - 1) // LEAP
            while leap > 0 and work[1, leap] >= goal:
                leap -= 1
            i = leap * LEAP
            reached = work[1, leap] + np.float64(out[0, i])
            while reached < goal and i < n - 1:
                i += 1
                reached += np.float64(out[0, i])
            candidate = i
            for s in range(c):
                work[0, s] = squared_distance(P, candidate * width, order[s] * width)
            gain = 0.0
            for i in range(n):
                least = out[0, i]
                if work[0, mapping[i]] < _SURELY * least:
                    away = squared_distance(P, i * width, candidate * width)
                    if away < least:
                        gain += np.float64(least) - np.float64(away)
                        least = away
                out[1 + t, i] = least
            if gain > gained:
                best, gained, chosen = t, gain, candidate
        order[c] = chosen
        for i in range(n):
            if out[1 + best, i] < out[0, i]:
                out[0, i] = out[1 + best, i]
                mapping[i] = c


def nearest_centres(P: Any, sums: Any, order: Any, out_data: Any, start: int) -> None:
    """Set order[start + i] to the first centre t with the largest P[i, t] − sums[t], and out_data to −2 × that."""
    for i in range(len(P)):
        best, highest = 0, P[i, 0] - sums[0]
        for t in range(1, P.shape[1]):
            score = P[i, t] - sums[t]
            if score > highest:
                best, highest = t, score
        order[start + i] = best
        out_data[start + i] = -2 * highest


def cluster_sums(P: Any, order: Any, blocks: Any, topics: int, width: int, start: int, stop: int) -> None:
    """Add rows start:stop of P up by cluster (order), each ``width`` rows by themselves: in ``topics`` rows of sums."""
    n, one = P.shape[1], P.dtype.type(1)
    for i in range(start, stop):
        axpy(blocks, ((i // width) * topics + order[i]) * n, one, P, i * n, n)


KERNELS = (spread_out, nearest_centres, cluster_sums)
