"""A choice of the number of topics in words and a table for a terminal."""

from __future__ import annotations

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.studies.choosing.choice import Choice

_COLUMNS = {
    "k": ("Topics", "d"), "runs": ("Runs", "d"), "rho_near": ("ρ good", ".4f"), "rho_best": ("ρ half", ".4f"),
    "rho": ("ρ all", ".4f"), "stability": ("ARI", ".3f"), "pac": ("PAC", ".3f"), "used": ("Used", ".1f"),
    "held_out": ("Held out", ".4f"), "coherence": ("NPMI", ".3f"),
}  # fmt: skip
_LAMBDA = {"k": ("Topics", "d"), "lam": ("λ", ".3g"), "runs": ("Runs", "d"), "mean": ("Soft NMI", ".3f"),
           "max": ("highest", ".3f"), "low": ("from", ".3f"), "high": ("to", ".3f")}  # fmt: skip


def choice_report(choice: Choice) -> RenderableType:
    """Return the table of all k and the verdict."""
    columns, rows = _COLUMNS, choice.table
    if choice.search is not None:
        columns, rows = _LAMBDA, choice.search.table.filter(pl.col("kind") != "node")
    shown = [name for name in columns if name in rows.columns and rows[name].count()]
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in shown:
        table.add_column(columns[name][0], justify="right", no_wrap=True)
    for row in rows.iter_rows(named=True):
        values = ["–" if row[name] is None else format(row[name], columns[name][1]) for name in shown]
        table.add_row(*values, style="bold" if row["k"] == choice.k else None)
    measured: list[RenderableType] = [table, Text("")] if len(shown) > 1 else []
    return Group(*measured, *(Text(sentence) for sentence in choice.verdict))
