"""X on the GPU from either side: CSR rows, of which the long ones are cut into pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from quire.backends.gpu.device import full_device_explained

PIECE = 512  # entries of a row that one group of threads adds up


@dataclass(frozen=True)
class GpuRows:
    """CSR rows on the device, and the pieces of those that are long (common words, in Xᵀ)."""

    indptr: Any
    indices: Any
    data: Any
    first_piece: Any  # of every row, and one more; none for a short row
    starts: Any  # of the pieces, in the order of their first column, so that neighbours share the cache
    stops: Any
    slots: Any  # where a piece's sum goes: a row's pieces side by side
    owners: Any  # the row of each piece

    @classmethod
    def taken(cls, X: sp.csr_array) -> GpuRows:
        """Copy a CSR array to the device."""
        import cupy

        with full_device_explained("X"):
            types = (X.indptr, np.int64), (X.indices, np.int32), (X.data, X.dtype)
            return cls.cut(*(cupy.asarray(np.ascontiguousarray(array, kind)) for array, kind in types))

    @classmethod
    def cut(cls, indptr: Any, indices: Any, data: Any) -> GpuRows:
        """Cut long rows into pieces of equal length, but for the last."""
        import cupy as cp

        lengths = cp.diff(indptr)
        counts = cp.where(lengths > PIECE, -(-lengths // PIECE), 0)
        first = cp.concatenate([cp.zeros(1, np.int64), cp.cumsum(counts)])
        slots = cp.arange(int(first[-1]))
        owners = cp.searchsorted(first, slots, side="right") - 1
        starts = indptr[owners] + (slots - first[owners]) * PIECE
        stops = cp.minimum(starts + PIECE, indptr[owners + 1])
        if len(slots):
            order = cp.argsort(indices[starts].astype(np.int64) * len(slots) + slots)
            starts, stops, slots, owners = starts[order], stops[order], slots[order], owners[order]
        pieces = starts, stops, slots.astype(np.int32), owners.astype(np.int32)
        return cls(indptr, indices, data, first.astype(np.int32), *pieces)

    def transposed(self, n_columns: int) -> GpuRows:
        """Return the rows of the transpose, the entries of each in the order of the rows here."""
        import cupy as cp

        n = len(self.indptr) - 1
        if not len(self.data):
            return self.cut(cp.zeros(n_columns + 1, np.int64), self.indices, self.data)
        with full_device_explained("The transpose of X"):
            owners = cp.searchsorted(self.indptr, cp.arange(len(self.data)), side="right") - 1
            order = cp.argsort(self.indices.astype(np.int64) * n + owners)  # no two alike
            indptr = cp.zeros(n_columns + 1, np.int64)
            indptr[1:] = cp.cumsum(cp.bincount(self.indices, minlength=n_columns))
            return self.cut(indptr, owners[order].astype(np.int32), self.data[order])
