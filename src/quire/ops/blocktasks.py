"""What is done to one row block of X, wherever it is: tasks for :class:`quire.ops.rowblocks.RowBlocks`.

Factors come and go as plain arrays of rows × k in the unit in which X is held; None stands for zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.ops.matrix import Factor, Matrix, Small
from quire.ops.plain import opened
from quire.ops.products import BLAS_ROWS
from quire.ops.referencelosses import slopes

Sums = tuple[float, float, Any, Small, NDArray[np.float64]]
"""⟨W, XHᵀ⟩, the residual, XᵀW (or None), WᵀW and the column sums of W."""


@dataclass(frozen=True)
class Holding:
    """How a task holds its block.

    Examples
    --------
    >>> from quire.ops.blocktasks import Holding
    >>> Holding().device
    'cpu'
    """

    n_jobs: int | None = None
    device: str = "cpu"
    scale: float = 1.0

    def open(self, block: sp.csr_array) -> Matrix:
        """Return the block in the hands of a back end."""
        return opened(block, self.n_jobs, self.device, self.scale)


@dataclass(frozen=True)
class HalfStep:
    """A step on the rows of W, given H: the operation of a back end, by its name, and its arguments.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.ops.blocktasks import HalfStep, Holding, half_step
    >>> step = HalfStep("descend", np.array([[1.0], [2.0]]), (np.array([[5.0]]), 0.0, 1, 0.0))
    >>> half_step(sp.csr_array([[2.0, 4.0]]), None, None, 0.0, step, Holding(n_jobs=1))[0].tolist()
    [[2.0]]
    """

    name: str
    H: NDArray[Any]
    arguments: tuple[Any, ...]
    crosses: bool = True
    """Whether XᵀW of the new rows is wanted."""

    def apply(self, X: Matrix, F: Factor, H: Factor) -> tuple[float, float]:
        """Change F in place; return what the operation says."""
        if self.name in ("descend", "multiply", "rescale"):
            return getattr(X, self.name)("W", F, H, *self.arguments)  # type: ignore[no-any-return]
        return getattr(X, self.name)(F, X.product("W", H), *self.arguments)  # type: ignore[no-any-return]


def half_step(
    block: sp.csr_array, rows: Any, before: Any, beta: float, step: HalfStep, holding: Holding
) -> tuple[NDArray[Any], Sums]:
    """Update the rows of W that belong to a block, begun at [F + beta (F − before)]₊."""
    k = step.H.shape[1]
    with holding.open(block) as X:
        F, H = _held(X, started(rows, None, 0.0, block, k)), _held(X, step.H)
        if beta and rows is not None:  # by the back end: without the copies that NumPy would make
            old = _held(X, started(before, None, 0.0, block, k))
            X.extrapolate(F, old, beta)
            F = old
        inner, residual = step.apply(X, F, H)
        crossed = _plain(X, X.product("H", F), k) if step.crosses else None
        told = inner, residual, crossed, X.gram(F)[:k, :k], _summed(X, F)[:k]
        return _plain(X, F, k), told


def started(rows: Any, before: Any, beta: float, block: Any, k: int) -> NDArray[Any]:
    """Return where a step begins: rows, carried on from those before; zeros where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.blocktasks import started
    >>> started(np.array([[2.0, 0.0]]), np.array([[1.0, 3.0]]), 0.5, None, 2).tolist()
    [[2.5, 0.0]]
    """
    if rows is None:
        return np.zeros((block.shape[0], k), block.dtype)
    if not beta:
        return np.asarray(rows)
    before = np.zeros_like(rows) if before is None else before
    return np.asarray(np.maximum(rows + rows.dtype.type(beta) * (rows - before), 0))


def crossing(block: sp.csr_array, rows: Any, k: int, holding: Holding) -> tuple[None, NDArray[Any]]:
    """Tell XᵀW."""
    with holding.open(block) as X:
        F = _held(X, started(rows, None, 0.0, block, k))
        return None, _plain(X, X.product("H", F), k)


def multiplied(block: sp.csr_array, H: NDArray[Any], holding: Holding) -> tuple[NDArray[Any], None]:
    """Keep XHᵀ."""
    with holding.open(block) as X:
        return _plain(X, X.product("W", _held(X, H)), H.shape[1]), None


def aiming(
    block: sp.csr_array, rows: Any, H: NDArray[Any], holding: Holding
) -> tuple[None, tuple[NDArray[Any], NDArray[np.float64]]]:
    """Tell H ∘ Σ x / y w, the target of the Kullback–Leibler step on H, and Σ w."""
    k = H.shape[1]
    with holding.open(block) as X:
        W, F = _held(X, started(rows, None, 0.0, block, k)), _held(X, H)
        totals = X.column_sums(W)[:k]
        present = slopes(totals, X.dtype)
        X.rescale("H", F, W, 1, 0.0, 0.0, 1, 0.0)  # without a penalty: the target over Σ w
        return None, (_plain(X, F, k) * present, totals)


def diverging(
    block: sp.csr_array, rows: Any, H: NDArray[Any], beta: int, holding: Holding
) -> tuple[None, float]:
    """Tell the divergence of a block's rows and WH."""
    with holding.open(block) as X:
        W = _held(X, started(rows, None, 0.0, block, H.shape[1]))
        return None, X.divergence(W, _held(X, H), beta)


def squaring(block: sp.csr_array, scale: float) -> tuple[None, list[NDArray[np.float64]]]:
    """Tell ‖x‖² of each row, in the unit of X held."""
    values = np.square(block.data, dtype=np.float64)
    squares = sp.csr_array((values, block.indices, block.indptr), block.shape)
    return None, [np.asarray(squares.sum(axis=1)).ravel() / scale**4]


# -- without X -------------------------------------------------------------------------------------------


def extrapolated(rows: Any, before: Any, beta: float) -> tuple[Any, None]:
    """Keep [F + beta (F − before)]₊."""
    return (None if rows is None else started(rows, before, beta, None, 0)), None


def stepped(rows: Any, product: NDArray[Any], name: str, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """Change rows of a factor given their products: ``by_rows`` or ``solve_rows`` where X is not needed."""
    with opened(sp.csr_array(np.zeros((1, 1), product.dtype)), 1, "cpu", 1.0) as X:
        F = X.factor(np.zeros_like(product) if rows is None else rows)
        said = getattr(X, name)(F, X.factor(product), *arguments)
        return X.array(F, product.shape[1]), (said.inner, said.residual)


def grams(rows: Any, other: Any, k: int) -> tuple[None, Small]:
    """Tell FᵀB."""
    if rows is None or other is None:
        return None, np.zeros((k, k))
    return None, np.asarray(rows, np.float64).T @ np.asarray(other, np.float64)


def sums(rows: Any, k: int) -> tuple[None, NDArray[np.float64]]:
    """Tell Σ over the rows."""
    return None, np.zeros(k) if rows is None else np.asarray(rows).sum(axis=0, dtype=np.float64)


def scaled(rows: Any, by: NDArray[Any]) -> tuple[Any, None]:
    """Keep F, its columns multiplied."""
    return (None if rows is None else rows * by.astype(rows.dtype)), None


def filled_in(rows: Any, n_rows: int, k: int, dtype: str) -> tuple[NDArray[Any], None]:
    """Keep rows as an array, also where they are zeros."""
    return (np.zeros((n_rows, k), dtype) if rows is None else rows), None


def _summed(X: Matrix, factor: Factor) -> NDArray[np.float64]:
    """Σ over the rows; by BLAS, some thousand rows at a time as for WᵀW, in an eighth of the time."""
    if not isinstance(factor, np.ndarray):
        return X.column_sums(factor)
    ones = np.ones((1, BLAS_ROWS), factor.dtype)
    parts = [
        ones[:, : len(rows)] @ rows for rows in np.split(factor, range(BLAS_ROWS, len(factor), BLAS_ROWS))
    ]
    return np.asarray(np.sum(parts, axis=(0, 1), dtype=np.float64))


def _held(X: Matrix, array: NDArray[Any]) -> Factor:
    """Hand over what is in the unit of X held already."""
    return X.factor(array if X.scale == 1 else array * X.dtype.type(X.scale))


def _plain(X: Matrix, factor: Factor, k: int) -> NDArray[Any]:
    array = X.array(factor, k)
    return array if X.scale == 1 else array / X.dtype.type(X.scale)
