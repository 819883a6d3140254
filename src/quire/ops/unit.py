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

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.unit import safe_scale
    >>> safe_scale(np.array([0.5, 3.0])), safe_scale(np.array([1e12]))
    (1.0, 1048576.0)
    """
    return scale_of(float(values.max(initial=0)))


def scale_of(largest: float) -> float:
    """Return the same for an X whose largest value is known.

    Examples
    --------
    >>> from quire.ops.unit import scale_of
    >>> scale_of(3.0)
    1.0
    """
    if largest == 0 or 1e-6 <= largest <= 1e6:
        return 1.0
    return 2.0 ** (math.frexp(largest)[1] // 2)


def squared_norm(values: NDArray[Any]) -> float:
    """Σ x² in float64, a piece at a time, so that no large copy is made.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.unit import squared_norm
    >>> squared_norm(np.array([3.0, 4.0]))
    25.0
    """
    piece = 1 << 16
    return math.fsum(
        float(np.square(values[i : i + piece], dtype=np.float64).sum()) for i in range(0, len(values), piece)
    )
