"""X larger than the GPU's memory: its rows go through the device in blocks, once an iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.blocks.memory import in_memory
from quire.ops.gpudevice import rows_that_fit, why_no_gpu
from quire.ops.rowblocks import BlockFactor, RowBlocks


class StreamedMatrix(RowBlocks):
    """X in row blocks in the host's memory, each of which is on the GPU while it is worked on.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.blocks.memory import in_memory
    >>> from quire.ops.gpublocks import StreamedMatrix
    >>> with StreamedMatrix(in_memory(sp.csr_array(np.diag([3.0, 4.0])), 1)) as X:
    ...     X.array(X.product("W", X.factor(np.array([[1.0], [2.0]]))), 1).tolist()
    [[3.0], [8.0]]
    """

    def array(self, factor: BlockFactor, k: int) -> NDArray[Any]:
        """Return an array, for X was one too."""
        return np.asarray(super().array(factor, k))


def fits(X: Any) -> bool:
    """Return whether the GPU can hold X as a whole; true where nothing can be said.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.gpublocks import fits
    >>> fits(np.eye(3))
    True
    """
    return not sp.issparse(X) or bool(why_no_gpu()) or rows_that_fit(X) >= X.shape[0]


def streamed(X: sp.csr_array, n_jobs: int | None) -> StreamedMatrix:
    """Return X in blocks that fit into the GPU's memory.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.ops.gpublocks import streamed
    >>> from quire.ops.gpudevice import why_no_gpu
    >>> why_no_gpu() != "" or streamed(sp.csr_array(np.eye(3)), 1).shape == (3, 3)
    True
    """
    rows = max(1, rows_that_fit(X) // 2)  # for rows are not of equal length
    return StreamedMatrix(in_memory(X, rows, "cuda"), n_jobs)
