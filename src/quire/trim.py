"""Which terms to keep, by how often they occur."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def common_threshold(totals: NDArray[Any]) -> float:
    """Return the total above which a term is common (conroy2023 §2.2 step 2).

    Every threshold splits the totals into two populations; a normal is fitted to each by its first two
    moments, and the threshold of the largest total log-likelihood wins. It is the *distinct* totals that are
    split, with at least 3 on either side: over the list of all totals the many that are 1 have no variance,
    the likelihood has no bound, and half of the vocabulary goes.

    Parameters
    ----------
    totals : array
        How often each term occurs.

    Returns
    -------
    float
        Terms that occur more often are common; infinity where there are too few totals to tell.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.trim import common_threshold
    >>> common_threshold(np.array([1, 1, 1, 2, 3, 4, 5, 900, 1000, 1100]))
    5.0
    """
    values = np.unique(np.asarray(totals, np.float64))
    values = values[values > 0]
    m = len(values)
    if m < 6:
        return float("inf")
    below = np.arange(3, m - 2)
    likelihood = _normal_likelihood(values, below) + _normal_likelihood(values[::-1], m - below)
    return float(values[below[np.argmax(likelihood)] - 1])


def _normal_likelihood(values: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Log-likelihood of the first ``count`` values under the normal with their mean and variance."""
    shifted = values - values[0]  # the first values may be nearly equal and far from zero
    sums, squares = np.cumsum(shifted)[counts - 1], np.cumsum(shifted**2)[counts - 1]
    variance = np.maximum(squares / counts - (sums / counts) ** 2, np.finfo(np.float64).tiny)
    return np.asarray(-0.5 * counts * (np.log(2 * np.pi * variance) + 1))


def most_frequent(totals: NDArray[Any], share: float) -> NDArray[np.bool_]:
    """Mark the most frequent terms that make up this share of all counts (conroy2023 §2.2 step 3).

    Terms that occur as often as the last one needed are kept too, so that the order of terms does not matter.

    Parameters
    ----------
    totals : array
        How often each term occurs.
    share : float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.trim import most_frequent
    >>> most_frequent(np.array([90, 1, 8, 1]), 0.97).tolist()
    [True, False, True, False]
    """
    totals = np.asarray(totals)
    ordered = np.sort(totals)[::-1]
    reached = np.cumsum(ordered, dtype=np.float64)
    if not len(totals) or reached[-1] == 0:
        return np.zeros(len(totals), bool)
    needed = int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12)))
    return np.asarray((totals >= ordered[min(needed, len(ordered) - 1)]) & (totals > 0))
