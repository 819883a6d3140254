"""Sparse matrices that others made: their indices are checked before compiled code follows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_NUMBERS = "biufc"  # kinds of values that SciPy's compiled code knows


def as_csr(X: Any, whom: str) -> sp.csr_array:
    """Return X, sparse of any format or dense, as CSR, once its indices were found sound."""
    check_indices(X, whom)
    return sp.csr_array(X)


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
        return len(X.shape) == 2 and X.dtype.kind in _NUMBERS and _CHECKS[X.format](X)
    except (AttributeError, TypeError, ValueError, IndexError, KeyError):  # arrays of another sort than SciPy makes
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
    return all(0 <= column < X.shape[1] for row in X.rows for column in row)


def _sound_keys(X: Any) -> bool:
    return all(0 <= row < X.shape[0] and 0 <= column < X.shape[1] for row, column in X.keys())  # noqa: SIM118


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
    return isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype in (np.int32, np.int64)


def _lie_within(indices: NDArray[Any], size: int) -> bool:
    return not len(indices) or (int(indices.min()) >= 0 and int(indices.max()) < size)
