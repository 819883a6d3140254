"""How many topics, by the singular values of X alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.singular import leading_vectors

_MOST = 100  # singular values that the elbow looks at
_ROUNDS = 12  # for values whose differences matter
_SHARP = 1.5  # a first elbow where the values fall by so much needs no second


@dataclass(frozen=True)
class Elbow:
    """The two elbows of X's singular values (Zhu and Ghodsi 2006, as in conroy2023 §2.3).

    Attributes
    ----------
    k : int
        The number of topics that they say.
    first, second : int
        Values before the first elbow, and before the second, within the range asked for.
    sharp : bool
        The values fall by a third or more at the first elbow, which then is the number of topics.
    values : array
        The singular values, largest first.
    first_likelihood, second_likelihood : arrays
        Of cutting after 1, 2, … values; of cutting after ``start`` + 1, ``start`` + 2, … .
    start : int
        How many values the second search leaves out.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.choosing.elbow import find_elbows
    >>> found = find_elbows(sp.csr_array(np.kron(np.diag([9.0, 5.0, 5.0, 5.0]), np.ones((5, 5)))), 2, 6)
    >>> found.k, found.sharp
    (4, True)
    """

    k: int
    first: int
    second: int
    sharp: bool
    values: NDArray[np.float64]
    first_likelihood: NDArray[np.float64]
    second_likelihood: NDArray[np.float64]
    start: int


def profile_likelihood(values: NDArray[Any]) -> NDArray[np.float64]:
    """Log-likelihood of cutting sorted values after the first q (q = 1 … m − 1): two normals, one variance.

    Zhu and Ghodsi (2006), as in conroy2023 §2.3.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.choosing.elbow import profile_likelihood
    >>> int(profile_likelihood(np.array([9.0, 8.9, 8.8, 1.0, 0.9, 0.8])).argmax()) + 1
    3
    """
    values = np.asarray(values, np.float64)
    m, q = len(values), np.arange(1, len(values))
    sums, squares = np.cumsum(values), np.cumsum(values**2)
    left = squares[:-1] - sums[:-1] ** 2 / q
    right = squares[-1] - squares[:-1] - (sums[-1] - sums[:-1]) ** 2 / (m - q)
    floor = max(float(squares[-1]), 1.0) * 1e-15 if m else 0.0  # equal values: no variance, no infinity
    variance = np.maximum(left + right, floor) / max(m - 2, 1)
    return np.asarray(-0.5 * m * (np.log(2 * np.pi * variance) + 1))


def find_elbows(
    X: Any, lowest: int = 2, highest: int | None = None, n_jobs: int | None = None
) -> Elbow | None:
    """Find the first and the second elbow of X's singular values; None where X has too few of them.

    The first elbow parts off what all documents share; the second, sought among the values after it, parts
    topics from noise. Where the values fall by a third or more at the first elbow, it is that one already.

    Parameters
    ----------
    X : sparse matrix
        Weighted counts.
    lowest, highest : int
        The range to choose from.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.choosing.elbow import find_elbows
    >>> found = find_elbows(sp.csr_array(np.kron(np.diag([9.0, 5.0, 5.0, 5.0]), np.ones((5, 5)))), 2, 6)
    >>> found.first, len(found.values) - 1 == len(found.first_likelihood)
    (4, True)
    """
    m = min(max(_MOST, (highest or 0) + 10), min(X.shape) - 1)
    highest = min(highest or m, m)
    if highest <= lowest or m < 4:
        return None
    values = leading_vectors(X, m, np.random.RandomState(0), n_jobs, _ROUNDS)[1].astype(np.float64)
    whole = profile_likelihood(values)
    first = int(whole.argmax()) + 1
    sharp = first > 1 and bool(values[first] * _SHARP <= values[first - 1])  # what is left is noise
    start = min(first, m - 3, max(highest - 1, 1))
    likelihood = profile_likelihood(values[start:])
    k = start + 1 + np.arange(len(likelihood))
    allowed = (k >= lowest) & (k <= highest)
    second = int(k[allowed][likelihood[allowed].argmax()]) if allowed.any() else lowest
    chosen = min(max(first, lowest), highest) if sharp else second
    return Elbow(chosen, first, second, sharp, values, whole, likelihood, start)


def elbow_topics(X: Any, lowest: int = 2, highest: int | None = None, n_jobs: int | None = None) -> int:
    """Choose a number of topics by :func:`find_elbows`; the lowest where X has too few singular values.

    Parameters
    ----------
    X, lowest, highest, n_jobs
        As for :func:`find_elbows`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.choosing.elbow import elbow_topics
    >>> elbow_topics(sp.csr_array(np.kron(np.diag([9.0, 5.0, 5.0, 5.0]), np.ones((5, 5)))), 2, 6)
    4
    """
    found = find_elbows(X, lowest, highest, n_jobs)
    if found is None:
        return max(1, min(lowest, int(X.shape[0]), int(X.shape[1])))
    return found.k
