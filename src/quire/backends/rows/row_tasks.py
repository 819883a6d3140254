"""What is done to the rows of a factor that belong to one block, where X itself is not needed.

As in ``rows.block_tasks``, None stands for zeros, and there may be further columns of zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.matrix import Small
from quire.backends.opening import opened


def started(rows: Any, before: Any, beta: float, block: Any, k: int) -> NDArray[Any]:
    """Return where a step begins: rows, carried on from those before; zeros where there are none."""
    if rows is None:
        return np.zeros((block.shape[0], k), block.dtype)
    if not beta:
        return np.asarray(rows)
    before = np.zeros_like(rows) if before is None else before
    both = min(rows.shape[1], before.shape[1])  # further columns are zeros
    rows, before = rows[:, :both], before[:, :both]
    return np.asarray(np.maximum(rows + rows.dtype.type(beta) * (rows - before), 0))


def extrapolated(rows: Any, before: Any, beta: float) -> tuple[Any, None]:
    """Keep [F + beta (F − before)]₊."""
    return (None if rows is None else started(rows, before, beta, None, 0)), None


def stepped(rows: Any, product: NDArray[Any], name: str, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """Change rows of a factor given their products: ``by_rows`` or ``solve_rows`` where X is not needed."""
    with opened(sp.csr_array(np.zeros((1, 1), product.dtype)), 1, "cpu", 1.0) as X:
        F = X.factor(np.zeros_like(product) if rows is None else rows[:, : product.shape[1]])
        said = getattr(X, name)(F, X.factor(product), *arguments)
        return X.array(F, product.shape[1]), (said.inner, said.residual)


def grams(rows: Any, other: Any, k: int) -> tuple[None, Small]:
    """Tell FᵀB."""
    if rows is None or other is None:
        return None, np.zeros((k, k))
    return None, np.asarray(rows[:, :k], np.float64).T @ np.asarray(other[:, :k], np.float64)


def sums(rows: Any, k: int) -> tuple[None, NDArray[np.float64]]:
    """Tell Σ over the rows."""
    return None, np.zeros(k) if rows is None else np.asarray(rows[:, :k]).sum(axis=0, dtype=np.float64)


def scaled(rows: Any, by: NDArray[Any]) -> tuple[Any, None]:
    """Keep F, its columns multiplied."""
    return (None if rows is None else rows[:, : len(by)] * by.astype(rows.dtype)), None


def filled_in(rows: Any, n_rows: int, k: int, dtype: str) -> tuple[NDArray[Any], None]:
    """Keep rows as an array of k columns, also where they are zeros."""
    return (np.zeros((n_rows, k), dtype) if rows is None else np.ascontiguousarray(rows[:, :k])), None
