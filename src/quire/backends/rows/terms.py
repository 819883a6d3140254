"""The half steps on H where X is in row blocks: its products are there already."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.matrix import Progress, Side


class TermSide(CpuMatrix):
    """H and the steps on it, given XᵀW."""

    def __init__(self, n_terms: int, dtype: np.dtype[Any], n_jobs: int | None) -> None:
        super().__init__(np.zeros((1, n_terms), dtype), n_jobs)
        self._given = np.zeros((0, 0), dtype)

    def _targets(self, side: Side, factor: NDArray[Any], other: NDArray[Any], fused: bool) -> NDArray[Any]:
        return self._given

    def step(self, name: str, factor: NDArray[Any], P: NDArray[Any], arguments: tuple[Any, ...]) -> Progress:
        """Change rows in place by ``descend`` or ``multiply``."""
        F, self._given = self.factor(factor), self.factor(P)
        said: Progress = getattr(self, name)("H", F, F[:1], *arguments)
        factor[:] = F[:, : factor.shape[1]]
        return said

    def rows(self, name: str, factor: NDArray[Any], P: NDArray[Any], arguments: tuple[Any, ...]) -> Progress:
        """Change rows in place by ``by_rows`` or ``solve_rows``."""
        F = self.factor(factor)
        said: Progress = getattr(self, name)(F, self.factor(P), *arguments)
        factor[:] = F[:, : factor.shape[1]]
        return said
