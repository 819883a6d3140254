"""X on the CPU: as CSR or a dense array, its products with a factor, ranges of rows for a team of threads."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.cpu.csr import Csr, rows_of, transposed
from quire.backends.kernels.compiled import compiled
from quire.backends.kernels.layout import LANE_BYTES, WIDTH
from quire.backends.kernels.native import Kernel
from quire.backends.matrix import Side, Small
from quire.places.machine import Team, allowed_threads, available_memory, equal_shares, single_threaded_blas
from quire.places.parts import safe_scale, squared_norm

_SUMMED = 8192  # rows whose sums one thread makes, fixed as below
BLAS_ROWS = 2048  # fixed, so that BLAS sees the same blocks for any number of threads
_MOST_GRAMS = 64  # blocks of a Gram matrix, which are all in memory before they are summed
LEAST_COST, MOST_COST = 1e5, 1e8  # vector operations worth a call, and between two looks at Ctrl-C
_DENSE_ITEMS = 1 << 24  # of X in one product of a dense X
_SMALL = 1 << 25  # bytes of X that are transposed unasked


class CpuProducts:
    """X and what is linear in it, for a ``with`` block: it holds threads, and BLAS to one thread each.

    :class:`quire.backends.cpu.matrix.CpuMatrix` adds the steps of the rules.
    """

    def __init__(
        self,
        X: Any,
        n_jobs: int | None = None,
        keep_transposed: bool | None = None,
        scale: float | None = None,
        team: Team | None = None,
    ) -> None:
        self._held = ExitStack()
        self._finalizer = weakref.finalize(self, self._held.close)
        try:
            self._team = team or self._held.enter_context(Team(allowed_threads(n_jobs)))
            self._held.enter_context(single_threaded_blas())
            self._scale_given = scale
            self._take(X, keep_transposed)
        except BaseException:
            self.close()
            raise

    def _take(self, X: Any, keep_transposed: bool | None) -> None:
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype
        self._lanes = LANE_BYTES // self.dtype.itemsize
        values = X.data if sp.issparse(X) else X.reshape(-1)
        self.scale = safe_scale(values) if self._scale_given is None else self._scale_given
        if self.scale != 1:
            X = X * self.dtype.type(1 / self.scale) * self.dtype.type(1 / self.scale)
            values = X.data if sp.issparse(X) else X.reshape(-1)
        self._values = values
        self._sides: dict[Side, tuple[Csr, ...] | NDArray[Any]]
        self._index = np.dtype(np.int32)
        if sp.issparse(X):
            rows = rows_of(X)
            self._sides = {"W": (rows,)}
            self._keep_transposed = keep_transposed
            self._index = rows.indices.dtype
        else:
            self._sides = {"W": X, "H": X.T}
        self._known_shares: dict[tuple[Side, int, int, int, int], NDArray[np.int64]] = {}
        self._products: dict[Side, NDArray[Any]] = {}

    @cached_property
    def squared_norm(self) -> float:
        """‖X‖², counted when it is first asked for."""
        return squared_norm(self._values)

    def close(self) -> None:
        """End the threads, and give BLAS its own back."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _side(self, side: Side) -> tuple[Csr, ...] | NDArray[Any]:
        """X from one side: an array, or blocks of CSR rows. Xᵀ is made when it is first asked for."""
        if side not in self._sides:
            (rows,) = self._sides["W"]
            keep = self._keep_transposed
            if keep is None:  # to ask what memory there is takes longer than to transpose a small X
                keep = rows.nbytes <= _SMALL or rows.nbytes < available_memory() / 2
            self._sides[side] = transposed(rows, self._team) if keep else ()
        return self._sides[side]

    def _kernel(self, name: str) -> Kernel:
        return compiled(name, self.dtype, self._index)

    # -- factors -----------------------------------------------------------------------------------------

    def factor(self, array: NDArray[Any]) -> NDArray[Any]:
        """Copy into C order, this dtype, X's unit and a multiple of WIDTH columns."""
        rows, k = array.shape
        padded = np.zeros((rows, -(-k // WIDTH) * WIDTH), self.dtype)
        padded[:, :k] = array
        if self.scale != 1:
            padded /= self.dtype.type(self.scale)
        return padded

    def array(self, factor: NDArray[Any], k: int) -> NDArray[Any]:
        """Copy without the padding, in the unit of the X that was given."""
        array = np.array(factor[:, :k], order="C")
        if self.scale != 1:
            array *= self.dtype.type(self.scale)
        return array

    def duplicate(self, factor: NDArray[Any]) -> NDArray[Any]:
        """Copy."""
        return factor.copy()

    def copy(self, factor: NDArray[Any], into: NDArray[Any]) -> None:
        """Overwrite ``into``."""
        np.copyto(into, factor)

    def gram(self, factor: NDArray[Any], other: NDArray[Any] | None = None) -> Small:
        """FᵀF or FᵀB, summed in float64 over blocks of rows of a fixed size."""
        size = max(BLAS_ROWS, -(-len(factor) // _MOST_GRAMS))
        starts = range(0, max(len(factor), 1), size)
        parts = np.empty((len(starts), factor.shape[1], factor.shape[1]), self.dtype)
        right = factor if other is None else other

        def one(c: int) -> None:
            rows = slice(starts[c], starts[c] + size)
            np.matmul(factor[rows].T, right[rows], out=parts[c])

        self._team.run(one, len(starts))
        return np.asarray(parts.sum(axis=0, dtype=np.float64))

    def scale_topics(self, factor: NDArray[Any], by: NDArray[np.float64]) -> None:
        """Multiply the columns."""
        factor[:, : len(by)] *= by.astype(self.dtype)

    def squared_rows(self) -> NDArray[np.float64]:
        """‖x‖² of every document."""
        held = self._sides["W"]
        if isinstance(held, np.ndarray):
            return np.asarray(np.einsum("ij,ij->i", held, held, dtype=np.float64))
        rows = held[0]
        squares = sp.csr_array((np.square(rows.data), rows.indices, rows.indptr), self.shape)
        return np.asarray(squares.sum(axis=1, dtype=np.float64)).ravel()

    def column_sums(self, factor: NDArray[Any]) -> NDArray[np.float64]:
        """Σ over rows."""
        starts = range(0, len(factor), _SUMMED)
        sums = np.zeros((len(starts), factor.shape[1]))

        def add(c: int) -> None:
            factor[starts[c] : starts[c] + _SUMMED].sum(axis=0, dtype=np.float64, out=sums[c])

        self._team.run(add, len(starts))
        return np.asarray(sums.sum(axis=0))

    def extrapolate(self, factor: NDArray[Any], old: NDArray[Any], beta: float) -> None:
        """Overwrite ``old`` with [F + beta (F − old)]₊."""
        run = self._kernel("extrapolate").on(factor, old, self.dtype.type(beta))
        bounds = np.linspace(0, len(factor), self._team.sharing + 1).astype(np.int64)
        self._team.run(lambda c: run(bounds[c], bounds[c + 1]), len(bounds) - 1)

    # -- products -----------------------------------------------------------------------------------------

    def product(self, side: Side, other: NDArray[Any]) -> NDArray[Any]:
        """X Hᵀ or XᵀW."""
        out = np.zeros((self._n_rows(side), other.shape[1]), self.dtype)
        self._add_product(side, other, out)
        return out

    def _n_rows(self, side: Side) -> int:
        return self.shape[0] if side == "W" else self.shape[1]

    def _add_product(self, side: Side, other: NDArray[Any], out: NDArray[Any]) -> None:
        """Add X Hᵀ or XᵀW to ``out``."""
        self._check_shapes(side, out, other)
        held = self._side(side)
        if isinstance(held, np.ndarray):
            self._add_dense(held, other, out)
        elif held:
            kernel = self._kernel("product")
            for number, rows in enumerate(held):
                bounds = self._shares(side, number, other.shape[1], 0)
                run = kernel.on(rows.indptr, rows.indices, rows.data, other, out)

                def part(c: int, run: Callable[..., None] = run, bounds: NDArray[np.int64] = bounds) -> None:
                    run(bounds[c], bounds[c + 1])

                self._team.run(part, len(bounds) - 1)
        else:
            self._scatter(other, out)

    def _add_dense(self, held: NDArray[Any], other: NDArray[Any], out: NDArray[Any]) -> None:
        """BLAS on blocks whose size depends on the shape alone, so that threads change no bit."""
        size = min(max(64, min(_DENSE_ITEMS // held.shape[1], -(-len(held) // 16))), BLAS_ROWS)
        starts = range(0, len(out), size)

        def part(c: int) -> None:
            rows = slice(starts[c], starts[c] + size)
            out[rows] += held[rows] @ other

        self._team.run(part, len(starts))

    def _scatter(self, other: NDArray[Any], out: NDArray[Any]) -> None:
        """Xᵀ W from the rows of X: threads share out the topics, so the sums keep their order."""
        rows = self._sides["W"][0]
        run = self._kernel("scatter").on(rows.indptr, rows.indices, rows.data, other, out)
        cuts = equal_shares(np.arange(other.shape[1] + 1), self._team.sharing, WIDTH)
        n_segments = math.ceil((rows.indptr[-1] + 1) * other.shape[1] / 8 / MOST_COST)
        segments = equal_shares(rows.indptr, n_segments)
        for start, stop in pairwise(segments):

            def part(c: int, start: int = start, stop: int = stop) -> None:
                width = cuts[c + 1] - cuts[c]
                run(start, stop, cuts[c], width)

            self._team.run(part, len(cuts) - 1)

    def _check_shapes(self, side: Side, factor: NDArray[Any], other: NDArray[Any]) -> None:
        """Kernels trust their arguments."""
        rows = self._n_rows(side), self._n_rows("H" if side == "W" else "W")
        if (len(factor), len(other)) != rows or factor.shape[1] != other.shape[1]:
            raise ValueError(f"Factors of shape {factor.shape} and {other.shape} do not fit X of shape {self.shape}.")

    def _shares(self, side: Side, block: int, width: int, sweeps: int) -> NDArray[np.int64]:
        """Ranges of rows of about equal work, counted in vector operations, each far below a second."""
        sweeps, sharing = min(sweeps, 64), self._team.sharing
        key = (side, block, width, sweeps, sharing)
        if key not in self._known_shares:
            held = self._side(side)
            each = width * width / 16 * min(sweeps, 2) + 4 * width
            cost = np.arange(self._n_rows(side) + 1) * each
            if isinstance(held, tuple) and held:
                cost += held[block].indptr * (width / 8)
            most = cost[-1] + len(cost) * width * width / 16 * sweeps
            n_chunks = self._team.chunks(cost[-1], LEAST_COST, MOST_COST, most)
            self._known_shares[key] = equal_shares(cost, n_chunks, self._lanes)
        return self._known_shares[key]
