"""kim2008 §4.4: what β does, as cells and sentences (tables 8 and 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from quire.papers.experiment import Cell
from quire.papers.kim2008.published import BETA_COLUMNS
from quire.papers.kim2008.runs import DEFAULT, Trial
from quire.papers.protocol import cell_of

_MEASURES: tuple[Callable[[Trial], float], ...] = (
    lambda trial: trial.seconds,
    lambda trial: trial.sse,
    lambda trial: trial.purity,
    lambda trial: 100 * trial.zeros,
    lambda trial: trial.error,
)
_OF_THE_DEFAULT = BETA_COLUMNS[:3]  # W and the error are of another X


def beta_cells(
    published: Mapping[float, Sequence[float]], trials: Mapping[float | str, Sequence[Sequence[Trial]]]
) -> list[Cell]:
    """Return a row for each β, and one for Quire; trials are lists of runs, one list a draw.

    With several draws a value is the mean over them, and the spread theirs; with one draw the runs'.
    """
    cells = []
    for key, draws in trials.items():
        row = key if isinstance(key, str) else f"β = {key:g}"
        printed: Sequence[float | None] = (None,) * len(BETA_COLUMNS)
        if not isinstance(key, str):
            printed = published[key]
        for column, measure, paper in zip(BETA_COLUMNS, _MEASURES, printed, strict=True):
            if key == DEFAULT and column not in _OF_THE_DEFAULT:
                continue
            runs = draws[0] if len(draws) == 1 else None
            values = [measure(t) for t in runs] if runs else [np.mean([measure(t) for t in d]) for d in draws]
            cells.append(cell_of(row, column, paper, [float(value) for value in values]))
    return cells


def beta_findings(published: Mapping[float, Sequence[float]], cells: Sequence[Cell]) -> list[str]:
    """Say which β are good here and in the paper, and what large ones do."""
    ours = {(cell.row, cell.column): float(cell.ours or 0) for cell in cells}
    betas = list(published)
    squared = {beta: ours[f"β = {beta:g}", "SSE"] for beta in betas}
    pure = {beta: round(ours[f"β = {beta:g}", "purity"], 2) for beta in betas}  # as the paper prints it
    theirs = {beta: published[beta][2] for beta in betas}
    least, published_least = (min(betas, key=by.get) for by in (squared, {b: published[b][1] for b in betas}))  # type: ignore[arg-type]
    small, large = betas[0], betas[-1]
    return [
        f"Least SSE at β = {least:g} (published: {published_least:g}), highest purity at β = {_best(pure)} "
        f"(published: {_best(theirs)}).",
        f"From β = {small:g} to {large:g} purity goes from {pure[small]:.2f} to {pure[large]:.2f} "
        f"(published: from {theirs[small]:.2f} to {theirs[large]:.2f}).",
        "The paper heads the last column ‖A − WHᵀ‖², but its numbers must be the norm itself, for their "
        "squares lie just below the SSE, where the error of a fit belongs; ours are the norm.",
    ]


def _best(purity: Mapping[float, float]) -> str:
    best = [f"{beta:g}" for beta, value in purity.items() if value == max(purity.values())]
    return best[0] if len(best) == 1 else f"{best[0]} … {best[-1]}"
