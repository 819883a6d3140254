"""What is done to one row block of X, wherever it is: tasks for ``RowBlocks``.

Factors come and go as plain arrays of rows × k in the unit in which X is held, perhaps with further columns
of zeros; None stands for zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.kernels.layout import WIDTH
from quire.backends.matrix import Factor, Matrix, Small
from quire.backends.opening import Holding
from quire.backends.reference.losses import slopes
from quire.backends.rows.row_tasks import carried_on, started

Sums = tuple[float, float, Any, Small]
"""⟨W, XHᵀ⟩, the residual, XᵀW (or None) and WᵀW, or what else a step wants told."""


@dataclass(frozen=True)
class HalfStep:
    """A step on the rows of W, given H: the operation of a back end, by its name, and its arguments."""

    name: str
    H: NDArray[Any]
    arguments: tuple[Any, ...]
    crosses: bool = True
    """Whether XᵀW of the new rows is wanted."""
    tells: str = "gram"
    """What else: their Gram matrix, or their ``sums``."""

    def held(self, X: Matrix) -> Factor:
        """Return H in the back end's form: made once for all blocks of a task, so that it stays in cache."""
        cached, kind = self.__dict__.get("_held"), (type(X), X.scale)
        if cached is None or cached[0] != kind:  # a block without values is on the CPU where others are not
            cached = kind, _held(X, self.H)
            if isinstance(cached[1], np.ndarray):
                object.__setattr__(self, "_held", cached)  # what is frozen is only never seen to change
        return cached[1]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_held"}

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
        F, H = _begun(X, rows, before, beta, block, k), step.held(X)
        inner, residual = step.apply(X, F, H)
        crossed = _crossed(X, F, k) if step.crosses else None
        told = X.gram(F)[:k, :k] if step.tells == "gram" else X.column_sums(F)[:k]
        sums = inner, residual, crossed, told
        return (F if isinstance(F, np.ndarray) else _plain(X, F, k)), sums


def _begun(X: Matrix, rows: Any, before: Any, beta: float, block: Any, k: int) -> Factor:
    """Return [F + beta (F − before)]₊ in the back end's form, ours to change."""
    if not beta or rows is None:
        return _held(X, started(rows, block, k)[:, :k])
    return carried_on(X, rows, started(before, block, k), beta, partial(_held, X), k)


def _crossed(X: Matrix, F: Factor, k: int) -> NDArray[Any]:
    """Return XᵀW with the padding that kernels on H want, whichever device a block is on."""
    product = X.product("H", F)
    if isinstance(product, np.ndarray):
        return product
    return np.pad(_plain(X, product, k), ((0, 0), (0, -k % WIDTH)))


def crossing(block: sp.csr_array, rows: Any, k: int, holding: Holding) -> tuple[None, NDArray[Any]]:
    """Tell XᵀW."""
    with holding.open(block) as X:
        F = _held(X, started(rows, block, k)[:, :k])
        return None, _crossed(X, F, k)


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
        W, F = _held(X, started(rows, block, k)[:, :k]), _held(X, H)
        totals = X.column_sums(W)[:k]
        present = slopes(totals, X.dtype)
        X.rescale("H", F, W, 1, 0.0, 0.0, 1, 0.0)  # without a penalty: the target over Σ w
        return None, (_plain(X, F, k) * present, totals)


def diverging(block: sp.csr_array, rows: Any, H: NDArray[Any], beta: float, holding: Holding) -> tuple[None, float]:
    """Tell the divergence of a block's rows and WH."""
    with holding.open(block) as X:
        W = _held(X, started(rows, block, H.shape[1])[:, : H.shape[1]])
        return None, X.divergence(W, _held(X, H), beta)


def squaring(block: sp.csr_array, scale: float) -> tuple[None, list[NDArray[np.float64]]]:
    """Tell ‖x‖² of each row, in the unit of X held."""
    values = np.square(block.data.astype(np.float64, copy=False) / scale / scale)
    squares = sp.csr_array((values, block.indices, block.indptr), block.shape)
    return None, [np.asarray(squares.sum(axis=1)).ravel()]


def _held(X: Matrix, array: NDArray[Any]) -> Factor:
    """Hand over what is in the unit of X held already."""
    return X.factor(array if X.scale == 1 else array * X.dtype.type(X.scale))


def _plain(X: Matrix, factor: Factor, k: int) -> NDArray[Any]:
    """Return a factor as an array, in the unit of X held; not copied where it is one."""
    if isinstance(factor, np.ndarray):
        return factor[:, :k]
    array = X.array(factor, k)
    return array if X.scale == 1 else array / X.dtype.type(X.scale)
