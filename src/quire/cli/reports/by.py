"""Topics by the values of a column, for a terminal: all shares where they fit, and what stands out."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import clean
from quire.messages import counted
from quire.runs.by import ByColumn, by_column, columns_named
from quire.runs.run import Run

_NAME, _VALUE, _MOST = 32, 14, 12  # letters of a topic and a value; lines of what stands out
_MARKS = {"more": ("▲", "bold green"), "less": ("▼", "bold red"), None: (" ", "")}


def compared_by(run: Run, asked: str) -> list[ByColumn]:
    """Return the tables of the columns that a list such as ``age_group,region`` names."""
    columns = run.info["corpus"].get("columns") or {}
    names = columns_named(run.documents, asked, columns)
    return [by_column(run.documents, len(run.H), name, columns) for name in names]


def by_report(run: Run, by: ByColumn, width: int) -> RenderableType:
    """Return one column's table, with the sentences that belong to it."""
    n = int(by.table["documents"].sum())
    head = f"Topics by {clean(by.column, 60)}: {counted(len(by.values), 'value')}, {counted(n, 'document')}"
    lines = [Text(""), Text(head, "bold"), *(Text(f"  {note}", "dim") for note in by.notes)]
    if not by.table["stands_out"].count():
        lines.append(Text("  Nothing stands out from chance."))
    names = [clean(f"{t} {name}", _NAME) for t, name in enumerate(run.topics["name"].to_list())]
    values = [clean(value, _VALUE) for value in by.values]
    wide = 2 + max(map(cell_len, names)) + sum(2 + max(5, cell_len(value)) for value in values)
    if wide <= width:
        shares = Text("  Shares of each value's documents; ▲ more and ▼ fewer than chance would have", "dim")
        return Group(*lines, shares, _shares(by, names, values))
    hint = f"  A table of {len(by.values):,} values is too wide here: the page and --json have it."
    return Group(*lines, Text(hint, "dim"), *_outstanding(by, names))


def _shares(by: ByColumn, names: list[str], values: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("Topic", no_wrap=True)
    for value in values:
        table.add_column(Text(value, justify="right"), justify="right", no_wrap=True)
    out = by.matrix("stands_out")
    for name, shares, marks in zip(names, by.matrix("share"), out):
        cells = [Text(f"{share:.0%}{_MARKS[mark][0]}", _MARKS[mark][1]) for share, mark in zip(shares, marks)]
        table.add_row(Text(name), *cells)
    return table


def _outstanding(by: ByColumn, names: list[str]) -> list[RenderableType]:
    rows = by.outstanding()
    if not len(rows):
        return []
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading, right in (("Topic", 0), ("Value", 0), ("Docs", 1), ("Expected", 1), ("Share", 1), ("Residual", 1)):
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    for row in rows.head(_MOST).iter_rows(named=True):
        mark, style = _MARKS[row["stands_out"]]
        numbers = f"{row['documents']:,}", f"{row['expected']:,.1f}", f"{row['share']:.0%}"
        residual = Text(f"{row['residual']:+.1f} {mark}", style)
        table.add_row(Text(names[row["topic"]]), Text(clean(row["value"], _NAME)), *numbers, residual)
    more = [Text(f"  {len(rows) - _MOST:,} more stand out: --json has all of them.", "dim")] * (len(rows) > _MOST)
    return [table, *more]
