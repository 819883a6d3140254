"""Data that is generated as the papers describe it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_VARIANCE = 0.3


def mixture(k: int, seed: int, n: int = 1000, d: int = 500) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Make kim2008's mixture of Gaussians (§4.2): rows, and the class of each.

    Every dimension belongs to one of the k classes, whose mean there is 1, 2 or 3; a row varies (with
    variance 0.3) in the dimensions of its class only, and negative values become 0.
    """
    rng = np.random.default_rng(seed)
    means = np.zeros((k, d))
    means[rng.integers(k, size=d), np.arange(d)] = rng.integers(1, 4, size=d)
    classes = np.arange(n) % k
    noise = np.sqrt(_VARIANCE) * rng.standard_normal((n, d)) * (means[classes] > 0)
    return np.maximum(means[classes] + noise, 0), classes
