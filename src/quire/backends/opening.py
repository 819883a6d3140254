"""Which back end holds an X that is in memory, or one block of a larger one."""

from __future__ import annotations

import weakref
from typing import Any

from quire.backends.cpu.products import CpuProducts
from quire.backends.matrix import Matrix
from quire.places.machine import available_memory

# Of each block that is in memory: X from its two sides, and how its rows are shared out.
_SIDES: dict[tuple[int, float], tuple[weakref.ref[Any], dict[Any, Any], dict[Any, Any]]] = {}


def plain_matrix(
    X: Any, n_jobs: int | None, keep_transposed: bool | None, device: str, scale: float | None = None
) -> Matrix:
    """Return X in the hands of the CPU or a GPU (``as_matrix`` has the parameters).

    ``scale``: the unit of X is that of a larger one.
    """
    if device != "cpu":
        from quire.backends.gpu.matrix import GpuMatrix

        try:
            return GpuMatrix(X, scale)
        except (ValueError, MemoryError):
            if device == "cuda":
                raise
    from quire.backends.cpu.matrix import CpuMatrix

    return CpuMatrix(X, n_jobs, keep_transposed, scale)


def opened(block: Any, n_jobs: int | None, device: str, scale: float) -> Matrix:
    """Return one row block of a larger X in the hands of a back end, in the unit of that X."""
    X = plain_matrix(block, n_jobs, False, device if block.nnz else "cpu", scale)
    if isinstance(X, CpuProducts):
        _share_sides(block, X)
    return X


def _share_sides(block: Any, X: CpuProducts) -> None:
    """Let a block that is opened again, since it stayed in memory, keep its transpose beside it."""
    key = id(block), X.scale
    if key not in _SIDES:
        _SIDES[key] = weakref.ref(block, lambda _: _SIDES.pop(key, None)), dict(X._sides), {}
        return
    _, sides, shares = _SIDES[key]
    size = sum(array.nbytes for array in (block.data, block.indices, block.indptr))
    if "H" in sides or size * len(_SIDES) < available_memory() / 4:
        X._sides, X._keep_transposed = sides, True
    if "H" in sides:  # else the shares of that side would be those of no transpose
        X._known_shares = shares.setdefault(X._team.n_threads, {})
