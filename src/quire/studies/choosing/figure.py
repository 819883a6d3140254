"""The figure of a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quire.studies.figures import figure_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PANELS = (
    (("rho_near", "runs as good as the best"), ("rho_best", "better half of the runs"), "Agreement, ρ"),
    (("held_out", "held out"), ("error", "learnt from"), "Error, share of ‖X‖²"),
    (("coherence", "NPMI"), None, "Coherence of keywords"),
)


def choice_figure(choice: Any) -> Figure:
    """Return the figure of :meth:`quire.Choice.plot`."""
    shown = choice.shown
    figure = figure_class()(figsize=(11, 6.2 if shown else 3.4), layout="constrained")
    rows: Any = figure.subfigures(2, 1, height_ratios=[1, 0.8]) if shown else [figure]
    panels = rows[0].subplots(1, 3)
    for axis, (first, second, title) in zip(panels, _PANELS):
        _curve(axis, choice, first, second, title)
    if shown:
        axes = np.atleast_1d(rows[1].subplots(1, len(shown)))
        for axis, k in zip(axes, shown):
            _heat_map(axis, choice, k)
    return figure


def _curve(axis: Any, choice: Any, first: Any, second: Any, title: str) -> None:
    table = choice.table
    for (column, label), style in zip([c for c in (first, second) if c], ("o-", "s--")):
        known = table.filter(table[column].is_not_null() & table[column].is_finite())
        if known.height:
            axis.plot(known["k"], known[column], style, label=label, markersize=4)
    axis.axvline(choice.k, color="0.6", linewidth=1, linestyle=":")
    axis.set_title(title, fontsize=10)
    axis.set_xlabel("topics")
    axis.xaxis.get_major_locator().set_params(integer=True)
    if axis.get_lines()[:-1]:
        axis.legend(fontsize=8, frameon=False)


def _heat_map(axis: Any, choice: Any, k: int) -> None:
    consensus = choice.consensus[k]
    axis.imshow(consensus.matrix, cmap="magma", vmin=0, vmax=1, interpolation="nearest", rasterized=True)
    axis.set_title(f"{k} topics, ρ = {consensus.rho:.3f}", fontsize=9, weight="bold" if k == choice.k else None)
    axis.set_xticks([])
    axis.set_yticks([])
