"""Which back end holds X."""

from __future__ import annotations

from typing import Any

from quire.ops.matrix import Matrix


def as_matrix(X: Any, n_jobs: int | None = None, keep_transposed: bool | None = None) -> Matrix:
    """Return X in the hands of a back end, to be used in a ``with`` block.

    Parameters
    ----------
    X : CSR matrix or array, or a dense array
        Checked (:func:`quire.check.check_matrix`).
    n_jobs : int or None
        Threads; None for all that may be used.
    keep_transposed : bool or None
        See :class:`quire.ops.cpu.CpuMatrix`.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.backend import as_matrix
    >>> with as_matrix(np.eye(3)) as X:
    ...     X.squared_norm
    3.0
    """
    from quire.ops.cpu import CpuMatrix

    return CpuMatrix(X, n_jobs, keep_transposed)
