"""How a claim of a paper is held against our numbers: those of a result by row and column, and a verdict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quire.papers.experiment import Cell, Claim

HOLDS, FAILS = "holds", "does not hold"


class Table:
    """Our numbers of a result by row and column."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._ours = {(cell.row, cell.column): cell.ours for cell in cells if cell.ours is not None}
        self.rows = list(dict.fromkeys(cell.row for cell in cells))

    def __call__(self, row: str, column: str) -> float:
        """Return a number, NaN where there is none."""
        return self._ours.get((row, column), float("nan"))

    def column(self, name: str) -> list[float]:
        """Return the numbers of a column."""
        return [value for (_, column), value in self._ours.items() if column == name]

    def mean(self, name: str) -> float:
        """Return the mean of a column, NaN where there is none."""
        return float(np.mean(self.column(name))) if self.column(name) else float("nan")


def claim(text: str, holds: bool, evidence: str, otherwise: str = FAILS) -> Claim:
    """Return a claim that holds, or what else is to be said of it."""
    return Claim(text, HOLDS if holds else otherwise, evidence)


def listed(values: dict[str, float]) -> str:
    """Return names with their numbers, as evidence."""
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())
