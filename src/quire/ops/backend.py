"""Which back end holds X."""

from __future__ import annotations

from typing import Any

from quire.blocks.matrix import Blocks
from quire.ops.matrix import Matrix
from quire.ops.plain import plain_matrix

DEVICES = ("cpu", "cuda", "auto")


def check_device(device: str) -> None:
    """Refuse a name that is not known.

    Examples
    --------
    >>> from quire.ops.backend import check_device
    >>> check_device("auto")
    """
    if device not in DEVICES:
        raise ValueError(f"device={device!r} is not known: use 'cpu', 'cuda' or 'auto'.")


def as_matrix(
    X: Any, n_jobs: int | None = None, keep_transposed: bool | None = None, device: str = "cpu"
) -> Matrix:
    """Return X in the hands of a back end, to be used in a ``with`` block.

    Parameters
    ----------
    X : CSR matrix or array, a dense array, or Blocks
        Checked (:func:`quire.check.check_matrix`). Of :class:`quire.blocks.matrix.Blocks` the place says on
        which device.
    n_jobs : int or None
        Threads; None for all that may be used.
    keep_transposed : bool or None
        See :class:`quire.ops.cpu.CpuMatrix`.
    device : {"cpu", "cuda", "auto"}
        ``"cuda"``: the GPU, or an error that says what is missing; an X larger than its memory goes through
        it in blocks. ``"auto"``: the GPU where one can be used and X fits into its memory, else the CPU.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.backend import as_matrix
    >>> with as_matrix(np.eye(3)) as X:
    ...     X.squared_norm
    3.0
    """
    check_device(device)
    if isinstance(X, Blocks):
        from quire.ops.rowblocks import RowBlocks

        return RowBlocks(X, n_jobs)
    if device != "cpu":
        from quire.ops.gpublocks import fits, streamed

        if not fits(X):
            if device == "cuda":
                return streamed(X, n_jobs)
            device = "cpu"
    return plain_matrix(X, n_jobs, keep_transposed, device)
