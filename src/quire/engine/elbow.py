"""How many topics, by the singular values of X alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.check import check_given
from quire.engine.singular import leading_vectors
from quire.places.parts import scale_of

_MOST = 100  # singular values that the elbow looks at
_ROUNDS = 12  # for values whose differences matter
_SHARP = 1.5  # a first elbow where the values fall by so much needs no second


@dataclass(frozen=True)
class Elbow:
    """The two elbows of X's singular values (Zhu and Ghodsi 2006, as in conroy2023 §2.3)."""

    k: int  # the number of topics that they say
    first: int  # values before the first elbow, within the range asked for
    second: int  # and before the second
    sharp: bool  # the values fall by a third or more at the first elbow, which then is the number of topics
    values: NDArray[np.float64]  # the singular values, largest first
    first_likelihood: NDArray[np.float64]  # of cutting after 1, 2, … values
    second_likelihood: NDArray[np.float64]  # of cutting after ``start`` + 1, ``start`` + 2, …
    start: int  # how many values the second search leaves out


def profile_likelihood(values: NDArray[Any]) -> NDArray[np.float64]:
    """Log-likelihood of cutting sorted values after the first q (q = 1 … m − 1): two normals, one variance.

    Zhu and Ghodsi (2006), as in conroy2023 §2.3.
    """
    values = np.asarray(values, np.float64)
    m, q = len(values), np.arange(1, len(values))
    sums, squares = np.cumsum(values), np.cumsum(values**2)
    left = squares[:-1] - sums[:-1] ** 2 / q
    right = squares[-1] - squares[:-1] - (sums[-1] - sums[:-1]) ** 2 / (m - q)
    floor = max(float(squares[-1]), 1.0) * 1e-15 if m else 0.0  # equal values: no variance, no infinity
    variance = np.maximum(left + right, floor) / max(m - 2, 1)
    return np.asarray(-0.5 * m * (np.log(2 * np.pi * variance) + 1))


def find_elbows(X: Any, lowest: int = 2, highest: int | None = None, n_jobs: int | None = None) -> Elbow | None:
    """Find the first and the second elbow of X's singular values; None where X has too few of them.

    The first elbow parts off what all documents share; the second, sought among the values after it, parts
    topics from noise. Where the values fall by a third or more at the first elbow, it is that one already.
    """
    X = check_given(X, "elbow_topics")
    m = min(max(_MOST, (highest or 0) + 10), min(X.shape) - 1)
    highest = min(highest or m, m)
    if highest <= lowest or m < 4:
        return None
    values = leading_vectors(X, m, np.random.RandomState(0), n_jobs, _ROUNDS)[1].astype(np.float64)
    near_one = values / scale_of(float(values[0])) ** 2  # whatever the unit of X
    whole = profile_likelihood(near_one)
    first = int(whole.argmax()) + 1
    sharp = first > 1 and bool(values[first] * _SHARP <= values[first - 1])  # what is left is noise
    start = min(first, m - 3, max(highest - 1, 1))
    likelihood = profile_likelihood(near_one[start:])
    k = start + 1 + np.arange(len(likelihood))
    allowed = (k >= lowest) & (k <= highest)
    second = int(k[allowed][likelihood[allowed].argmax()]) if allowed.any() else lowest
    chosen = min(max(first, lowest), highest) if sharp else second
    return Elbow(chosen, first, second, sharp, values, whole, likelihood, start)


def elbow_topics(X: Any, lowest: int = 2, highest: int | None = None, n_jobs: int | None = None) -> int:
    """Choose a number of topics by :func:`find_elbows`; the lowest where X has too few singular values."""
    elbow = find_elbows(X, lowest, highest, n_jobs)
    if elbow is None:
        return max(1, min(lowest, int(X.shape[0]), int(X.shape[1])))
    return elbow.k
