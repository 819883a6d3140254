"""Other documents that a run assigned, for a terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import called_by_people, clean, keyword_line
from quire.messages import counted
from quire.runs.assign_file import UNUSUAL, Tally
from quire.runs.run import Run

_ID = 80  # letters


def assigned_report(run: Run, tally: Tally, out: Path | None) -> RenderableType:
    """Return how many documents each topic got, and which are unlike anything seen."""
    n = tally.documents
    none = f", {tally.unassigned:,} of them in no topic" if tally.unassigned else ""
    head = f"{counted(n, 'document')}{none}"
    notes = [Text(f"  {clean(sentence)}", "dim") for sentence in tally.sentences]
    where = [Text(f"The table is in {clean(str(out))}")] if out is not None else []
    return Group(Text(head, "bold"), *notes, Text(""), _topics(run, tally), Text(""), *_unlike(run, tally), *where)


def _topics(run: Run, tally: Tally) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("Topic", "Docs", "Share", "In the run"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Keywords")
    called = called_by_people(run)
    for row, size in zip(run.topics.iter_rows(named=True), tally.topics.tolist()):
        numbers = str(row["topic"]), f"{size:,}", f"{size / max(tally.documents, 1):.1%}", f"{row['share']:.1%}"
        words = keyword_line(row["keywords"][:7])
        table.add_row(*numbers, Text.assemble(called.get(row["topic"], ""), words))
    return table


def _unlike(run: Run, tally: Tally) -> list[RenderableType]:
    if run.novelty is None:
        return [Text("This run does not know how unlike its own other documents are: make it anew with this Quire.")]
    share = tally.unusual / max(tally.documents, 1)
    usual = f"{1 - UNUSUAL:.0%} of the run's own are"
    unlike = f"{tally.unusual:,} ({share:.1%}) are more unlike the run than {UNUSUAL:.0%} of its own documents"
    lines = [Text(f"{unlike}; {usual}")]
    return [
        *lines,
        *(Text(f"  {row['novelty']:.3f}  {clean(row['id'], _ID)}") for row in tally.most_unlike.iter_rows(named=True)),
    ]
