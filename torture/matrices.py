"""Matrices that nobody would fit on purpose, each a function of a generator and a dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

Rng = np.random.Generator
Maker = Callable[[Rng, str], Any]


def _plain(rng: Rng, dtype: str, n: int = 40, d: int = 25, density: float = 0.3) -> sp.csr_array:
    values = rng.gamma(2.0, 1.0, (n, d)) * (rng.random((n, d)) < density)
    return sp.csr_array(values.astype(dtype))


def _scaled(factor: float) -> Maker:
    def make(rng: Rng, dtype: str) -> Any:
        X = _plain(rng, "f8")
        X.data = X.data / X.data.max() * factor
        return X.astype(dtype) if dtype == "f8" or factor < 3e38 else X

    return make


def _mixed(rng: Rng, dtype: str) -> Any:
    X = _plain(rng, "f8")
    X.data = 10.0 ** rng.uniform(-300, 300, len(X.data))
    return X


def _with(value: float) -> Maker:
    def make(rng: Rng, dtype: str) -> Any:
        X = _plain(rng, dtype)
        X.data[rng.integers(len(X.data))] = value
        return X

    return make


def _damaged(change: Callable[[Rng, Any], None]) -> Maker:
    def make(rng: Rng, dtype: str) -> Any:
        X = _plain(rng, dtype)
        change(rng, X)
        return X

    return make


def _set(name: str, where: int | None, value: int) -> Callable[[Rng, Any], None]:
    def change(rng: Rng, X: Any) -> None:
        array = getattr(X, name)
        array[rng.integers(len(array)) if where is None else where] = value

    return change


def _pointers(rng: Rng, X: Any) -> None:
    X.indptr = np.array([0, 7, *[0] * (X.shape[0] - 1)], X.indptr.dtype)


def _shuffled(rng: Rng, X: Any) -> None:
    rng.shuffle(X.indptr)


def _cut(rng: Rng, X: Any) -> None:
    X.data = X.data[: len(X.data) // 2]


def _emptied(rng: Rng, X: Any) -> None:
    X.indptr[:] = 0  # and yet there are values


def _longer(rng: Rng, X: Any) -> None:
    X.data = np.append(X.data, np.array([np.nan, -1, 1e30], X.data.dtype))
    X.indices = np.append(X.indices, np.zeros(3, X.indices.dtype))


def _masked(rng: Rng, X: Any) -> None:
    X.data = np.ma.masked_array(X.data)


def _unsorted(rng: Rng, X: Any) -> None:
    X.indices[:] = X.indices[::-1].copy()
    X.has_sorted_indices = False


def _rows(n: int, d: int) -> Maker:
    return lambda rng, dtype: sp.csr_array(rng.random((n, d)).astype(dtype))


def _long(rng: Rng, dtype: str) -> Any:
    X = _plain(rng, dtype)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


MATRICES: dict[str, Maker] = {
    "plain": _plain,
    "nothing": lambda rng, dtype: sp.csr_array((20, 10), dtype=dtype),
    "one value": lambda rng, dtype: sp.csr_array(([1.0], ([3], [4])), shape=(20, 10), dtype=dtype),
    "explicit zeros": lambda rng, dtype: sp.csr_array((np.zeros(5, dtype), (range(5), range(5))), shape=(9, 9)),
    "no rows": _rows(0, 5),
    "no columns": _rows(5, 0),
    "one by one": _rows(1, 1),
    "one row": _rows(1, 9),
    "one column": _rows(9, 1),
    "two rows": _rows(2, 3),
    "same rows": lambda rng, dtype: sp.csr_array(np.tile(rng.random(12), (30, 1)).astype(dtype)),
    "rank one": lambda rng, dtype: sp.csr_array(np.outer(rng.random(30), rng.random(20)).astype(dtype)),
    "constant": lambda rng, dtype: sp.csr_array(np.full((20, 12), 3.0, dtype)),
    "unit": lambda rng, dtype: sp.csr_array(np.eye(25, dtype=dtype)),
    "mostly empty": lambda rng, dtype: _plain(rng, dtype, 60, 40, 0.01),
    "wide": lambda rng, dtype: _plain(rng, dtype, 3, 2000, 0.05),
    "whole numbers": lambda rng, dtype: sp.csr_array(rng.integers(0, 3, (30, 20))),
    "yes and no": lambda rng, dtype: sp.csr_array(rng.random((30, 20)) < 0.3),
    "complex": lambda rng, dtype: sp.csr_array((rng.random((9, 9)) + 1j).astype("c16")),
    "objects": lambda rng, dtype: np.array([["a", None], [1, {}]], dtype=object),
    "cube": lambda rng, dtype: rng.random((3, 3, 3)),
    "text": lambda rng, dtype: np.array([["a", "b"], ["c", "d"]]),
    "long index": _long,
    "largest": _scaled(1.7e308),
    "1e300": _scaled(1e300),
    "float32 largest": _scaled(3e38),
    "1e30": _scaled(1e30),
    "1e-30": _scaled(1e-30),
    "float32 smallest": _scaled(1e-44),
    "1e-300": _scaled(1e-300),
    "smallest": _scaled(5e-324),
    "all scales": _mixed,
    "one huge": _with(1e300),
    "one tiny": _with(5e-324),
    "NaN": _with(float("nan")),
    "infinity": _with(float("inf")),
    "negative": _with(-1.0),
}
DAMAGED: dict[str, Maker] = {
    "pointers back to 0": _damaged(_pointers),
    "last pointer far": _damaged(_set("indptr", -1, 10**6)),
    "last pointer 0": _damaged(_set("indptr", -1, 0)),
    "negative pointer": _damaged(_set("indptr", None, -3)),
    "large pointer": _damaged(_set("indptr", None, 2**31 - 1)),
    "shuffled pointers": _damaged(_shuffled),
    "column far": _damaged(_set("indices", None, 2**31 - 1)),
    "column negative": _damaged(_set("indices", None, -1)),
    "column just outside": _damaged(_set("indices", None, 25)),
    "values cut": _damaged(_cut),
    "unsorted": _damaged(_unsorted),
    "values of no row": _damaged(_emptied),
    "values behind the last row": _damaged(_longer),
    "masked values": _damaged(_masked),
}
MATRICES |= DAMAGED
