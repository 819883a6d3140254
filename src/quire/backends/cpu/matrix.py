"""The CPU back end: what a rule's half step does to a factor, over ranges of rows on a team of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.cpu.csr import no_rows
from quire.backends.cpu.losses import CpuLosses
from quire.backends.cpu.products import BLAS_ROWS, LEAST_COST, MOST_COST
from quire.backends.kernels.compiled import compiled
from quire.backends.kernels.layout import TILE
from quire.backends.matrix import Progress, RowStep, Side, Small, TopicProjection
from quire.backends.reference.matrix import by_topics
from quire.places.machine import equal_shares

_TOGETHER = 8  # blocks of rows that one call of a compiled step is given: what is computed for them stays in cache


class CpuMatrix(CpuLosses):
    """X for the CPU, to be used in a ``with`` block (see ``CpuProducts``)."""

    def descend(
        self, side: Side, factor: NDArray[Any], other: NDArray[Any], G: Small, l1: float, sweeps: int,
        patience: float,
    ) -> Progress:  # fmt: skip
        """Coordinate descent on every row, fused with the product where that is one pass over CSR rows."""
        real = self.dtype.type
        G = padded(G, factor.shape[1])
        diagonal = np.diag(G)
        present = diagonal > 1e8 * np.finfo(self.dtype).tiny  # 1 / G_tt must be a number too
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=present).astype(self.dtype)
        after = (inverse, real(l1), _used(diagonal), factor, sweeps, real(patience))
        room = (self._lanes, len(G)), (2 * len(G) + 4, self._lanes)
        return self._fused("descend", side, factor, other, G, after, sweeps, room)

    def multiply(self, side: Side, factor: NDArray[Any], other: NDArray[Any], G: Small, l1: float) -> Progress:
        """Multiply every row, fused with the product as :meth:`descend` is."""
        G = padded(G, factor.shape[1])
        after = (self.dtype.type(l1), factor)
        return self._fused("multiply", side, factor, other, G, after, 1, ((2, len(G)),))

    def _fused(
        self, name: str, side: Side, factor: NDArray[Any], other: NDArray[Any], G: Small,
        after: tuple[Any, ...], sweeps: int, room: tuple[tuple[int, int], ...],
    ) -> Progress:  # fmt: skip
        """Run a kernel that takes the rows of X, or their products where those are not one CSR.

        ``room``: the shapes of the arrays that it works in, which every call has for itself.
        """
        held = self._side(side)
        fused = isinstance(held, tuple) and len(held) == 1
        rows = held[0] if fused else no_rows(self.dtype)
        P = self._targets(side, factor, other, fused)
        report = np.zeros((-(-len(factor) // self._lanes), 2))
        bounds = self._shares(side, 0, G.shape[0], sweeps)
        kernel = self._kernel(name) if fused else compiled(name, self.dtype, rows.indices.dtype)
        run = kernel.on(rows.indptr, rows.indices, rows.data, other, P, fused, G.astype(self.dtype), *after)

        def part(c: int) -> None:
            run(*(np.zeros(shape, self.dtype) for shape in room), report, bounds[c], bounds[c + 1])

        self._team.run(part, len(bounds) - 1)
        inner, residual = report.sum(axis=0)
        return Progress(float(inner), float(residual))

    def solve_rows(self, factor: NDArray[Any], product: NDArray[Any], G: Small, l1: float, total: float) -> Progress:
        """Solve every row exactly, begun from the row that is there; G has no padding."""
        G = np.ascontiguousarray(G, np.float64)
        k = len(G)
        if G.shape != (k, k) or k > factor.shape[1] or factor.shape != product.shape:
            raise ValueError(f"A Gram matrix of shape {G.shape} does not fit factors of shape {factor.shape}.")
        present = (np.diag(G) > 1e8 * np.finfo(self.dtype).tiny) | (total > 0)  # Σf = total needs them all
        report = np.zeros((-(-len(factor) // self._lanes), 2))
        cost = np.arange(len(factor) + 1) * (k * k + 64.0)  # a range takes far below a second
        bounds = equal_shares(cost, self._team.chunks(cost[-1], LEAST_COST / 10, MOST_COST / 10), self._lanes)
        run = compiled("solve_rows", self.dtype).on(product, factor, G, present, l1, total)

        def part(c: int) -> None:
            room = np.zeros((k + 7, k + 2)), np.zeros(k, np.int64), np.zeros((2, k), bool)
            run(*room, report, bounds[c], bounds[c + 1])

        self._team.run(part, len(bounds) - 1)
        inner, residual = report.sum(axis=0)
        return Progress(float(inner), float(residual))

    def by_rows(self, factor: NDArray[Any], product: NDArray[Any], k: int, step: RowStep) -> Progress:
        """Call ``step`` for blocks of rows of a fixed size, and add up what it says in their order.

        One that has a ``compiled`` twin gets several with their padding, as kernels want it, and tells of each.
        """
        n_blocks = -(-len(factor) // BLAS_ROWS)
        report = np.zeros((n_blocks, 2))
        fast: Callable[..., list[tuple[float, float]]] | None = getattr(step, "compiled", None)
        together = max(1, min(_TOGETHER, n_blocks // (2 * self._team.sharing))) if fast else 1
        chunks = range(0, n_blocks, together)

        def part(c: int) -> None:
            at = slice(chunks[c], chunks[c] + together)
            rows = slice(chunks[c] * BLAS_ROWS, (chunks[c] + together) * BLAS_ROWS)
            if fast:
                report[at] = fast(factor[rows], product[rows], BLAS_ROWS)
            else:
                report[at] = step(factor[rows, :k], product[rows, :k])

        self._team.run(part, len(chunks))
        inner, residual = report.sum(axis=0)
        return Progress(float(inner), float(residual))

    def by_topics(self, factor: NDArray[Any], product: NDArray[Any], G: Small, project: TopicProjection) -> Progress:
        """Run the plain version on a copy with a row per topic: a topic's values lie side by side there."""
        k = len(G)
        F, P = (np.ascontiguousarray(array[:, :k].T) for array in (factor, product))
        progress = by_topics(P, F, G, project)
        factor[:, :k] = F.T
        return progress

    def _targets(self, side: Side, factor: NDArray[Any], other: NDArray[Any], fused: bool) -> NDArray[Any]:
        """Return the product for :meth:`descend`, in a buffer used again; a dummy where it is fused."""
        if fused:
            self._check_shapes(side, factor, other)
            return np.zeros((1, other.shape[1]), self.dtype)
        if side not in self._products or self._products[side].shape != factor.shape:
            self._products[side] = np.empty(factor.shape, self.dtype)
        self._products[side].fill(0)
        self._add_product(side, other, self._products[side])
        return self._products[side]


def padded(G: Small, width: int) -> Small:
    """Return a small square matrix with zeros up to the width of a padded factor."""
    wide = np.zeros((width, width), G.dtype)
    wide[: len(G), : len(G)] = G
    return wide


def _used(diagonal: NDArray[Any]) -> int:
    """Topics that a sweep must visit: up to the last that is there, in whole tiles."""
    there = np.flatnonzero(diagonal)
    return -(-(int(there[-1]) + 1) // TILE) * TILE if len(there) else 0
