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

    Parameters
    ----------
    k : int
        Classes, of equal size up to one row.
    seed : int
        Of the random numbers.
    n, d : int
        Rows and dimensions; the paper's by default.

    Examples
    --------
    >>> from quire.reproduce.generated import mixture
    >>> X, classes = mixture(2, seed=0, n=4, d=6)
    >>> X.shape, bool(X.min() >= 0), classes.tolist()
    ((4, 6), True, [0, 1, 0, 1])
    """
    rng = np.random.default_rng(seed)
    means = np.zeros((k, d))
    means[rng.integers(k, size=d), np.arange(d)] = rng.integers(1, 4, size=d)
    classes = np.arange(n) % k
    noise = np.sqrt(_VARIANCE) * rng.standard_normal((n, d)) * (means[classes] > 0)
    return np.maximum(means[classes] + noise, 0), classes
