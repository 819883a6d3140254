"""X and the factors on the GPU: copies, Gram matrices, sums; what does not look at X's entries.

A factor is an array of rows × width on the device, its columns padded to a multiple of 4; those of several
starts lie one after the other in an array of starts × rows × width, and all that is told then is an array
with a number (or a matrix) for each start.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.gpu.csr import GpuRows
from quire.backends.gpu.device import Messenger, free_bytes, full_device_explained, why_no_gpu
from quire.backends.gpu.kernels import QUAD, Layout, kernel, layout
from quire.backends.matrix import Factor, Side, Small
from quire.places.parts import scale_of

_TILE, _GROUPS = 64, 256  # as in gpugram; blocks of a Gram matrix's grid, over tiles and groups of rows
_LEAST_GROUP = 64  # rows
_SHARE = 0.5  # of the free memory, for several starts
_BUFFERS = 16  # that are kept to be used again


class GpuFactors:
    """X on the GPU, and what can be done to factors alone."""

    stacks = True
    """Whether factors of several starts can be held in one."""

    def __init__(self, X: Any, scale: float | None = None) -> None:
        reason = why_no_gpu()
        if reason:
            raise ValueError(reason)
        if max(X.shape) > np.iinfo(np.int32).max:
            raise ValueError(f"X of shape {X.shape} has too many rows or columns for a GPU: use device='cpu'.")
        import cupy

        self._cupy: Any = cupy
        self._device = int(cupy.cuda.runtime.getDevice())
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype
        self._messenger = Messenger()
        self._buffers: dict[tuple[Any, ...], Any] = {}
        self._known: tuple[Factor, Small] | None = None  # the Gram matrix that came with the last step
        self._dense: Any = None
        self._sides: dict[Side, GpuRows] = {}
        with full_device_explained("X"):
            if sp.issparse(X):
                self._sides["W"] = GpuRows.taken(X)
            else:
                self._dense = cupy.asarray(np.ascontiguousarray(X))
            values = self._sides["W"].data if sp.issparse(X) else self._dense
            self.scale = (scale_of(float(values.max())) if values.size else 1.0) if scale is None else scale
            if self.scale != 1:
                values *= self.dtype.type(1 / self.scale)
                values *= self.dtype.type(1 / self.scale)
            self.squared_norm = float(cupy.square(values, dtype=np.float64).sum())

    def with_own_room(self) -> Self:
        """Return the same X for another thread: what steps write to is of one thread each."""
        if self._dense is None:
            self._rows("H")  # made once, for all of them
        other = copy(self)
        other._messenger, other._buffers, other._known = Messenger(), {}, None
        return other

    def close(self) -> None:
        """Give the device's memory back."""
        self._sides, self._buffers, self._dense, self._known = {}, {}, None, None
        self._cupy.get_default_memory_pool().free_all_blocks()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- X -----------------------------------------------------------------------------------------------

    def _rows(self, side: Side) -> GpuRows:
        """X's rows from one side; Xᵀ is made when it is first asked for, and kept."""
        if "W" not in self._sides:  # a dense X, for the other losses
            self._sides["W"] = GpuRows.taken(sp.csr_array(self._dense.get()))
        if side not in self._sides:
            self._sides[side] = self._sides["W"].transposed(self.shape[1])
        return self._sides[side]

    def squared_rows(self) -> NDArray[np.float64]:
        """‖x‖² of every document."""
        cp = self._cupy
        if self._dense is not None:
            return np.asarray(cp.square(self._dense, dtype=np.float64).sum(axis=1).get())
        rows = self._sides["W"]
        sums = cp.concatenate([cp.zeros(1), cp.cumsum(cp.square(rows.data, dtype=np.float64))])
        return np.asarray(cp.diff(sums[rows.indptr]).get())

    # -- helpers -----------------------------------------------------------------------------------------

    def _layout(self, factor: Factor) -> Layout:
        return layout(factor.shape[-1], self.dtype.itemsize)

    def _kernel(self, name: str, factor: Factor) -> Any:
        return kernel(name, self._layout(factor), self.dtype, self._device)

    def _buffer(self, name: str, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return room on the device that is used again; what was in it is lost."""
        key = (name, shape, np.dtype(dtype))
        if key not in self._buffers:
            with full_device_explained("What a step needs"):
                if len(self._buffers) >= _BUFFERS:
                    self._buffers.clear()
                self._buffers[key] = self._cupy.empty(shape, dtype)
        return self._buffers[key]

    # -- factors -----------------------------------------------------------------------------------------

    def factor(self, array: NDArray[Any]) -> Factor:
        """Copy to the device, where it may be already: C order, this dtype, X's unit and a multiple of 4 columns."""
        k = array.shape[-1]
        with full_device_explained("A factor"):
            repeated = len(array) > 1 and array.strides[0] == 0  # one row for all
            given = array[:1] if repeated else array
            if isinstance(given, self._cupy.ndarray):
                held = self._cupy.array(given, self.dtype, order="C")
            elif given.ndim == 2 and given.T.flags.c_contiguous and len(given) > 1:  # the device is quicker
                turned = self._cupy.asarray(np.asarray(given.T, self.dtype))
                held = self._cupy.ascontiguousarray(turned.T)
            else:
                held = self._cupy.asarray(np.ascontiguousarray(given, self.dtype))
            if k % QUAD or repeated:
                wide = self._cupy.zeros((*array.shape[:-1], -(-k // QUAD) * QUAD), self.dtype)
                wide[..., :k] = held
                held = wide
        if self.scale != 1:
            held /= self.dtype.type(self.scale)
        return held

    def array(self, factor: Factor, k: int) -> NDArray[Any]:
        """Copy to the host without the padding, in the unit of the X that was given."""
        array = np.ascontiguousarray(factor.get()[..., :k])
        if self.scale != 1:
            array *= self.dtype.type(self.scale)
        return array

    def duplicate(self, factor: Factor) -> Factor:
        """Copy."""
        with full_device_explained("A copy of a factor"):
            return factor.copy()

    def copy(self, factor: Factor, into: Factor) -> None:
        """Overwrite ``into``."""
        self._known = None
        self._cupy.copyto(into, factor)

    def scale_topics(self, factor: Factor, by: NDArray[np.float64]) -> None:
        """Multiply the columns."""
        self._known = None
        factor[:, : len(by)] *= self._cupy.asarray(by.astype(self.dtype))

    def column_sums(self, factor: Factor) -> NDArray[np.float64]:
        """Σ over rows."""
        return np.asarray(factor.sum(axis=-2, dtype=np.float64).get())

    def extrapolate(self, factor: Factor, old: Factor, beta: float) -> None:
        """Overwrite ``old`` with [F + beta (F − old)]₊."""
        self._known = None
        blocks = max(1, min(2048, -(-factor.size // 256)))
        arguments = (factor, old, self.dtype.type(beta), np.int64(factor.size))
        self._kernel("extrapolate", factor)((blocks,), (256,), arguments)

    def carry_on(self, kept: Factor, trial: Factor, betas: NDArray[np.float64]) -> None:
        """For each start, keep the trial and extrapolate it; where its beta is negative, go back."""
        self._known = None
        size = kept[0].size
        numbers = self._messenger.there("betas", betas.astype(self.dtype))
        grid = max(1, min(2048, -(-size // 256))), len(betas)
        self._kernel("carry_on", kept)(grid, (256,), (kept, trial, numbers, np.int64(size)))

    def chosen(self, factor: Factor, starts: NDArray[np.int64]) -> Factor:
        """Return the factors of some of the starts."""
        with full_device_explained("A copy of a factor"):
            return factor[self._cupy.asarray(starts)]

    def joined(self, factors: Sequence[Factor]) -> Factor:
        """Return the factors of several groups of starts as those of one."""
        with full_device_explained("The factors of several starts"):
            return self._cupy.concatenate([one if one.ndim == 3 else one[None] for one in factors])

    def starts_at_once(self, k: int) -> int:
        """Return how many starts fit into the memory that is free."""
        copies = 5  # of either factor: kept, tried, a product, and what long rows need
        each = copies * sum(self.shape) * (k + QUAD) * self.dtype.itemsize
        return max(1, int(_SHARE * free_bytes()) // each)

    # -- Gram matrices -----------------------------------------------------------------------------------

    def gram(self, factor: Factor, other: Factor | None = None) -> Small:
        """FᵀF or FᵀB: some rows at a time, those sums in float64."""
        if other is None and self._known is not None and self._known[0] is factor:
            return self._known[1]
        width = factor.shape[-1]
        out = self._messenger.room("gram", (*factor.shape[:-2], width, width))
        self._add_gram(factor, factor if other is None else other, out)
        return self._messenger.back(out)

    def _add_gram(self, factor: Factor, other: Factor, out: Any) -> None:
        """Leave a Gram matrix at ``out``."""
        n, width = factor.shape[-2:]
        starts = factor.shape[0] if factor.ndim == 3 else 1
        tiles = (-(-width // _TILE)) ** 2
        group = max(_LEAST_GROUP, -(-n // max(8, _GROUPS // tiles // starts)))
        groups, same = max(1, -(-n // group)), np.int32(other is factor)
        parts = self._buffer("gram", (starts, groups, width, width), np.float64)
        numbers = np.int64(n), np.int64(group), same, parts
        self._kernel("gram_parts", factor)((tiles, groups, starts), (256,), (factor, other, *numbers))
        grid = -(-(width**2) // 32), starts
        self._kernel("gram_sum", factor)(grid, (256,), (parts, np.int32(groups), same, out))
