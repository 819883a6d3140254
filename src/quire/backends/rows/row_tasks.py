"""What is done to the rows of a factor that belong to one block, where X itself is not needed.

As in ``rows.block_tasks``, None stands for zeros, and there may be further columns of zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Small
from quire.backends.opening import Holding


def started(rows: Any, block: Any, k: int) -> NDArray[Any]:
    """Return rows of a factor; zeros where there are none."""
    return np.zeros((block.shape[0], k), block.dtype) if rows is None else np.asarray(rows)


def carried_on(X: Matrix, rows: Any, before: Any, beta: float, held: Callable[[Any], Any], k: int) -> Factor:
    """Return [F + beta (F − before)]₊ in the back end's form; what is kept is not changed."""
    old = held(before[:, :k])
    ready = isinstance(old, np.ndarray) and rows.shape == old.shape and rows.flags.writeable
    X.extrapolate(rows if ready else held(rows[:, :k]), old, beta)
    return old


def extrapolated(rows: Any, before: Any, beta: float, holding: Holding) -> tuple[Any, None]:
    """Keep [F + beta (F − before)]₊."""
    if rows is None:
        return None, None
    before = np.zeros_like(rows) if before is None else before
    with holding.without_x(rows.dtype) as X:
        return carried_on(X, rows, before, beta, X.factor, min(rows.shape[1], before.shape[1])), None


def stepped(rows: Any, product: NDArray[Any], name: str, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """Change rows of a factor given their products: ``by_rows`` or ``solve_rows`` where X is not needed."""
    with Holding(1).without_x(product.dtype) as X:
        F = X.factor(np.zeros_like(product) if rows is None else rows[:, : product.shape[1]])
        done = getattr(X, name)(F, X.factor(product), *arguments)
        return X.array(F, product.shape[1]), (done.inner, done.residual)


def gram(rows: Any, k: int, dtype: str, holding: Holding) -> tuple[None, Small]:
    """Tell FᵀF."""
    if rows is None:
        return None, np.zeros((k, k))
    with holding.without_x(dtype) as X:
        return None, X.gram(rows)[:k, :k]


def gram_of_two(rows: Any, other: Any, k: int, dtype: str, holding: Holding) -> tuple[None, Small]:
    """Tell FᵀB."""
    if rows is None or other is None:
        return None, np.zeros((k, k))
    with holding.without_x(dtype) as X:
        F, B = (one if rows.shape[1] == other.shape[1] else X.factor(one[:, :k]) for one in (rows, other))
        return None, X.gram(F, B)[:k, :k]


def sums(rows: Any, k: int) -> tuple[None, NDArray[np.float64]]:
    """Tell Σ over the rows."""
    return None, np.zeros(k) if rows is None else np.asarray(rows[:, :k]).sum(axis=0, dtype=np.float64)


def scaled(rows: Any, by: NDArray[Any]) -> tuple[Any, None]:
    """Keep F, its columns multiplied."""
    return (None if rows is None else rows[:, : len(by)] * by.astype(rows.dtype)), None


def filled_in(rows: Any, n_rows: int, k: int, dtype: str) -> tuple[NDArray[Any], None]:
    """Keep rows as an array of k columns, also where they are zeros."""
    return (np.zeros((n_rows, k), dtype) if rows is None else np.ascontiguousarray(rows[:, :k])), None
