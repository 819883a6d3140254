"""A corpus' fingerprint: a SHA-256 of its columns, one after the other, and of its matrix."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.parts import Blocks, KeptRows
from quire.places.place import Handle, Place

HASHED_AT_ONCE = 1 << 19  # bytes: few enough that the strings stay in the processor's cache
_NUMBERS = 1 << 20  # of an array that are hashed at once


def fingerprint_of(
    place: Place, parts: list[Handle], matrix: Blocks | None, vocabulary: list[str] | None, vectors: KeptRows | None
) -> str:
    """Return the fingerprint; all texts pass by here, part by part."""
    digest = hashlib.sha256()
    for role in ("id", "text", "label"):
        handles, lengths = place.sweep(_column, parts, args=(role,))
        if lengths is not None:
            digest.update(role.encode())
            columns = map(place.fetch, handles) if role != "text" else (place.fetch(p)[role] for p in parts)
            _hash_strings(digest, lengths, columns)
    moments = place.sweep(_moments, parts)[1]
    if moments is not None:
        digest.update(b"date")
        digest.update(np.concatenate(moments).tobytes())
    if matrix is not None:
        _hash_matrix(digest, matrix)
    if vocabulary is not None:
        terms = pl.Series(vocabulary, dtype=pl.String)
        digest.update(b"vocabulary")
        _hash_strings(digest, [_lengths(terms)], [terms])
    if vectors is not None:
        digest.update(b"vectors" + np.array(vectors.shape, dtype="<i8").tobytes())
        for block in vectors.blocks():
            _hash_numbers(digest, block.ravel(), "<f4")
    return digest.hexdigest()


def _hash_strings(digest: Any, lengths: list[NDArray[np.int64]], columns: Iterable[pl.Series]) -> None:
    """Hash the lengths of all strings, so that no two columns look alike, then their bytes."""
    every = np.concatenate(lengths)
    digest.update(len(every).to_bytes(8, "little") + every.astype("<i8", copy=False).tobytes())
    for column in columns:
        batch = 1 + HASHED_AT_ONCE * len(column) // (1 + int(column.str.len_bytes().sum()))
        for start in range(0, len(column), batch):
            digest.update(column.slice(start, batch).str.join("").item().encode())


def _hash_matrix(digest: Any, matrix: Blocks) -> None:
    digest.update(b"counts" + np.array(matrix.shape, dtype="<i8").tobytes())
    ends = np.cumsum(np.concatenate([[0], *matrix.place.sweep(_row_sizes, matrix.handles)[1]]))
    _hash_numbers(digest, ends, "<i8")
    for name, dtype in (("indices", "<i8"), ("data", "<f8")):
        for handle in matrix.handles:
            _hash_numbers(digest, getattr(matrix.place.fetch(handle), name), dtype)


def _hash_numbers(digest: Any, numbers: NDArray[Any], dtype: str) -> None:
    for start in range(0, len(numbers), _NUMBERS):
        digest.update(numbers[start : start + _NUMBERS].astype(dtype).tobytes())


def _lengths(column: pl.Series) -> NDArray[np.int64]:
    """Return the bytes of each string, −1 for none."""
    return column.str.len_bytes().cast(pl.Int64).fill_null(-1).to_numpy()


def _column(documents: pl.DataFrame, role: str) -> tuple[pl.Series | None, list[NDArray[Any]] | None]:
    """Return a column, but for the texts, which are large and lie there already."""
    if role not in documents.columns:
        return None, None
    return None if role == "text" else documents[role], [_lengths(documents[role])]


def _moments(documents: pl.DataFrame) -> tuple[None, list[NDArray[Any]] | None]:
    """Return dates as numbers that a fingerprint is made of."""
    if "date" not in documents.columns:
        return None, None
    moments = documents["date"].cast(pl.Datetime("us")).to_physical().fill_null(-(2**63))
    return None, [moments.to_numpy().astype("<i8", copy=False)]


def _row_sizes(block: sp.csr_array) -> tuple[None, list[NDArray[Any]]]:
    return None, [np.diff(block.indptr)]
