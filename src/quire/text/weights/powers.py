"""Weightings by powers of the sums of rows and columns (conroy2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.text.weights.scheme import Scheme, power


@dataclass(frozen=True)
class Powers(Scheme):
    """Entries over powers of the sums of their row and their column; ``shifted``: over sums + τ·the mean."""

    of_row: float
    of_column: float
    shifted: bool = False

    def columns(self, sums: NDArray[np.float64], n: int, tau: float) -> NDArray[np.float64]:
        """Return the powers of the columns' sums."""
        return power(sums, tau * float(sums.mean()) if self.shifted else 0.0, self.of_column)

    def row_shift(self, sums: NDArray[np.float64], n: int, tau: float) -> float:
        """Return τ times the mean sum of a row."""
        return tau * float(sums.sum()) / n if self.shifted else 0.0

    def rows(self, values: sp.csr_array, columns: Any, shift: float, degrees: Any) -> NDArray[np.float64]:
        """Return the powers of the rows' sums."""
        return power(values.sum(axis=1), shift, self.of_row)
