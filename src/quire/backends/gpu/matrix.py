"""The GPU back end, through CuPy: X and the factors lie on the device, the steps are kernels of our own.

What a step tells comes back together with the Gram matrix of the factor it changed, which is asked for next:
one wait for the device a half step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.backends.gpu.csr import GpuRows
from quire.backends.gpu.device import full_device_explained, why_no_gpu
from quire.backends.gpu.factors import GpuFactors
from quire.backends.gpu.kernels import QUAD, VECTORS, kernel, layout
from quire.backends.matrix import Factor, Progress, RowStep, Side, Small, TopicProjection
from quire.backends.reference.losses import floors, slopes
from quire.backends.reference.matrix import by_topics

__all__ = ["GpuMatrix", "why_no_gpu"]
_OTHER: dict[Side, Side] = {"W": "H", "H": "W"}
_ITEMS = 1 << 24  # numbers of a factor that a step in Python sees at once
_WARPS = 16  # on a multiprocessor, that solve rows exactly
_WORK = 1 << 30  # bytes, the most they may need together


class GpuMatrix(GpuFactors):
    """X on the GPU, to be used in a ``with`` block (see :class:`quire.backends.gpu.factors.GpuFactors`)."""

    def product(self, side: Side, other: Factor) -> Factor:
        """X Hᵀ or XᵀW."""
        if self._dense is not None:
            return (self._dense if side == "W" else self._dense.T) @ other
        with full_device_explained("A product"):
            shape = (*other.shape[:-2], self._n_rows(side), other.shape[-1])
            out = self._cupy.empty(shape, self.dtype)
        self._launch("product", side, out, other, (other, out), 0)
        return out

    def descend(
        self, side: Side, factor: Factor, other: Factor, G: Small, l1: float, sweeps: int, patience: float
    ) -> Progress:
        """Coordinate descent on every row, fused with the product of a sparse X."""
        real, small = self.dtype.type, self._small(G, factor.shape[-1])
        before = (other, small, real(l1), np.int32(sweeps), real(patience), factor)
        return self._reported("descend", side, factor, other, before)

    def multiply(self, side: Side, factor: Factor, other: Factor, G: Small, l1: float) -> Progress:
        """Multiply every row, fused with the product of a sparse X."""
        before = (other, self._small(G, factor.shape[-1]), self.dtype.type(l1), factor)
        return self._reported("multiply", side, factor, other, before)

    def solve_rows(self, factor: Factor, product: Factor, G: Small, l1: float, total: float) -> Progress:
        """Solve every row exactly, begun from the row that is there; G has no padding."""
        k, (n, width) = G.shape[-1], factor.shape[-2:]
        if G.shape[-2:] != (k, k) or k > width or factor.shape != product.shape:
            raise ValueError(f"A Gram matrix of shape {G.shape} does not fit factors of shape {factor.shape}.")
        diagonal = np.diagonal(G, axis1=-2, axis2=-1)
        present = (diagonal > 1e8 * np.finfo(self.dtype).tiny) | (total > 0)  # Σf = total needs them all
        starts = factor.shape[0] if factor.ndim == 3 else 1
        blocks, work = self._workshop(n, k, starts)
        held = self._messenger.there("exact", np.asarray(G, np.float64))
        there = self._messenger.there("present", present.astype(np.int32))
        report = self._buffer("report", (starts, 4 * blocks, 2), np.float64)
        numbers = np.float64(l1), np.float64(total), work, report, np.int32(k), np.int32(width), np.int64(n)
        solve = kernel("solve_rows", layout(QUAD, self.dtype.itemsize), self.dtype, self._device)
        solve((blocks, starts), (128,), (product, factor, held, there, *numbers))
        return self._progress(report, factor)

    def _workshop(self, n: int, k: int, starts: int) -> tuple[int, Any]:
        """Return how many blocks of four warps solve rows, and room for them to do so."""
        each = k * (k + 2) + VECTORS * k
        properties = self._cupy.cuda.runtime.getDeviceProperties(self._device)
        warps = min(properties["multiProcessorCount"] * _WARPS, _WORK // (8 * each))
        blocks = max(1, min(-(-n // 4), warps // (4 * starts)))
        return blocks, self._buffer("work", (starts * blocks * 4 * each,), np.float64)

    def rescale(
        self, side: Side, factor: Factor, other: Factor, beta: float, l1: float, l2: float, sweeps: int,
        patience: float,
    ) -> Progress:  # fmt: skip
        """Multiplicative updates for another loss; a long row is cut up for a single sweep."""
        self._check_shapes(side, factor, other)
        rows, real = self._rows(side), self.dtype.type
        sums = self._cupy.asarray(slopes(self.column_sums(other), self.dtype))
        least, slope = floors(self.dtype)
        pieces: Any = np.uintp(0)
        if sweeps == 1 and len(rows.starts):
            pieces = self._buffer("shares", (2 * len(rows.starts), factor.shape[-1]), self.dtype)
            first = (rows.starts, rows.stops, rows.slots, rows.owners, rows.indices, rows.data, other)
            rest = (np.int32(beta), least, slope, factor, pieces)
            self._for_each_row("share_pieces", factor, (*first, *rest), len(rows.starts))
        X = (rows.indptr, rows.indices, rows.data, rows.first_piece, pieces)
        report = self._report(factor)
        numbers = (np.int32(beta), real(l1), real(l2), least, slope, np.int32(sweeps), real(patience))
        self._for_each_row("rescale", factor, (*X, other, sums, *numbers, factor, report))
        return self._progress(report, factor)

    def divergence(self, W: Factor, H: Factor, beta: float) -> float:
        """Return the divergence of the X held and WH, summed in float64."""
        self._check_shapes("W", W, H)
        rows, report = self._rows("W"), self._report(W)
        numbers = (np.int32(beta), *floors(self.dtype))
        self._for_each_row("divergence", W, (rows.indptr, rows.indices, rows.data, H, *numbers, W, report))
        everywhere = self.column_sums(W) @ self.column_sums(H) if beta == 1 else 0.0
        out = self._messenger.room("divergence", (2,))
        self._kernel("add_up", W)((1, 1), (256,), (report, np.int32(report.shape[1]), out))
        return float(self._messenger.back(out)[0] + everywhere)

    def by_rows(self, factor: Factor, product: Factor, k: int, step: RowStep) -> Progress:
        """Call ``step`` for blocks of rows on the device, and add up what it says in their order."""
        self._known = None
        size = max(1, _ITEMS // factor.shape[-1])
        sums = [(0.0, 0.0)]
        with full_device_explained("What a step needs"):
            for start in range(0, len(factor), size):
                rows = slice(start, start + size)
                sums.append(step(factor[rows, :k], product[rows, :k]))
        return Progress(*(float(sum(values)) for values in zip(*sums, strict=True)))

    def by_topics(self, factor: Factor, product: Factor, G: Small, project: TopicProjection) -> Progress:
        """Run the plain version on a copy with a row per topic."""
        self._known = None
        k = len(G)
        with full_device_explained("What a step needs"):
            F, P = (self._cupy.ascontiguousarray(array[:, :k].T) for array in (factor, product))
            progress = by_topics(P, F, G, project)
        factor[:, :k] = F.T
        return progress

    # -- launching ---------------------------------------------------------------------------------------

    def _n_rows(self, side: Side) -> int:
        return self.shape[0] if side == "W" else self.shape[1]

    def _small(self, G: Small, width: int) -> Any:
        """Bring Gram matrices to the device, with zeros up to the width and a last row of 1 / G_tt."""
        k = G.shape[-1]
        held = np.zeros((*G.shape[:-2], width + 1, width), self.dtype)
        held[..., :k, :k] = G
        diagonal = np.diagonal(G, axis1=-2, axis2=-1)
        present = diagonal > 1e8 * np.finfo(self.dtype).tiny  # 1 / G_tt must be a number too
        held[..., width, :k] = np.divide(1.0, diagonal, out=np.zeros(diagonal.shape), where=present)
        return self._messenger.there("G", held)

    def _reported(self, name: str, side: Side, factor: Factor, other: Factor, before: tuple[Any, ...]) -> Progress:
        report = self._report(factor)
        self._launch(name, side, factor, other, (*before, report), self._layout(factor).shared)
        return self._progress(report, factor)

    def _report(self, factor: Factor) -> Any:
        """Return a place for what every block says."""
        blocks = -(-factor.shape[-2] // self._layout(factor).rows)
        starts = factor.shape[0] if factor.ndim == 3 else 1
        return self._buffer("report", (starts, blocks, 2), np.float64)

    def _progress(self, report: Any, factor: Factor) -> Progress:
        """Add the reports up, and let the factor's Gram matrix come with them."""
        starts, count = report.shape[:2]
        width = factor.shape[-1]
        out = self._messenger.room("report", (starts * (2 + width**2),))
        self._kernel("add_up", factor)((1, starts), (256,), (report, np.int32(count), out))
        self._add_gram(factor, factor, out[2 * starts :])
        numbers = self._messenger.back(out)
        grams = numbers[2 * starts :].reshape(*factor.shape[:-2], width, width)
        self._known = factor, grams
        inner, residual = numbers[: 2 * starts].reshape(starts, 2).T
        if factor.ndim == 3:
            return Progress(inner, residual)  # type: ignore[arg-type]
        return Progress(float(inner[0]), float(residual[0]))

    def _launch(
        self, name: str, side: Side, factor: Factor, other: Factor, after: tuple[Any, ...], shared: int
    ) -> None:
        """Run a kernel that has a group of threads for each row of ``factor``."""
        self._check_shapes(side, factor, other)
        none = np.uintp(0)
        if self._dense is None:
            rows = self._rows(side)
            pieces = self._summed_pieces(rows, other)
            X = (rows.indptr, rows.indices, rows.data, rows.first_piece, pieces, none)
        else:
            X = (none, none, none, none, none, self.product(side, other))
        self._for_each_row(name, factor, (*X, *after, np.int64(other.shape[-2])), shared=shared)

    def _for_each_row(
        self, name: str, factor: Factor, arguments: tuple[Any, ...], n: int | None = None, shared: int = 0
    ) -> None:
        shape, n = self._layout(factor), factor.shape[-2] if n is None else n
        starts = factor.shape[0] if factor.ndim == 3 else 1
        if n:
            grid = -(-n // shape.rows), starts
            launch = self._kernel(name, factor)
            launch(grid, (shape.threads,), (*arguments, np.int64(n)), shared_mem=shared)

    def _summed_pieces(self, rows: GpuRows, other: Factor) -> Any:
        """Return a row for every piece: its part of the product."""
        count, shape = len(rows.starts), self._layout(other)
        if not count:
            return np.uintp(0)
        starts = other.shape[0] if other.ndim == 3 else 1
        out = self._buffer("pieces", (starts, count, other.shape[-1]), self.dtype)
        X = (rows.starts, rows.stops, rows.slots, rows.indices, rows.data)
        arguments = (*X, other, out, np.int32(count), np.int64(other.shape[-2]))
        self._kernel("add_pieces", other)((-(-count // shape.rows), starts), (shape.threads,), arguments)
        return out

    def _check_shapes(self, side: Side, factor: Factor, other: Factor) -> None:
        """Kernels trust their arguments."""
        self._known = None
        lengths = self._n_rows(side), self._n_rows(_OTHER[side])
        alike = factor.shape[:-2] == other.shape[:-2] and factor.shape[-1] == other.shape[-1]
        if (factor.shape[-2], other.shape[-2]) != lengths or not alike:
            raise ValueError(f"Factors of shape {factor.shape} and {other.shape} do not fit X of shape {self.shape}.")
