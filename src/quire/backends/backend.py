"""Which back end holds X."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.gpu.device import rows_that_fit, why_no_gpu
from quire.backends.matrix import Matrix
from quire.backends.opening import plain_matrix
from quire.backends.rows.matrix import BlockFactor, RowBlocks
from quire.places.indices import check_indices
from quire.places.memory import MemoryPlace, in_memory
from quire.places.parts import Blocks

WORTH_A_GPU = 5_000_000  # values of X: with fewer the rest of a run takes so long that hardly anything is gained
DEVICES = ("cpu", "cuda", "auto")


def check_device(device: str) -> None:
    """Refuse a name that is not known."""
    if device not in DEVICES:
        raise ValueError(f"device={device!r} is not known: use 'cpu', 'cuda' or 'auto'.")


def device_there(device: str, values: float = math.inf) -> str:
    """Return ``"cuda"`` or ``"cpu"``: what ``"auto"`` means on this machine, for so many values of X."""
    if device != "auto":
        return device
    return "cpu" if values < WORTH_A_GPU or why_no_gpu() else "cuda"


def as_matrix(X: Any, n_jobs: int | None = None, keep_transposed: bool | None = None, device: str = "cpu") -> Matrix:
    """Return X in the hands of a back end, to be used in a ``with`` block."""
    check_device(device)
    if isinstance(X, Blocks) and isinstance(X.place, MemoryPlace) and len(X.handles) == 1:
        X = X.whole()  # which every back end treats as the one block that it is, to the last bit
    if isinstance(X, Blocks):
        return RowBlocks(X, n_jobs)
    check_indices(X, "a back end")  # kernels trust their arguments
    if device != "cpu" and not fits(X):
        if device == "cuda":
            return streamed(X, n_jobs)
        device = "cpu"
    return plain_matrix(X, n_jobs, keep_transposed, device)


class StreamedMatrix(RowBlocks):
    """X in row blocks in the host's memory, each of which is on the GPU while it is worked on."""

    def array(self, factor: BlockFactor, k: int) -> NDArray[Any]:
        """Return an array, for X was one too."""
        return np.asarray(super().array(factor, k))


def fits(X: Any) -> bool:
    """Return whether the GPU can hold X as a whole; true where nothing can be said."""
    return not sp.issparse(X) or bool(why_no_gpu()) or rows_that_fit(X) >= X.shape[0]


def streamed(X: sp.csr_array, n_jobs: int | None) -> StreamedMatrix:
    """Return X in blocks that fit into the GPU's memory."""
    rows = max(1, rows_that_fit(X) // 2)  # for rows are not of equal length
    return StreamedMatrix(in_memory(X, rows, "cuda"), n_jobs)
