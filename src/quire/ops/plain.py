"""Which back end holds an X that is in memory, or one block of a larger one."""

from __future__ import annotations

import weakref
from typing import Any

from quire.ops.matrix import Matrix
from quire.ops.memory import available_memory
from quire.ops.products import CpuProducts

# Of each block that is in memory: X from its two sides.
_SIDES: dict[tuple[int, float], tuple[weakref.ref[Any], dict[Any, Any]]] = {}


def plain_matrix(
    X: Any, n_jobs: int | None, keep_transposed: bool | None, device: str, scale: float | None = None
) -> Matrix:
    """Return X in the hands of the CPU or a GPU (:func:`quire.ops.backend.as_matrix` has the parameters).

    ``scale``: the unit of X is that of a larger one.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.plain import plain_matrix
    >>> with plain_matrix(np.eye(3), 1, None, "cpu") as X:
    ...     X.squared_norm
    3.0
    """
    if device != "cpu":
        from quire.ops.gpu import GpuMatrix

        try:
            return GpuMatrix(X, scale)
        except (ValueError, MemoryError):
            if device == "cuda":
                raise
    from quire.ops.cpu import CpuMatrix

    return CpuMatrix(X, n_jobs, keep_transposed, scale)


def opened(block: Any, n_jobs: int | None, device: str, scale: float) -> Matrix:
    """Return one row block of a larger X in the hands of a back end, in the unit of that X.

    Parameters
    ----------
    block : CSR array
        Some rows of X.
    n_jobs, device
        As for :func:`quire.ops.backend.as_matrix`.
    scale : float
        Of the whole X.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.ops.plain import opened
    >>> with opened(sp.csr_array(np.eye(2)), 1, "cpu", 1.0) as X:
    ...     X.shape
    (2, 2)
    """
    X = plain_matrix(block, n_jobs, False, device if block.nnz else "cpu", scale)
    if isinstance(X, CpuProducts):
        _share_sides(block, X)
    return X


def _share_sides(block: Any, X: CpuProducts) -> None:
    """Let a block that is opened again, since it stayed in memory, keep its transpose beside it."""
    key = id(block), X.scale
    if key not in _SIDES:
        _SIDES[key] = weakref.ref(block, lambda _: _SIDES.pop(key, None)), dict(X._sides)
        return
    sides = _SIDES[key][1]
    size = sum(array.nbytes for array in (block.data, block.indices, block.indptr))
    if "H" in sides or size * len(_SIDES) < available_memory() / 4:
        X._sides, X._keep_transposed = sides, True
