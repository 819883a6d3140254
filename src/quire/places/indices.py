"""Sparse matrices that others made: their indices are checked before compiled code follows them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_NUMBERS = "biufc"  # kinds of values that SciPy's compiled code knows


def as_csr(X: Any, whom: str) -> sp.csr_array:
    """Return X, sparse of any format or dense, as CSR, once its indices were found sound; kernels take it as it is."""
    check_indices(X, whom)
    csr = sp.csr_array(without_rest(X))
    for name in ("data", "indices", "indptr"):
        setattr(csr, name, np.ascontiguousarray(getattr(csr, name)))
    return csr


def without_rest(X: Any) -> Any:
    """Return X, found sound, without the values behind its last row: SciPy passes them over, and nobody else would."""
    if not sp.issparse(X) or X.format not in ("csr", "csc") or len(X.data) == int(X.indptr[-1]):
        return X
    end = int(X.indptr[-1])
    return type(X)((X.data[:end], X.indices[:end], X.indptr), shape=X.shape)


def check_indices(X: Any, whom: str) -> None:
    """Refuse a sparse matrix whose indices lead outside its arrays; a dense one has none.

    Kernels and SciPy's compiled code read and write wherever indices lead. SciPy's own ``check_format`` does not look
    at them where the last row pointer is 0, and an index may be changed after it looked.
    """
    if sp.issparse(X) and not _is_sound(X):
        raise ValueError(
            f"The sparse matrix passed to {whom} is damaged: its indices or row pointers lie outside "
            f"its shape {X.shape}. Make it anew."
        )


def _is_sound(X: Any) -> bool:
    try:
        plain = X.dtype.kind in _NUMBERS and not np.ma.isMaskedArray(getattr(X, "data", None))
        return len(X.shape) == 2 and plain and _CHECKS[X.format](X)
    except (AttributeError, TypeError, ValueError, IndexError, KeyError, OverflowError):  # not what SciPy makes
        return False


def _sound_rows(X: Any) -> bool:
    return _sound_lines(X, *X.shape)


def _sound_columns(X: Any) -> bool:
    return _sound_lines(X, X.shape[1], X.shape[0])


def _sound_blocks(X: Any) -> bool:
    height, width = X.data.shape[1:]
    whole = height > 0 and width > 0 and X.shape[0] % height == X.shape[1] % width == 0
    return whole and _sound_lines(X, X.shape[0] // height, X.shape[1] // width)


def _sound_lines(X: Any, n_lines: int, length: int) -> bool:
    """Look at the pointers to rows (or columns, or rows of blocks), and at the indices that they lead to."""
    pointers, indices = X.indptr, X.indices
    if not (_are_indices(pointers) and _are_indices(indices) and X.data.ndim == (3 if X.format == "bsr" else 1)):
        return False
    if len(pointers) != n_lines + 1 or pointers[0] != 0 or (pointers[1:] < pointers[:-1]).any():
        return False
    end = int(pointers[-1])
    return end <= len(indices) == len(X.data) and _lie_within(indices[:end], length)


def _sound_coordinates(X: Any) -> bool:
    if X.data.ndim != 1 or not all(_are_indices(axis) and len(axis) == len(X.data) for axis in (X.row, X.col)):
        return False
    return _lie_within(X.row, X.shape[0]) and _lie_within(X.col, X.shape[1])


def _sound_diagonals(X: Any) -> bool:
    offsets = X.offsets
    return _are_indices(offsets) and X.data.ndim == 2 and len(np.unique(offsets)) == len(offsets) == len(X.data)


def _sound_lists(X: Any) -> bool:
    if len(X.rows) != X.shape[0] or [len(row) for row in X.rows] != [len(row) for row in X.data]:
        return False
    columns, values = chain.from_iterable(X.rows), chain.from_iterable(X.data)
    return all(_is_within(column, X.shape[1]) for column in columns) and _are_values(values, X.dtype)


def _sound_keys(X: Any) -> bool:
    inside = all(_is_within(row, X.shape[0]) and _is_within(column, X.shape[1]) for row, column in X.keys())  # noqa: SIM118
    return inside and _are_values(X.values(), X.dtype)


_CHECKS = {
    "csr": _sound_rows,
    "csc": _sound_columns,
    "bsr": _sound_blocks,
    "coo": _sound_coordinates,
    "dia": _sound_diagonals,
    "lil": _sound_lists,
    "dok": _sound_keys,
}


def _are_indices(array: Any) -> bool:
    plain = isinstance(array, np.ndarray) and not np.ma.isMaskedArray(array)
    return plain and array.ndim == 1 and array.dtype in (np.int32, np.int64)


def _is_within(index: Any, size: int) -> bool:
    return isinstance(index, int | np.integer) and 0 <= int(index) < size


def _are_values(values: Iterable[Any], dtype: np.dtype[Any]) -> bool:
    """Let NumPy make an array of Python's objects, as SciPy will, and say that all of them are such numbers."""
    return len(np.fromiter(values, dtype)) >= 0


def _lie_within(indices: NDArray[Any], size: int) -> bool:
    return not len(indices) or (int(indices.min()) >= 0 and int(indices.max()) < size)
