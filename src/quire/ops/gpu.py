"""The GPU back end, through CuPy: X and the factors lie on the device, the steps are kernels of our own.

Coordinate descent, multiplicative updates for every loss, products, Gram matrices and the extrapolation run
on the device. Exact rows are solved by the CPU back end, and steps written in NumPy run on the host: correct,
but the factors travel each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.ops.gpukernels import QUAD, Layout, kernels, layout
from quire.ops.matrix import Factor, Matrix, Progress, RowStep, Side, Small, TopicProjection
from quire.ops.referencelosses import floors, slopes
from quire.ops.topicwise import by_topics
from quire.ops.unit import safe_scale, squared_norm

_PIECE = 512  # entries of a row that one group of threads adds up
_GRAM_ROWS, _GRAM_ITEMS = 1024, 1 << 22  # of a block, and of all blocks: sums over them are in float64
_OTHER: dict[Side, Side] = {"W": "H", "H": "W"}


def why_no_gpu() -> str:
    """Return a sentence that says why no GPU can be used, or an empty text where one can.

    Examples
    --------
    >>> from quire.ops.gpu import why_no_gpu
    >>> isinstance(why_no_gpu(), str)
    True
    """
    try:
        import cupy
    except ImportError:
        return "device='cuda' needs CuPy: pip install quire[gpu]."
    try:
        if cupy.cuda.runtime.getDeviceCount() > 0:
            cupy.zeros(1)
            return ""
    except Exception as error:  # whatever a driver may answer
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        return f"No GPU can be used ({said}): install NVIDIA's driver, or use device='cpu'."
    return "No NVIDIA GPU was found: use device='cpu'."


@contextmanager
def _told_when_full(what: str) -> Iterator[None]:
    """Turn CuPy's report of a full device into a sentence."""
    from cupy.cuda.memory import OutOfMemoryError

    try:
        yield
    except OutOfMemoryError as error:
        raise MemoryError(f"{what} does not fit into the GPU's memory: use device='cpu'.") from error


@dataclass(frozen=True)
class _Rows:
    """CSR rows on the device, and the pieces of those that are long."""

    indptr: Any
    indices: Any
    data: Any
    first_piece: Any  # of every row, and one more; none for a short row
    starts: Any  # of the pieces, in the order of their first column, so that neighbours share the cache
    stops: Any
    slots: Any  # where a piece's sum goes: a row's pieces side by side


class GpuMatrix:
    """X on the GPU, to be used in a ``with`` block.

    Parameters
    ----------
    X : CSR matrix or array, or a dense array
        Checked, non-negative, float32 or float64, without duplicate entries.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.ops.gpu import GpuMatrix, why_no_gpu
    >>> if not why_no_gpu():
    ...     with GpuMatrix(sp.csr_array([[3.0, 0.0], [0.0, 4.0]])) as X:
    ...         assert X.array(X.product("W", X.factor(np.array([[1.0], [2.0]]))), 1).tolist() == [[3], [8]]
    """

    def __init__(self, X: Any) -> None:
        reason = why_no_gpu()
        if reason:
            raise ValueError(reason)
        if max(X.shape) > np.iinfo(np.int32).max:
            raise ValueError(
                f"X of shape {X.shape} has too many rows or columns for a GPU: use device='cpu'."
            )
        import cupy

        self._cupy: Any = cupy
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype
        self._given = X  # for what only the CPU can do
        values = X.data if sp.issparse(X) else X.reshape(-1)
        self.scale = safe_scale(values)
        if self.scale != 1:
            X = X * self.dtype.type(1 / self.scale) * self.dtype.type(1 / self.scale)
            values = X.data if sp.issparse(X) else X.reshape(-1)
        self.squared_norm = squared_norm(values)
        self._dense: Any = None
        self._sides: dict[Side, _Rows] = {}
        self._pieces: dict[tuple[Side, int], Any] = {}
        self._known_kernels: dict[tuple[str, int], Any] = {}
        with _told_when_full("X"):
            if sp.issparse(X):
                self._sides = {"W": self._taken(X)}
            else:
                self._dense = cupy.asarray(X)

    # -- X ----------------------------------------------------------------------------------------------

    def _taken(self, X: Any) -> _Rows:
        types = (X.indptr, np.int64), (X.indices, np.int32), (X.data, self.dtype)
        return self._cut(*(self._cupy.asarray(np.ascontiguousarray(array, kind)) for array, kind in types))

    def _cut(self, indptr: Any, indices: Any, data: Any) -> _Rows:
        """Cut long rows into pieces of equal length, but for the last."""
        cp = self._cupy
        lengths = cp.diff(indptr)
        counts = cp.where(lengths > _PIECE, -(-lengths // _PIECE), 0)
        first = cp.concatenate([cp.zeros(1, np.int64), cp.cumsum(counts)])
        total = int(first[-1])
        slots = cp.arange(total)
        owner = cp.searchsorted(first, slots, side="right") - 1
        starts = indptr[owner] + (slots - first[owner]) * _PIECE
        stops = cp.minimum(starts + _PIECE, indptr[owner + 1])
        if total:
            order = cp.argsort(indices[starts].astype(np.int64) * total + slots)
            starts, stops, slots = starts[order], stops[order], slots[order]
        return _Rows(indptr, indices, data, first.astype(np.int32), starts, stops, slots.astype(np.int32))

    def _rows(self, side: Side) -> _Rows:
        """X's rows from one side; Xᵀ is made when it is first asked for, and kept."""
        if "W" not in self._sides:  # a dense X, for the other losses
            self._sides["W"] = self._taken(sp.csr_array(self._dense.get()))
        if side not in self._sides:
            cp, rows, (n, d) = self._cupy, self._sides["W"], self.shape
            with _told_when_full("The transpose of X"):
                owner = cp.searchsorted(rows.indptr, cp.arange(len(rows.data)), side="right") - 1
                order = cp.argsort(rows.indices.astype(np.int64) * n + owner)  # no two alike
                indptr = cp.zeros(d + 1, np.int64)
                indptr[1:] = cp.cumsum(cp.bincount(rows.indices, minlength=d))
                self._sides[side] = self._cut(indptr, owner[order].astype(np.int32), rows.data[order])
        return self._sides[side]

    def _n_rows(self, side: Side) -> int:
        return self.shape[0] if side == "W" else self.shape[1]

    def squared_rows(self) -> NDArray[np.float64]:
        """‖x‖² of every document."""
        cp = self._cupy
        if self._dense is not None:
            return np.asarray(cp.square(self._dense, dtype=np.float64).sum(axis=1).get())
        rows = self._sides["W"]
        sums = cp.concatenate([cp.zeros(1), cp.cumsum(cp.square(rows.data, dtype=np.float64))])
        return np.asarray(cp.diff(sums[rows.indptr]).get())

    # -- factors ----------------------------------------------------------------------------------------

    def _layout(self, factor: Factor) -> Layout:
        return layout(factor.shape[1], self.dtype.itemsize)

    def _kernel(self, name: str, factor: Factor) -> Any:
        key = (name, factor.shape[1])
        if key not in self._known_kernels:
            device = int(self._cupy.cuda.runtime.getDevice())
            self._known_kernels[key] = kernels(self._layout(factor), self.dtype, device).get_function(name)
        return self._known_kernels[key]

    def factor(self, array: NDArray[Any]) -> Factor:
        """Copy to the device: C order, this dtype, X's unit and a multiple of 4 columns."""
        rows, k = array.shape
        with _told_when_full("A factor"):
            held = self._cupy.zeros((rows, -(-k // QUAD) * QUAD), self.dtype)
            held[:, :k] = self._cupy.asarray(np.ascontiguousarray(array, self.dtype))
        if self.scale != 1:
            held /= self.dtype.type(self.scale)
        return held

    def array(self, factor: Factor, k: int) -> NDArray[Any]:
        """Copy to the host without the padding, in the unit of the X that was given."""
        array = np.ascontiguousarray(factor.get()[:, :k])
        if self.scale != 1:
            array *= self.dtype.type(self.scale)
        return array

    def duplicate(self, factor: Factor) -> Factor:
        """Copy."""
        with _told_when_full("A copy of a factor"):
            return factor.copy()

    def copy(self, factor: Factor, into: Factor) -> None:
        """Overwrite ``into``."""
        self._cupy.copyto(into, factor)

    def gram(self, factor: Factor, other: Factor | None = None) -> Small:
        """FᵀF or FᵀB by cuBLAS over blocks of rows of a fixed size, which are summed in float64."""
        right = factor if other is None else other
        width = factor.shape[1]
        size = max(_GRAM_ROWS, -(-len(factor) // max(32, _GRAM_ITEMS // width**2)))
        whole = len(factor) // size
        parts = self._cupy.empty((whole + 1, width, width), self.dtype)
        self._cupy.matmul(factor[whole * size :].T, right[whole * size :], out=parts[whole])
        if whole:
            A, B = (array[: whole * size].reshape(whole, size, width) for array in (factor, right))
            self._cupy.matmul(A.transpose(0, 2, 1), B, out=parts[:whole])
        return np.asarray(parts.sum(axis=0, dtype=np.float64).get())

    def scale_topics(self, factor: Factor, by: NDArray[np.float64]) -> None:
        """Multiply the columns."""
        factor[:, : len(by)] *= self._cupy.asarray(by.astype(self.dtype))

    def column_sums(self, factor: Factor) -> NDArray[np.float64]:
        """Σ over rows."""
        return np.asarray(factor.sum(axis=0, dtype=np.float64).get())

    def extrapolate(self, factor: Factor, old: Factor, beta: float) -> None:
        """Overwrite ``old`` with [F + beta (F − old)]₊."""
        blocks = max(1, min(2048, -(-factor.size // 256)))
        arguments = (factor, old, self.dtype.type(beta), np.int64(factor.size))
        self._kernel("extrapolate", factor)((blocks,), (256,), arguments)

    # -- steps on the device ----------------------------------------------------------------------------

    def product(self, side: Side, other: Factor) -> Factor:
        """X Hᵀ or XᵀW."""
        if self._dense is not None:
            return (self._dense if side == "W" else self._dense.T) @ other
        out = self._cupy.empty((self._n_rows(side), other.shape[1]), self.dtype)
        self._launch("product", side, out, other, (other, out), 0)
        return out

    def descend(
        self, side: Side, factor: Factor, other: Factor, G: Small, l1: float, sweeps: int, patience: float
    ) -> Progress:
        """Coordinate descent on every row, fused with the product of a sparse X."""
        real, diagonal = self.dtype.type, np.diag(G)
        present = diagonal > 1e8 * np.finfo(self.dtype).tiny  # 1 / G_tt must be a number too
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=present)
        small = self._small(np.vstack([G, inverse]), factor.shape[1])
        before = (other, small, small[-1], real(l1), np.int32(sweeps), real(patience), factor)
        return self._reported("descend", side, factor, other, before)

    def multiply(self, side: Side, factor: Factor, other: Factor, G: Small, l1: float) -> Progress:
        """Multiply every row, fused with the product of a sparse X."""
        before = (other, self._small(G, factor.shape[1]), self.dtype.type(l1), factor)
        return self._reported("multiply", side, factor, other, before)

    def _small(self, G: Small, width: int) -> Any:
        """Bring it to the device, with zeros up to the width; a last row that is not G's stays the last."""
        more = len(G) - G.shape[1]
        held = np.zeros((width + more, width), self.dtype)
        held[: G.shape[1], : G.shape[1]] = G[: G.shape[1]]
        held[width:, : G.shape[1]] = G[G.shape[1] :]
        return self._cupy.asarray(held)

    def _reported(
        self, name: str, side: Side, factor: Factor, other: Factor, before: tuple[Any, ...]
    ) -> Progress:
        report, shape = self._report(factor), self._layout(factor)
        self._launch(name, side, factor, other, (*before, report), shape.shared)
        return self._said(report, factor)

    def _report(self, factor: Factor) -> Any:
        """Return a place for what every block says, and a last row for their sum."""
        return self._cupy.zeros((-(-len(factor) // self._layout(factor).rows) + 1, 2))

    def _said(self, report: Any, factor: Factor) -> Progress:
        arguments = (report, np.int32(len(report) - 1), report[-1])
        self._kernel("add_up", factor)((1,), (256,), arguments)
        inner, residual = report[-1].get()
        return Progress(float(inner), float(residual))

    def _launch(
        self, name: str, side: Side, factor: Factor, other: Factor, after: tuple[Any, ...], shared: int
    ) -> None:
        """Run a kernel that has a group of threads for each row of ``factor``."""
        self._check_shapes(side, factor, other)
        none = np.uintp(0)
        if self._dense is None:
            rows = self._rows(side)
            pieces = self._summed_pieces(side, rows, other)
            X = (rows.indptr, rows.indices, rows.data, rows.first_piece, pieces, none)
        else:
            X = (none, none, none, none, none, self.product(side, other))
        self._for_each_row(name, factor, (*X, *after), shared)

    def _for_each_row(self, name: str, factor: Factor, arguments: tuple[Any, ...], shared: int = 0) -> None:
        shape, n = self._layout(factor), len(factor)
        if n:
            kernel, blocks = self._kernel(name, factor), -(-n // shape.rows)
            kernel((blocks,), (shape.threads,), (*arguments, np.int64(n)), shared_mem=shared)

    def _check_shapes(self, side: Side, factor: Factor, other: Factor) -> None:
        """Kernels trust their arguments."""
        lengths = self._n_rows(side), self._n_rows(_OTHER[side])
        if (len(factor), len(other)) != lengths or factor.shape[1] != other.shape[1]:
            raise ValueError(
                f"Factors of shape {factor.shape} and {other.shape} do not fit X of shape {self.shape}."
            )

    def _summed_pieces(self, side: Side, rows: _Rows, other: Factor) -> Any:
        """Return a row for every piece: its part of the product."""
        count, shape = len(rows.starts), self._layout(other)
        if count == 0:
            return np.uintp(0)
        key = (side, shape.width)
        if key not in self._pieces:
            with _told_when_full("The products of common terms"):
                self._pieces[key] = self._cupy.empty((count, shape.width), self.dtype)
        into = self._pieces[key]
        arguments = (rows.starts, rows.stops, rows.slots, rows.indices, rows.data, other, into)
        blocks = -(-count // shape.rows)
        kernel = self._kernel("add_pieces", other)
        kernel((blocks,), (shape.threads,), (*arguments, np.int32(count)))
        return into

    def rescale(
        self, side: Side, factor: Factor, other: Factor, beta: int, l1: float, l2: float, sweeps: int,
        patience: float,
    ) -> Progress:  # fmt: skip
        """Multiplicative updates for another loss; a group of threads has a row, however long."""
        self._check_shapes(side, factor, other)
        rows, real = self._rows(side), self.dtype.type
        sums = self._cupy.asarray(slopes(self.column_sums(other), self.dtype))
        numbers = (np.int32(beta), real(l1), real(l2), *floors(self.dtype), np.int32(sweeps), real(patience))
        report = self._report(factor)
        arguments = (rows.indptr, rows.indices, rows.data, other, sums, *numbers, factor, report)
        self._for_each_row("rescale", factor, arguments)
        return self._said(report, factor)

    def divergence(self, W: Factor, H: Factor, beta: int) -> float:
        """Return the divergence of the X held and WH, summed in float64."""
        self._check_shapes("W", W, H)
        rows, report = self._rows("W"), self._report(W)
        numbers = (np.int32(beta), *floors(self.dtype))
        self._for_each_row("divergence", W, (rows.indptr, rows.indices, rows.data, H, *numbers, W, report))
        everywhere = self.column_sums(W) @ self.column_sums(H) if beta == 1 else 0.0
        return float(self._said(report, W).inner + everywhere)

    # -- steps on the host ------------------------------------------------------------------------------

    @cached_property
    def _host(self) -> Matrix:
        """X in the CPU back end."""
        from quire.ops.cpu import CpuMatrix

        return CpuMatrix(self._given)

    def _to_host(self, factor: Factor) -> Factor:
        return self._host.factor(self.array(factor, factor.shape[1]))

    def _from_host(self, held: Factor, factor: Factor) -> None:
        self.copy(self.factor(self._host.array(held, factor.shape[1])), factor)

    def solve_rows(self, factor: Factor, product: Factor, G: Small, l1: float, total: float) -> Progress:
        """Solve every row exactly, on the CPU."""
        # A product is of the second degree in the unit, so it goes as it is.
        F, P = self._to_host(factor), self._host.factor(product.get() * self.dtype.type(self.scale))
        said = self._host.solve_rows(F, P, G, l1, total)
        self._from_host(F, factor)
        return said

    def by_rows(self, factor: Factor, product: Factor, k: int, step: RowStep) -> Progress:
        """Call ``step`` for blocks of rows on the host, and add up what it says in their order."""
        F, P = factor.get(), product.get()
        report = np.zeros((-(-len(F) // _GRAM_ROWS), 2))
        for block in range(len(report)):
            rows = slice(block * _GRAM_ROWS, (block + 1) * _GRAM_ROWS)
            report[block] = step(F[rows, :k], P[rows, :k])
        factor.set(F)
        inner, residual = report.sum(axis=0)
        return Progress(float(inner), float(residual))

    def by_topics(self, factor: Factor, product: Factor, G: Small, project: TopicProjection) -> Progress:
        """Run the plain version on the host."""
        k, held = len(G), factor.get()
        F, P = (np.ascontiguousarray(array[:, :k].T) for array in (held, product.get()))
        said = by_topics(P, F, G, project)
        held[:, :k] = F.T
        factor.set(held)
        return said

    def close(self) -> None:
        """Give the device's memory back."""
        self._sides, self._pieces, self._dense = {}, {}, None
        if "_host" in self.__dict__:
            self._host.close()
        self._cupy.get_default_memory_pool().free_all_blocks()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
