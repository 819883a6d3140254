"""Kernels that count over the documents of a matrix: NumPy's ways to do it hold all other threads up."""

from __future__ import annotations

from typing import Any

import numpy as np

_BIN, _VALUE, _LOW = np.uint64(59), np.uint64(32), np.uint64(0xFFFF)


def tally(indptr: Any, indices: Any, owners: Any, tallies: Any, start: int, stop: int) -> None:
    """Add 1 to tallies[owners[i], j] for every entry (i, j) of rows start:stop; a row of owner −1 is left out."""
    for i in range(start, stop):
        owner = owners[i]
        if owner >= 0:
            for p in range(indptr[i], indptr[i + 1]):
                tallies[owner, indices[p]] += 1


def sketch(indptr: Any, indices: Any, keys: Any, sketches: Any, start: int, stop: int) -> None:
    """Set sketches[i, b] to the least value of the keys of row i's columns that fall into bin b, where it is less.

    The bin of a key is its first 5 bits, its value the 16 in its middle.
    """
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            key = keys[indices[p]]
            bin, value = np.int64(key >> _BIN), np.uint16((key >> _VALUE) & _LOW)
            if value < sketches[i, bin]:
                sketches[i, bin] = value


KERNELS = (tally, sketch)
