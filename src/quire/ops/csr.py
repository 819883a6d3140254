"""A sparse matrix as three arrays, its transpose in blocks of documents, and the ranges threads share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.ops.compiled import compiled
from quire.ops.threads import Team, equal_shares

BLOCK_ROWS = 1 << 15  # documents whose rows of W stay in cache while all terms gather from them


@dataclass(frozen=True)
class Csr:
    """Scipy's three arrays, which nothing here ever writes to.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.csr import Csr
    >>> Csr(np.array([0, 1]), np.array([2]), np.array([0.5]), n_columns=3).n_rows
    1
    """

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
    """Take scipy's arrays, as they are where they can be; 32-bit indices wherever those hold every index.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from quire.ops.csr import rows_of
    >>> rows_of(sp.csr_array([[0.0, 2.0]])).indices.tolist()
    [1]
    """
    index = np.int64 if max(X.shape) > np.iinfo(np.int32).max else np.int32
    kinds = (X.indptr, np.int64), (X.indices, index), (X.data, X.data.dtype)
    indptr, indices, data = (np.require(array, kind, ["C", "ALIGNED"]) for array, kind in kinds)
    return Csr(indptr, indices, data, X.shape[1])


def no_rows(dtype: np.dtype[Any]) -> Csr:
    """Return an empty matrix, for kernels that get their products ready-made.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.csr import no_rows
    >>> no_rows(np.dtype(np.float32)).n_rows
    0
    """
    return Csr(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, dtype), 0)


def transposed(rows: Csr, team: Team, block_rows: int = BLOCK_ROWS) -> tuple[Csr, ...]:
    """Return Xᵀ, as one CSR or, for many documents, as the sum of one per block of documents.

    A product XᵀW gathers rows of W in no order: with all documents at once nearly every one of them would
    come from memory instead of cache (four times slower at a million documents).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from quire.ops.csr import rows_of, transposed
    >>> from quire.ops.threads import Team
    >>> X = rows_of(sp.csr_array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]))
    >>> [block.indices.tolist() for block in transposed(X, Team(1), block_rows=1)]
    [[0, 1, 2, 3], [4, 5, 6, 7]]
    """
    worth = len(rows.data) // max(1, 4 * rows.n_columns)  # each block has an indptr of its own
    n_blocks = 1 if rows.n_rows <= 4 * block_rows else max(1, min(rows.n_rows // block_rows, worth))
    bounds = np.linspace(0, rows.n_rows, n_blocks + 1).astype(np.int64)
    return tuple(_transposed(rows, int(start), int(stop), team) for start, stop in pairwise(bounds))


def _transposed(rows: Csr, start: int, stop: int, team: Team) -> Csr:
    """Count the columns, then place the entries; each thread has its own range of rows."""
    bounds = start + equal_shares(rows.indptr[start : stop + 1], team.n_threads)
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
        lambda c: place(
            rows.indptr, rows.indices, rows.data, counts[c], indices, data, bounds[c], bounds[c + 1]
        ),
        len(counts),
    )
    return Csr(indptr, indices, data, rows.n_rows)
