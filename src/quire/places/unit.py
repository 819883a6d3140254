"""The unit in which a back end holds X, and the size of X."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def safe_scale(values: NDArray[Any]) -> float:
    """Return the power of two whose square brings X near 1, or 1 where X is near enough already.

    Squares and products of X must neither overflow nor fall into the slow subnormal numbers. A power of
    two changes no digit.
    """
    return scale_of(float(values.max(initial=0)))


def scale_of(largest: float) -> float:
    """Return the same for an X whose largest value is known."""
    if largest == 0 or 1e-6 <= largest <= 1e6:
        return 1.0
    return 2.0 ** (math.frexp(largest)[1] // 2)


def squared_norm(values: NDArray[Any]) -> float:
    """Σ x² in float64, a piece at a time, so that no large copy is made."""
    piece = 1 << 16
    return math.fsum(
        float(np.square(values[i : i + piece], dtype=np.float64).sum()) for i in range(0, len(values), piece)
    )
