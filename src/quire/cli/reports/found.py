"""The runs of a folder, for a terminal."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import clean
from quire.runs.found_runs import FoundRun


def found_report(found: list[FoundRun]) -> RenderableType:
    """Return a row per run; a sentence where there is none."""
    if not found:
        return Text("There is no run here: make one with `quire cluster FILE`, or name another folder.")
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("Run", style="bold", overflow="fold", ratio=2)
    for heading in ("Documents", "Topics"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Made", no_wrap=True)
    table.add_column("Largest topics", ratio=3)
    for run in found:
        if run.topics is None:
            table.add_row(clean(run.run), "–", "–", "–", Text("damaged: make it anew", "red"))
            continue
        documents = "–" if run.documents is None else f"{run.documents:,}"
        made = clean((run.created or "–")[:16].replace("T", " "))
        table.add_row(clean(run.run), documents, str(run.topics), made, Text(clean("; ".join(run.largest), 200)))
    return table
