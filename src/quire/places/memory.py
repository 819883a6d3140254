"""A place in memory: what is large but fits is worked on in row blocks too, none of them copied."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from quire.places.disk import Kept, LocalPlace
from quire.places.indices import as_csr
from quire.places.machine import allowed_threads
from quire.places.parts import Blocks

_BLOCK, _ON_DEVICE = 32_768, 1 << 17  # documents that are looked at together, here and on a GPU


class MemoryPlace(LocalPlace):
    """Keeps things as they are; with a GPU blocks are worked on one after the other."""

    copies: bool = False

    def __init__(self, device: str = "cpu", n_jobs: int | None = None) -> None:
        self.device = device
        self.threads = allowed_threads(n_jobs) if device == "cpu" else 1

    def put(self, thing: Any) -> Kept:
        """Keep something."""
        return Kept(thing)


def in_blocks(X: Any, device: str = "cpu", rows: int | None = None, n_jobs: int | None = None) -> Blocks:
    """Return X in row blocks: those it has, or views of a matrix that is in memory."""
    if isinstance(X, Blocks):
        return X
    return in_memory(as_csr(X, Blocks.__name__), rows or (_BLOCK if device == "cpu" else _ON_DEVICE), device, n_jobs)


def in_memory(X: sp.csr_array, rows: int, device: str = "cpu", n_jobs: int | None = None) -> Blocks:
    """Return a matrix cut into blocks that are views of it."""
    place = MemoryPlace(device, n_jobs)
    starts = range(0, max(X.shape[0], 1), rows)
    return Blocks.of(place, [place.put(row_view(X, at, at + rows)) for at in starts])


def row_view(X: sp.csr_array, start: int, stop: int) -> sp.csr_array:
    """Return some rows of a matrix without a copy."""
    ends = X.indptr[start : stop + 1]
    inside = slice(ends[0], ends[-1])
    block = sp.csr_array((len(ends) - 1, X.shape[1]), dtype=X.dtype)
    # its constructor would copy what is a small part of something
    block.data, block.indices, block.indptr = X.data[inside], X.indices[inside], ends - ends[0]
    return block
