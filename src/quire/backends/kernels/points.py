"""The CPU kernel of k-means++: how far points are from a few candidates."""

from __future__ import annotations

from typing import Any


def closer(P: Any, order: Any, inverse: Any, out: Any, start: int, stop: int) -> None:
    """Set out[c, i] to the smaller of point i's squared distance to candidate order[c] and of inverse[i].

    ``P`` has a row per dimension, so that neighbours in a vector are points; four dimensions are added at a time.
    """
    d = P.shape[0]
    whole = d - d % 4
    for c in range(len(order)):
        line, least, at = out[c, start:stop], inverse[start:stop], P[:, order[c]]  # slices: no index is negative
        line[:] = 0
        for j in range(0, whole, 4):
            p, q = P[j, start:stop], P[j + 1, start:stop]
            r, s = P[j + 2, start:stop], P[j + 3, start:stop]
            for i in range(len(line)):
                u, v, x, y = p[i] - at[j], q[i] - at[j + 1], r[i] - at[j + 2], s[i] - at[j + 3]
                line[i] += (u * u + v * v) + (x * x + y * y)
        for j in range(whole, d):
            p = P[j, start:stop]
            for i in range(len(line)):
                u = p[i] - at[j]
                line[i] += u * u
        for i in range(len(line)):
            line[i] = min(line[i], least[i])


KERNELS = (closer,)
