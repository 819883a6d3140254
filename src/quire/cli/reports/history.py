"""What an update did to a run, for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import called_by_people, clean, keyword_line
from quire.runs.history import SAME
from quire.runs.run import Run


def update_report(run: Run) -> RenderableType:
    """Return what the last update of a run did: sentences, then a row per topic."""
    entry = run.updates[-1]
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    for heading in ("Topic", "Docs", "Came", "Share", "Among those"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("Keywords", ratio=1)
    called = called_by_people(run)
    for row, words in zip(entry["topics"], run.topics["keywords"].to_list()):
        numbers = f"{row['documents']:,}", f"{row['added']:,}", f"{row['share']:.1%}", f"{row['share_added']:.1%}"
        change = "" if row["change"] == SAME else row["change"]
        line = Text.assemble(called.get(row["topic"], ""), keyword_line(words[:7]))
        table.add_row(str(row["topic"]), *numbers, Text(change, "bold"), line)
    lines = [clean(sentence) for sentence in entry["sentences"]]
    first = (Text(line, "bold") for line in lines[:1])
    return Group(*first, *(Text(f"  {line}") for line in lines[1:]), Text(""), table, Text(""))
