"""The CPU back end's other losses: multiplicative updates and divergences.

Kullback-Leibler needs the entries of X alone, and Itakura-Saito allows no zeros: a kernel over one CSR for each side.
Any other loss needs every zero of X too: BLAS, over dense blocks of rows, as for the Itakura-Saito divergence of an X
that is dense, and of rows that are solved for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.cpu.csr import Csr, rows_of, transposed
from quire.backends.cpu.products import BLAS_ROWS, LEAST_COST, MOST_COST, CpuProducts
from quire.backends.kernels.compiled import compiled
from quire.backends.matrix import Progress, Side
from quire.backends.reference.losses import divergence, floors, slopes
from quire.backends.reference.newton import MANY, improve_rows
from quire.places.machine import equal_shares

_BLOCK_ITEMS = 1 << 16  # of X in a dense block: a few arrays of that size stay in cache


class CpuLosses(CpuProducts):
    """What ``CpuMatrix`` offers for divergences.

    A row's update needs x / y of all its entries at once, so each side is one CSR: also of a dense X, and
    of an Xᵀ that is otherwise kept in blocks or not at all. It is made when first needed, and kept.
    """

    def _take(self, X: Any, keep_transposed: bool | None) -> None:
        super()._take(X, keep_transposed)
        self._whole_sides: dict[Side, Csr] = {}
        self._dense_sides: dict[Side, NDArray[Any]] = {}
        self._bounds: dict[tuple[Side, int, int, int], NDArray[np.int64]] = {}

    def rescale(
        self, side: Side, factor: NDArray[Any], other: NDArray[Any], beta: float, l1: float, l2: float,
        sweeps: int, patience: float,
    ) -> Progress:  # fmt: skip
        """Multiplicative updates of every row, in place (see ``rescale``)."""
        self._check_shapes(side, factor, other)
        if self._goes_by_blocks(beta, sweeps):
            step, k = (beta, l1, l2, sweeps, patience), _width(factor, other)
            B = np.ascontiguousarray(other[:, :k])
            moved = self._over_blocks(side, lambda x, at: improve_rows(x, factor[at, :k], B, *step).residual)
            return Progress(0.0, moved)
        rows, real = self._whole(side), self.dtype.type
        kernel = compiled("rescale", self.dtype, rows.indices.dtype)
        sums, lowest = slopes(self._float64_sums(other), self.dtype), floors(self.dtype)
        report = np.zeros((len(factor), 1))
        bounds = self._ranges(side, factor.shape[1], sweeps)
        run = kernel.on(rows.indptr, rows.indices, rows.data, other, sums, real(beta), real(l1), real(l2), lowest,
                        factor, sweeps, real(patience))  # fmt: skip

        def part(c: int) -> None:
            run(np.zeros((2, factor.shape[1]), self.dtype), report, bounds[c], bounds[c + 1])

        self._team.run(part, len(bounds) - 1)
        return Progress(0.0, float(report.sum()))

    def divergence(self, W: NDArray[Any], H: NDArray[Any], beta: float) -> float:
        """Return the divergence of the X held, which is X / ``scale²``, and WH, summed in float64."""
        self._check_shapes("W", W, H)
        if self._goes_by_blocks(beta):
            k = _width(W, H)
            B = np.ascontiguousarray(H[:, :k], self.dtype if beta == 0 else np.float64)
            return self._over_blocks("W", lambda x, at: divergence(x, W[at, :k], B, beta))
        rows = self._whole("W")
        kernel = compiled("divergence", self.dtype, rows.indices.dtype)
        lowest, report = floors(self.dtype), np.zeros((len(W), 1))
        bounds = self._ranges("W", W.shape[1], 1)
        run = kernel.on(rows.indptr, rows.indices, rows.data, H, W, beta, lowest, report)
        self._team.run(lambda c: run(bounds[c], bounds[c + 1]), len(bounds) - 1)
        everywhere = self._float64_sums(W) @ self._float64_sums(H) if beta == 1 else 0.0
        return float(report.sum() + everywhere)

    def _goes_by_blocks(self, beta: float, sweeps: int = 1) -> bool:
        """Say whether dense blocks are taken: no kernel has the loss, X is dense, or the minimum is asked for."""
        if beta == 0:
            return sweeps >= MANY or isinstance(self._side("W"), np.ndarray)
        return beta != 1

    def _over_blocks(self, side: Side, told: Callable[[NDArray[Any], slice], float]) -> float:
        """Add up what is told of dense blocks of rows, whose size depends on the shape alone."""
        n_rows, n_columns = self.shape if side == "W" else self.shape[::-1]
        size = max(1, min(_BLOCK_ITEMS // n_columns, BLAS_ROWS))
        starts = range(0, n_rows, size)
        report = np.zeros(len(starts))

        def one(c: int) -> None:
            at = slice(starts[c], starts[c] + size)
            report[c] = told(self._dense(side, at), at)

        self._team.run(one, len(starts))
        return float(report.sum())

    def _dense(self, side: Side, at: slice) -> NDArray[Any]:
        """Return some rows of X or Xᵀ as an array, one after the other."""
        held = self._side("W")
        if isinstance(held, np.ndarray):
            if side not in self._dense_sides:
                self._dense_sides[side] = held if side == "W" else np.ascontiguousarray(held.T)
            return self._dense_sides[side][at]
        rows = self._whole(side)
        shape = self.shape if side == "W" else self.shape[::-1]
        return np.asarray(sp.csr_array((rows.data, rows.indices, rows.indptr), shape)[at].toarray())

    def _whole(self, side: Side) -> Csr:
        """X or Xᵀ as one CSR."""
        if side not in self._whole_sides:
            held = self._side("W") if side == "W" else self._sides.get("H", ())
            if isinstance(held, tuple) and len(held) == 1:
                self._whole_sides[side] = held[0]
            elif side == "W":
                self._whole_sides[side] = rows_of(sp.csr_array(held))
            else:
                rows = self._whole("W")
                (self._whole_sides[side],) = transposed(rows, self._team, block_rows=max(1, rows.n_rows))
        return self._whole_sides[side]

    def _float64_sums(self, factor: NDArray[Any]) -> NDArray[np.float64]:
        """Σ over the rows, in blocks of a fixed size; BLAS takes a third of the time of ``np.sum``."""
        starts = range(0, max(1, len(factor)), BLAS_ROWS)
        parts = np.empty((len(starts), factor.shape[1]))

        def one(c: int) -> None:
            block = factor[starts[c] : starts[c] + BLAS_ROWS].astype(np.float64, copy=False)
            np.matmul(np.ones(len(block)), block, out=parts[c])

        self._team.run(one, len(starts))
        return np.asarray(parts.sum(axis=0))

    def _ranges(self, side: Side, width: int, sweeps: int) -> NDArray[np.int64]:
        """Ranges of rows of about equal work, counted in vector operations, each far below a second."""
        key = side, width, sweeps, self._team.sharing
        if key in self._bounds:
            return self._bounds[key]
        rows = self._whole(side)
        cost = (rows.indptr * 4.0 + 8.0 * np.arange(rows.n_rows + 1)) * (width / 8)
        n_chunks = self._team.chunks(cost[-1] * min(sweeps, 64), LEAST_COST, MOST_COST)
        self._bounds[key] = equal_shares(cost, n_chunks)
        return self._bounds[key]


def _width(*factors: NDArray[Any]) -> int:
    """Return how many columns there are before the padding, and one at least."""
    there = np.flatnonzero(np.logical_or.reduce([factor.any(axis=0) for factor in factors]))
    return int(there[-1]) + 1 if len(there) else 1
