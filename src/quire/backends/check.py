"""Input checks: what is wrong, in which row and column, and what to do about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from quire.places.indices import as_csr, check_indices, without_rest
from quire.places.parts import Blocks, n_values

_LARGEST = {4: 1e30, 8: 1e152}  # by bytes of a value: float32's squares are summed in float64
_ACCEPTED: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": False}


def check_input(X: Any, estimator: Any, *, reset: bool) -> Any:
    """Return what an estimator is given ready for a back end: scikit-learn's checks and ours.

    Blocks are as their place keeps them: the estimator's ``check_blocks`` refuses them where it must.
    """
    whom = type(estimator).__name__
    if not isinstance(X, Blocks):
        _check_real(X, whom)
        check_indices(X, whom)
        return _checked_values(validate_data(estimator, X, reset=reset, order="C", **_ACCEPTED), whom)
    estimator.check_blocks()
    X = X.as_floats()
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {whom} is expecting {estimator.n_features_in_} features as input."
        )
    sums = np.isfinite(X.row_sums)
    if not sums.all():
        raise ValueError(
            f"Input X passed to {whom} contains NaN or inf, in row {int(np.argmin(sums))}. Replace or drop it first."
        )
    check_largest(X.largest, X.dtype, whom)
    return X


def check_given(X: Any, whom: str) -> Any:
    """Return what a function is given that knows no estimator ready for a back end."""
    if isinstance(X, Blocks):
        return X.as_floats()
    _check_real(X, whom)
    check_indices(X, whom)
    return _checked_values(check_array(X, order="C", **_ACCEPTED), whom)


def as_numbers(X: Any, whom: str, columns: int | None = None) -> Any:
    """Return any finite matrix, of either sign, as CSR or as an array of floats: what a score or a product takes."""
    if sp.issparse(X):
        _check_real(X, whom)
        numbers = as_csr(X, whom)
    else:
        numbers = np.asarray(X)
    if numbers.dtype.kind not in "biuf" or numbers.ndim != 2:
        raise ValueError(f"{whom} takes a matrix of numbers, not {numbers.ndim} axes of {numbers.dtype}.")
    if numbers.dtype not in (np.float32, np.float64):
        numbers = numbers.astype(np.float64)
    if columns is not None and numbers.shape[1] != columns:
        raise ValueError(f"X has {numbers.shape[1]} features, but {whom} is expecting {columns} features as input.")
    if not np.isfinite(numbers.data if sp.issparse(X) else numbers).all():
        raise ValueError(f"Input X passed to {whom} contains NaN or inf. Replace or drop it first.")
    return numbers


def _check_real(X: Any, whom: str) -> None:
    """Refuse complex numbers sooner than scikit-learn does, whose words hold the whole matrix."""
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise ValueError(f"Complex data not supported: give {whom} a matrix of real numbers.")


def check_in_memory(X: Any, sentence: str) -> None:
    """Refuse X in blocks."""
    if isinstance(X, Blocks):
        raise ValueError(sentence)


def check_matrix(X: Any, whom: str) -> Any:
    """Return X ready for a back end: finite, non-negative, no entry twice."""
    check_indices(X, whom)
    return _checked_values(X, whom)


def _checked_values(X: Any, whom: str) -> Any:
    X = without_rest(X)
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return X
    lowest, highest = values.min(), values.max()  # either is NaN where any value is
    if np.isnan(lowest):
        _refuse(X, np.isnan, f"Input X passed to {whom} contains NaN: {{place}}. Replace or drop it first.")
    if np.isinf(lowest) or np.isinf(highest):
        _refuse(X, np.isinf, f"Input X passed to {whom} contains inf: {{place}}. Replace or drop it first.")
    if lowest < 0:
        text = f"Negative values in data passed to {whom}: {{place}}. Every value must be >= 0."
        _refuse(X, lambda v: v < 0, text)
    check_largest(float(highest), X.dtype, whom)
    return X


def check_largest(largest: float, dtype: np.dtype[Any], whom: str) -> None:
    """Refuse an X whose squares, summed up, no number holds."""
    if largest > _LARGEST[dtype.itemsize]:
        raise ValueError(
            f"Input X passed to {whom} holds {largest:.3g}, and sums of squares of values beyond "
            f"{_LARGEST[dtype.itemsize]:.0e} leave the range of {dtype}: divide X by a constant first."
        )


def check_learnt(array: Any, name: str, shape: tuple[int | None, ...] | None = None) -> tuple[int, ...]:
    """Refuse an array that no fit can have left under this name; return its shape."""
    sizes = tuple(np.shape(array))
    fits = shape is None or (
        len(sizes) == len(shape) and all(wanted in (None, size) for wanted, size in zip(shape, sizes))
    )
    numbers = isinstance(array, np.ndarray | np.number | float | int) and np.asarray(array).dtype.kind in "fiu"
    if not (fits and numbers and 0 not in sizes and np.isfinite(array).all()):
        raise ValueError(f"{name} is not what a fit leaves, finite numbers for every topic: fit the model anew.")
    return sizes


def all_zero(X: Any) -> bool:
    """Say whether nothing occurs in a matrix."""
    return not (n_values(X) > 0 and X.max() > 0)


def check_not_all_zero(X: Any, whom: str) -> None:
    """Refuse a matrix in which nothing occurs."""
    if all_zero(X):
        rows, columns = X.shape
        raise ValueError(
            f"All {rows:,} × {columns:,} values passed to {whom} are zero: there is nothing to factorize, "
            "check how X was made."
        )


def check_all_positive(X: Any, whom: str) -> None:
    """Refuse a matrix that holds a zero, and say where."""
    dense = X.toarray() if sp.issparse(X) and X.nnz == X.shape[0] * X.shape[1] else X
    if sp.issparse(dense):
        row = int(np.argmax(np.diff(X.indptr) < X.shape[1]))
        there = X.indices[X.indptr[row] : X.indptr[row + 1]]
        column = int(np.setdiff1d(np.arange(X.shape[1]), there)[0])
    elif (dense == 0).any():
        row, column = divmod(int(np.argmax(dense == 0)), X.shape[1])
    else:
        return
    raise ValueError(
        f"When beta_loss <= 0 and X contains zeros, the solver may diverge: {whom} needs every value to be positive, "
        f"but row {row}, column {column} holds 0.0. Add a small value to X."
    )


def silent_rows(X: Any) -> NDArray[np.bool_]:
    """Say which rows hold nothing but zeros."""
    if sp.issparse(X) and X.format == "csr" and X.data.min(initial=1) > 0:  # then a row with a value is not silent
        return np.asarray(np.diff(X.indptr) == 0)
    return np.asarray(np.asarray(X.sum(axis=1)).ravel() == 0)


def _refuse(X: Any, bad: Any, text: str) -> None:
    """Raise ``text`` with the first bad value's place in it."""
    values = X.data if sp.issparse(X) else X.reshape(-1)
    at = int(np.argmax(bad(values)))
    if sp.issparse(X):
        row, column = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
    else:
        row, column = divmod(at, X.shape[1])
    raise ValueError(text.format(place=f"row {row}, column {column} holds {values[at]}"))
