"""A sparse matrix as three arrays, its transpose in blocks of documents, and the ranges threads share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.kernels.compiled import compiled
from quire.places.machine import Team, equal_shares

BLOCK_ROWS = 1 << 15  # documents whose rows of W stay in cache while all terms gather from them


@dataclass(frozen=True)
class Csr:
    """Scipy's three arrays, which nothing here ever writes to."""

    indptr: NDArray[np.int64]
    indices: NDArray[Any]
    data: NDArray[Any]
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Rows."""
        return len(self.indptr) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of the three arrays."""
        return self.indptr.nbytes + self.indices.nbytes + self.data.nbytes


def rows_of(X: Any) -> Csr:
    """Take scipy's arrays, as they are where they can be; 32-bit indices wherever those hold every index."""
    index = np.int64 if max(X.shape) > np.iinfo(np.int32).max else np.int32
    kinds = (X.indptr, np.int64), (X.indices, index), (X.data, X.data.dtype)
    indptr, indices, data = (np.require(array, kind, ["C", "ALIGNED"]) for array, kind in kinds)
    return Csr(indptr, indices, data, X.shape[1])


def no_rows(dtype: np.dtype[Any]) -> Csr:
    """Return an empty matrix, for kernels that get their products ready-made."""
    return Csr(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, dtype), 0)


def transposed(rows: Csr, team: Team, block_rows: int = BLOCK_ROWS) -> tuple[Csr, ...]:
    """Return Xᵀ, as one CSR or, for many documents, as the sum of one per block of documents.

    A product XᵀW gathers rows of W in no order: with all documents at once nearly every one of them would
    come from memory instead of cache (four times slower at a million documents).
    """
    worth = len(rows.data) // max(1, 4 * rows.n_columns)  # each block has an indptr of its own
    n_blocks = 1 if rows.n_rows <= 4 * block_rows else max(1, min(rows.n_rows // block_rows, worth))
    bounds = np.linspace(0, rows.n_rows, n_blocks + 1).astype(np.int64)
    return tuple(_transposed(rows, int(start), int(stop), team) for start, stop in pairwise(bounds))


def _transposed(rows: Csr, start: int, stop: int, team: Team) -> Csr:
    """Count the columns, then place the entries; each thread has its own range of rows."""
    bounds = start + equal_shares(rows.indptr[start : stop + 1], team.sharing)
    counts = np.zeros((len(bounds) - 1, rows.n_columns), np.int64)
    types = rows.data.dtype, rows.indices.dtype
    count, place = compiled("count_columns", *types), compiled("place_columns", *types)
    team.run(lambda c: count(rows.indptr, rows.indices, counts[c], bounds[c], bounds[c + 1]), len(counts))
    indptr = np.zeros(rows.n_columns + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=indptr[1:])
    free = indptr[:-1].copy()
    for share in counts:  # from how many entries a thread has in a column to where its first one goes
        share[:], free = free, free + share
    indices, data = np.empty(indptr[-1], rows.indices.dtype), np.empty(indptr[-1], rows.data.dtype)
    team.run(
        lambda c: place(rows.indptr, rows.indices, rows.data, counts[c], indices, data, bounds[c], bounds[c + 1]),
        len(counts),
    )
    return Csr(indptr, indices, data, rows.n_rows)
