"""Which back end holds an X that is in memory, or one block of a larger one."""

from __future__ import annotations

from typing import Any

from quire.ops.matrix import Matrix
from quire.ops.unit import safe_scale


def plain_matrix(X: Any, n_jobs: int | None, keep_transposed: bool | None, device: str) -> Matrix:
    """Return X in the hands of the CPU or a GPU (:func:`quire.ops.backend.as_matrix` has the parameters).

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
            return GpuMatrix(X)
        except (ValueError, MemoryError):
            if device == "cuda":
                raise
    from quire.ops.cpu import CpuMatrix

    return CpuMatrix(X, n_jobs, keep_transposed)


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
    if device != "cpu" and scale == 1 and block.nnz and safe_scale(block.data) == 1:
        return plain_matrix(block, n_jobs, None, device)
    from quire.ops.cpu import CpuMatrix

    return CpuMatrix(block, n_jobs, False, scale)
