"""The half steps on H where X is in row blocks: its products are there already."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.kernels.simd import WIDTH
from quire.backends.matrix import Progress, Side


class TermSide(CpuMatrix):
    """H and the steps on it, given XᵀW."""

    def __init__(self, n_terms: int, dtype: np.dtype[Any], n_jobs: int | None) -> None:
        super().__init__(np.zeros((1, n_terms), dtype), n_jobs)
        self._given = np.zeros((0, 0), dtype)

    def _targets(self, side: Side, factor: NDArray[Any], other: NDArray[Any], fused: bool) -> NDArray[Any]:
        return self._given

    def step(self, name: str, factor: NDArray[Any], P: NDArray[Any], arguments: tuple[Any, ...]) -> Progress:
        """Change rows in place by ``descend`` or ``multiply``; both arrays are padded."""
        self._given = P
        done: Progress = getattr(self, name)("H", factor, factor[:1], *arguments)
        return done

    def padded(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array with the columns of zeros that kernels want; as it is where it has them."""
        ready = array.shape[1] % WIDTH == 0 and array.flags.c_contiguous and array.dtype == self.dtype
        return array if ready else self.factor(array)
