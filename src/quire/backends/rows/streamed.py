"""X larger than the GPU's memory: its rows go through the device in blocks, once an iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.gpu.device import rows_that_fit, why_no_gpu
from quire.backends.rows.matrix import BlockFactor, RowBlocks
from quire.places.memory import in_memory


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
