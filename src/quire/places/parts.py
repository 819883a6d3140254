"""A matrix in row blocks, and arrays with a row per document that are kept beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.codec import storable
from quire.places.indices import as_csr, check_indices
from quire.places.machine import allowed_threads, in_order
from quire.places.place import Handle, Place, Task


@storable
@dataclass(frozen=True, eq=False)
class Blocks:
    """X as row blocks at a place: what an estimator takes where X is not in memory.

    Attributes
    ----------
    place : Place
        Who keeps them.
    handles : list
        Of the blocks, CSR arrays with ``shape[1]`` columns each, in the order of the documents. A block may
        have no row.
    sizes : array of int
        Rows of each block.
    shape, dtype
        As of any matrix.
    nnz : int
        Values kept.
    largest, squared_norm : float
        Of all values.
    row_sums : array of shape (n,)
        Σ over the columns.

    Examples
    --------
    >>> import tempfile, numpy as np, scipy.sparse as sp
    >>> from quire.places.disk import DiskPlace
    >>> from quire.places.parts import Blocks
    >>> with DiskPlace(tempfile.mkdtemp()) as place:
    ...     X = Blocks.split(sp.csr_array(np.eye(5)), place, rows=2)
    ...     X.shape, X.sizes.tolist(), X.nnz, X[np.array([4, 0])].indices.tolist()
    ((5, 5), [2, 2, 1], 5, [4, 0])
    """

    place: Place
    handles: list[Handle]
    sizes: NDArray[np.int64]
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    nnz: int
    largest: float
    squared_norm: float
    row_sums: NDArray[np.float64] = field(repr=False)

    @classmethod
    def of(cls, place: Place, handles: Sequence[Handle]) -> Blocks:
        """Return the matrix that these CSR blocks are, after one look at each.

        Parameters
        ----------
        place : Place
            Who keeps them.
        handles : sequence
            Of the blocks, as a sweep returned them.
        """
        if not handles:
            raise ValueError("A matrix needs at least one block: give one, also where it has no row.")
        facts = place.sweep(_facts, handles, merge=_joined)[1]
        sizes, nnz, width, dtype, largest, square, sums = facts
        shape = int(sum(sizes)), int(width)
        return cls(place, list(handles), np.array(sizes, np.int64), shape, np.dtype(dtype), int(nnz), largest,
                   square, np.concatenate(sums))  # fmt: skip

    @classmethod
    def split(cls, X: Any, place: Place, rows: int) -> Blocks:
        """Cut a matrix that is in memory.

        Parameters
        ----------
        X : CSR array
            The matrix.
        place : Place
            Who is to keep it.
        rows : int
            Rows of a block.
        """
        X = as_csr(X, cls.__name__)
        starts = range(0, max(X.shape[0], 1), rows)
        return cls.of(place, [place.put(sp.csr_array(X[at : at + rows])) for at in starts])

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each block, and the number of all rows."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def sum(self, axis: int | None = None, dtype: Any = np.float64) -> Any:
        """Return the sum of all values, or of each row (``axis=1``) or column (``axis=0``)."""
        if axis is None:
            return self.row_sums.sum()
        if axis == 1:
            return self.row_sums.astype(dtype, copy=False)
        return self.place.sweep(_column_sums, self.handles)[1]

    def whole(self) -> sp.csr_array:
        """Bring all rows here, as one CSR array."""
        return _stacked(*map(self.place.fetch, self.handles))[0]

    def joined(self, rows: int, values: int) -> Blocks:
        """Return larger blocks, neighbours together, of at most so many rows and values; the rule knows no place."""
        counts = self.place.sweep(_n_values, self.handles)[1]
        chunks: list[list[int]] = [[]]
        for at, (size, n) in enumerate(zip(self.sizes.tolist(), counts)):
            held = chunks[-1]
            if held and (sum(self.sizes[held]) + size > rows or sum(counts[i] for i in held) + n > values):
                chunks.append([])
            chunks[-1].append(at)
        if len(chunks) == len(self.handles):
            return self
        lists = [
            [self.handles[chunk[slot]] if slot < len(chunk) else None for chunk in chunks]
            for slot in range(max(map(len, chunks)))
        ]
        return Blocks.of(self.place, self.place.sweep(_stacked, *lists)[0])

    def beside(self, rows: Any) -> KeptRows:
        """Keep an array with a row per document beside the blocks; one that is there already is left."""
        return rows if isinstance(rows, KeptRows) else KeptRows.split(rows, self.place, self.sizes)

    def max(self) -> float:
        """Return the largest value."""
        return self.largest

    def as_floats(self) -> Blocks:
        """Return the same in float64, as scikit-learn would have it; float32 and float64 stay what they are."""
        if self.dtype in (np.float32, np.float64):
            return self
        return Blocks.of(self.place, self.place.sweep(_as_floats, self.handles)[0])

    def select(self, rows: NDArray[np.bool_]) -> Blocks:
        """Return some rows as blocks at the same place."""
        chosen = [self.place.put(np.flatnonzero(rows[a:b])) for a, b in zip(self.starts, self.starts[1:])]
        return Blocks.of(self.place, self.place.sweep(_taken, self.handles, chosen)[0])

    def __getitem__(self, numbers: NDArray[Any]) -> sp.csr_array:
        """Bring some rows here, in the order of their numbers."""
        order, taken = _taken_rows(self, numbers)
        there = sp.csr_array(sp.vstack(taken, "csr"))
        in_order = (order[1:] > order[:-1]).all()  # then there is no need of another copy
        return there if in_order else sp.csr_array(there[np.argsort(order, kind="stable")])


@storable
@dataclass(frozen=True, eq=False)
class KeptRows:
    """An array with a row per document (such as W), in the blocks of a matrix; NumPy takes it as an array."""

    place: Place
    handles: list[Handle]  # of arrays of ``shape[1]`` columns
    sizes: NDArray[np.int64]
    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @classmethod
    def split(cls, array: NDArray[Any], place: Place, sizes: NDArray[np.int64]) -> KeptRows:
        """Cut an array that is in memory into blocks of these sizes."""
        ends = np.cumsum(sizes)
        parts = [place.put(np.ascontiguousarray(array[e - s : e])) for e, s in zip(ends, sizes)]
        return cls(place, parts, sizes, (array.shape[0], array.shape[1]), array.dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def sum(self, axis: int = 0, dtype: Any = np.float64) -> NDArray[np.float64]:
        """Return the sums of the columns."""
        return np.asarray(self.place.sweep(_column_totals, self.handles)[1], dtype)

    def cut(self, sizes: NDArray[np.int64]) -> KeptRows:
        """Return the same rows in smaller blocks, each within one of these."""
        if len(sizes) == len(self.sizes):
            return self
        ends, begins = np.cumsum(sizes), np.cumsum(self.sizes) - self.sizes
        within = np.searchsorted(np.cumsum(self.sizes), ends)  # the block that each of the new ones ends in
        own = [np.flatnonzero(within == block).tolist() for block in range(len(self.sizes))]
        handles: list[Handle] = [None] * len(sizes)
        for slot in range(max(map(len, own))):
            blocks = [block for block, new in enumerate(own) if slot < len(new)]
            new = [own[block][slot] for block in blocks]
            limits = [np.array([ends[n] - sizes[n], ends[n]]) - begins[block] for n, block in zip(new, blocks)]
            lists = [self.handles[block] for block in blocks], [self.place.put(one) for one in limits]
            for n, handle in zip(new, self.place.sweep(_cut, *lists)[0], strict=True):
                handles[n] = handle
        return KeptRows(self.place, handles, sizes, self.shape, self.dtype)

    def __getitem__(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Bring some rows here, in the order of their numbers."""
        order, taken = _taken_rows(self, numbers)
        return np.asarray(np.vstack(taken)[np.argsort(order, kind="stable")])

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Bring one block after the other here."""
        return (self.place.fetch(handle) for handle in self.handles)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if len(self.handles) == 1 and not copy and dtype in (None, self.dtype):
            return np.asarray(self.place.fetch(self.handles[0]))
        whole = np.empty(self.shape, self.dtype if dtype is None else dtype)
        own = np.split(whole, np.cumsum(self.sizes)[:-1])  # memory is had from the system when it is written to
        for _ in in_order(np.copyto, zip(own, self.blocks(), strict=True), allowed_threads()):
            pass
        return whole


def as_rows(X: Any) -> Any:
    """Return X as CSR, or as the blocks it is in."""
    return X if isinstance(X, Blocks) else as_csr(X, "as_rows")


def n_values(X: Any) -> int:
    """Return how many values X keeps, wherever it lies."""
    return int(X.size if isinstance(X, np.ndarray) else X.nnz)


def selected(X: Any, rows: NDArray[np.bool_]) -> Any:
    """Return some rows of X where X is."""
    return X.select(rows) if isinstance(X, Blocks) else X[rows]


def brought(X: Any, rows: NDArray[Any]) -> Any:
    """Return some rows of X, in memory and in their order; X itself where these are all of it."""
    return X if len(rows) == X.shape[0] and not isinstance(X, Blocks) else X[rows]


def beside(rows: KeptRows, X: Any) -> Any:
    """Return rows the way X is held: in blocks beside its own, or as an array."""
    return rows if isinstance(X, Blocks) else np.asarray(rows)


def row_blocks(rows: Any) -> Iterator[NDArray[Any]]:
    """Give an array one block after the other; one that is here whole is one."""
    return rows.blocks() if isinstance(rows, KeptRows) else iter([rows])


def over_rows(
    task: Task, rows: Any, *others: Any, args: tuple[Any, ...] = (), width: int | None = None
) -> tuple[Any, Any]:
    """Run a task on rows and on arrays with a row for each of them: at once, or block by block.

    Returns what is to be kept, of ``width`` columns (those of ``rows``) and held as the rows are, and what
    was told, added up.
    """
    if not isinstance(rows, Blocks | KeptRows):
        return task(rows, *others, *args)
    ends = np.cumsum(rows.sizes)
    cut = [
        other.handles
        if isinstance(other, KeptRows)
        else [rows.place.put(np.ascontiguousarray(other[e - s : e])) for e, s in zip(ends, rows.sizes)]
        for other in others
    ]
    handles, summary = rows.place.sweep(task, rows.handles, *cut, args=args)
    shape = rows.shape[0], width or rows.shape[1]
    return KeptRows(rows.place, handles, rows.sizes, shape, rows.dtype), summary


def _facts(block: sp.csr_array) -> tuple[None, tuple[Any, ...]]:
    check_indices(block, Blocks.__name__)
    _check_values(block.data)
    sums = np.asarray(block.sum(axis=1, dtype=np.float64)).ravel()
    largest = float(block.data.max(initial=0))
    square = squared_norm(block.data)
    return None, ([block.shape[0]], block.nnz, block.shape[1], block.dtype.str, largest, square, [sums])


def _check_values(values: NDArray[Any]) -> None:
    """Refuse values of which no topics can be made; NaN and inf are seen in the sums of rows, which say where."""
    if values.dtype.kind not in "biuf":
        raise ValueError(f"A matrix of {values.dtype} was passed to {Blocks.__name__}: give it real numbers.")
    if values.dtype.kind in "if" and values.min(initial=0) < 0:
        raise ValueError(f"A block passed to {Blocks.__name__} holds {values.min()}: every value must be >= 0.")


def _as_floats(block: sp.csr_array) -> tuple[sp.csr_array, None]:
    return block.astype(np.float64), None


def _joined(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    sizes, nnz, width, dtype, largest, square, sums = first
    if (width, dtype) != second[2:4]:
        raise ValueError("The blocks of a matrix must have the same columns and the same dtype.")
    return (sizes + second[0], nnz + second[1], width, dtype, max(largest, second[4]), square + second[5],
            sums + second[6])  # fmt: skip


def _column_sums(block: sp.csr_array) -> tuple[None, NDArray[np.float64]]:
    return None, np.asarray(block.sum(axis=0, dtype=np.float64)).ravel()


def _column_totals(rows: NDArray[Any]) -> tuple[None, NDArray[np.float64]]:
    return None, rows.sum(axis=0, dtype=np.float64)


def _n_values(block: sp.csr_array) -> tuple[None, list[int]]:
    return None, [int(block.nnz)]


def _stacked(*blocks: sp.csr_array | None) -> tuple[sp.csr_array, None]:
    there = [block for block in blocks if block is not None]
    return (there[0] if len(there) == 1 else sp.csr_array(sp.vstack(there, "csr"))), None


def _cut(rows: NDArray[Any], limits: NDArray[np.int64]) -> tuple[NDArray[Any], None]:
    return np.ascontiguousarray(rows[limits[0] : limits[1]]), None


def _taken_rows(held: Blocks | KeptRows, numbers: NDArray[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    """Bring the rows of these numbers here from each block; return in which order they then are, too."""
    order = np.argsort(numbers, kind="stable")
    starts = np.concatenate([[0], np.cumsum(held.sizes)])
    cuts = np.searchsorted(numbers[order], starts)
    parts = [held.place.put(numbers[order[a:b]] - start) for a, b, start in zip(cuts, cuts[1:], starts)]
    return order, [held.place.fetch(one) for one in held.place.sweep(_taken, held.handles, parts)[0]]


def _taken(block: Any, rows: NDArray[np.int64]) -> tuple[Any, None]:
    return sp.csr_array(block[rows]) if sp.issparse(block) else block[rows], None


def safe_scale(values: NDArray[Any]) -> float:
    """Return the power of two whose square brings X near 1, or 1 where X is near enough already.

    Squares and products of X must neither overflow nor fall into the slow subnormal numbers. A power of
    two changes no digit.
    """
    return scale_of(float(values.max(initial=0)))


def scale_of(largest: float) -> float:
    """Return the same for an X whose largest value is known."""
    if largest == 0 or 1e-6 <= largest <= 1e6:
        return 1.0
    return 2.0 ** (math.frexp(largest)[1] // 2)


def squared_norm(values: NDArray[Any]) -> float:
    """Σ x² in float64, a piece at a time, so that no large copy is made."""
    piece = 1 << 16
    return math.fsum(
        float(np.square(values[i : i + piece], dtype=np.float64).sum()) for i in range(0, len(values), piece)
    )
