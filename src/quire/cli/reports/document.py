"""A document of a run for a terminal: its topic, how sure that is, and what its topics are about."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import clean, keyword_line
from quire.corpus.others import others_of
from quire.messages import counted
from quire.methods.assignment import largest
from quire.runs.run import Run
from quire.runs.why import no_document

_TITLE, _BEGINNING = 200, 300  # letters
_LARGEST = 6  # topics of a whole document that are told


def document_report(run: Run, row: dict[str, Any]) -> RenderableType:
    """Return what is known of a document, of which `document_row` gives the row."""
    id = row["id"]
    title = f"{clean(id, _TITLE)}: {clean(row['title'], _TITLE)}" if row.get("title") else clean(id, _TITLE)
    beside = [name for name in ("label", "date", *others_of(run.documents)) if row.get(name) is not None]
    known = ", ".join(f"{clean(name, _TITLE)} {clean(str(row[name]), _TITLE)}" for name in beside)
    lines = [sureness_line(run, row), known, clean(row.get("text") or "", _BEGINNING)]
    shown = [Padding(Text(line, overflow="fold"), (0, 0, 0, 2)) for line in lines if line]
    return Group(Text(title, "bold"), *shown, *_topics(run, row))


def document_row(run: Run, id: str) -> dict[str, Any]:
    """Return a document's row of the table, as data for JSON."""
    rows = run.documents.filter(pl.col("id") == id)
    if not len(rows) and "document" in run.documents.columns:
        rows = run.whole_documents().filter(pl.col("id") == id)
    if not len(rows):
        raise no_document(run.documents, id)
    moments = pl.selectors.temporal().cast(pl.String)
    return dict(rows.with_columns(moments).row(0, named=True))


def sureness_line(run: Run, row: dict[str, Any]) -> str:
    """Say in which topic a document is, and how sure that is."""
    if row["topic"] < 0 and row["runner_up"] < 0:
        return "unassigned: none of its terms is in a topic"
    sentence = f"topic {row['topic']} (membership {row['membership']:.2f})"
    if row["topic"] < 0:
        least = run.info["options"]["abstain"]
        sentence = f"unassigned, topic {row['runner_up']} is nearest "
        sentence += f"(membership {row['runner_up_membership']:.2f}, below {least:g})"
    runs = run.info.get("runs")
    if "passages" in row:
        return f"{sentence}, of {counted(row['passages'], 'passage')}"
    if runs is None or row["confidence"] is None:
        return sentence
    agreeing = round(row["confidence"] * runs)
    if agreeing == runs:
        return f"{sentence}, in all {runs} runs"
    otherwise = f", else topic {row['else_topic']}" if row["else_topic"] >= 0 else ""
    return f"{sentence}, in {agreeing} of {runs} runs{otherwise}"


def _topics(run: Run, row: dict[str, Any]) -> list[RenderableType]:
    """Return the keywords of the topics that the document is in or near."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("Topic", "Membership"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Keywords")
    if "memberships" in row:  # of a whole document, which passages may have in many topics
        shares = np.array(row["memberships"])
        topics = [int(topic) for topic in largest(shares, _LARGEST) if shares[topic] > 0]
    else:
        shares = run.memberships_of(np.array([(run.documents["id"] == row["id"]).arg_max()]))[0]
        topics = [row["topic"], row["runner_up"], row["else_topic"]]
    for topic in dict.fromkeys(topics):
        if topic is not None and topic >= 0:
            words = keyword_line(run.topics["keywords"][topic][:7].to_list())
            table.add_row(str(topic), f"{shares[topic]:.2f}", words)
    return [Text(""), table] if table.row_count else []
