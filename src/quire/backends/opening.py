"""Which back end holds an X that is in memory, or one block of a larger one."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from quire.backends.cpu.products import CpuProducts
from quire.backends.matrix import Matrix
from quire.places.machine import Team, available_memory

# Of each block that is in memory: X from its two sides, and how its rows are shared out.
_SIDES: dict[tuple[int, float], tuple[weakref.ref[Any], dict[Any, Any], dict[Any, Any]]] = {}
# Of each X that is open: it from its two sides, by its array of values.
_OPEN: dict[int, dict[Any, Any]] = {}


def plain_matrix(
    X: Any,
    n_jobs: int | None,
    keep_transposed: bool | None,
    device: str,
    scale: float | None = None,
    team: Team | None = None,
) -> Matrix:
    """Return X in the hands of the CPU or a GPU (``as_matrix`` has the parameters).

    ``scale``: the unit of X is that of a larger one; ``team``: threads that somebody else has.
    """
    if device != "cpu":
        from quire.backends.gpu.matrix import GpuMatrix

        try:
            return GpuMatrix(X, scale)
        except (ValueError, MemoryError):
            if device == "cuda":
                raise
    from quire.backends.cpu.matrix import CpuMatrix

    matrix = CpuMatrix(X, n_jobs, keep_transposed, scale, team)
    if sp.issparse(X) and keep_transposed is None:
        _share_while_open(matrix)
    return matrix


@dataclass(frozen=True)
class Holding:
    """How a task holds its block of X; tasks in the process of the caller share a team of threads."""

    n_jobs: int | None = None
    device: str = "cpu"
    scale: float = 1.0
    team: Team | None = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"team": None}

    def open(self, block: Any) -> Matrix:
        """Return one row block of a larger X in the hands of a back end, in the unit of that X."""
        device = self.device if block.nnz else "cpu"
        X = plain_matrix(block, self.n_jobs, False, device, self.scale, self.team)
        if isinstance(X, CpuProducts):
            _share_sides(block, X)
        return X

    def without_x(self, dtype: Any) -> Matrix:
        """Return a back end for what is done to factors alone."""
        return plain_matrix(sp.csr_array((1, 1), dtype=dtype), self.n_jobs, False, "cpu", 1.0, self.team)


def for_thread(X: Matrix) -> Matrix:
    """Return X as a thread that works beside others may use it; the one given is closed last."""
    own: Callable[[], Matrix] | None = getattr(X, "with_own_room", None)
    return own() if own else X


def _share_while_open(matrix: CpuProducts) -> None:
    """Let an X that is opened within a ``with`` block of its own, as by a start within a fit, be transposed once."""
    (rows,) = matrix._sides["W"]
    sides = _OPEN.setdefault(id(rows.data), matrix._sides)
    (held,) = sides["W"]
    if sides is matrix._sides:
        matrix._held.callback(_OPEN.pop, id(rows.data), None)
    elif held.indices is rows.indices and held.n_columns == rows.n_columns and np.array_equal(held.indptr, rows.indptr):
        matrix._sides = sides


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
        X._known_shares = shares
