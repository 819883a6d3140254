"""How many topics."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.singular import leading_vectors

_MOST = 100  # singular values that the elbow looks at
_ROUNDS = 12  # for values whose differences matter
_SHARP = 1.5  # a first elbow where the values fall by so much needs no second


def profile_likelihood(values: NDArray[Any]) -> NDArray[np.float64]:
    """Log-likelihood of cutting sorted values after the first q (q = 1 … m − 1): two normals, one variance.

    Zhu and Ghodsi (2006), as in conroy2023 §2.3.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.choose import profile_likelihood
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


def elbow_topics(X: Any, lowest: int = 2, highest: int | None = None, n_jobs: int | None = None) -> int:
    """Choose a number of topics: the second elbow of X's singular values (conroy2023 §2.3).

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
    >>> from quire.choose import elbow_topics
    >>> elbow_topics(sp.csr_array(np.kron(np.diag([9.0, 5.0, 5.0, 5.0]), np.ones((5, 5)))), 2, 6)
    4
    """
    m = min(max(_MOST, (highest or 0) + 10), min(X.shape) - 1)
    highest = min(highest or m, m)
    if highest <= lowest or m < 4:
        return max(1, min(lowest, int(X.shape[0]), int(X.shape[1])))
    values = leading_vectors(X, m, np.random.RandomState(0), n_jobs, _ROUNDS)[1].astype(np.float64)
    first = int(profile_likelihood(values).argmax()) + 1
    if first > 1 and values[first] * _SHARP <= values[first - 1]:  # topics end here; what is left is noise
        return min(max(first, lowest), highest)
    first = min(first, m - 3, max(highest - 1, 1))
    likelihood = profile_likelihood(values[first:])
    k = first + 1 + np.arange(len(likelihood))
    allowed = (k >= lowest) & (k <= highest)
    return int(k[allowed][likelihood[allowed].argmax()]) if allowed.any() else lowest


def parse_topics(text: int | str) -> tuple[int, int | None] | int:
    """Read ``K``, ``auto`` or ``A:B``; a number, or the lowest and the highest to choose from.

    Examples
    --------
    >>> from quire.choose import parse_topics
    >>> parse_topics("20"), parse_topics("auto"), parse_topics("5:15")
    (20, (2, None), (5, 15))
    """
    said = str(text).strip().lower()
    if said == "auto":
        return 2, None
    number = re.fullmatch(r"\d+", said)
    if number and int(said) >= 1:
        return int(said)
    between = re.fullmatch(r"(\d+):(\d+)", said)
    if between and 1 <= int(between[1]) <= int(between[2]):
        return int(between[1]), int(between[2])
    raise ValueError(
        f"topics={text!r} is no number of topics: use a number such as 20, a range such as 5:30, or auto."
    )
