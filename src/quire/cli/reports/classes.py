"""What classes are about, in words and tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import clean, keyword_line
from quire.messages import counted
from quire.studies.classes import Classes

_NAME = 26  # letters of a class
_KEYWORDS = 8
_STRONGEST = 10  # disagreements that are shown
_READABLE = 100  # columns: a wider table only has wider gaps


def classes_report(study: Classes, width: int = 80) -> RenderableType:
    """Return what was read, what each class is about, and the documents that disagree most."""
    lines = [Padding(Text(line, overflow="fold"), (0, 0, 0, 2 * (i > 0))) for i, line in enumerate(read_lines(study))]
    return Group(*lines, Text(""), class_table(study, width), Text(""), *disagreement_lines(study, width))


def read_lines(study: Classes) -> Iterator[str]:
    """Say what was read."""
    where = "standard input" if study.source == "-" else clean(study.source)
    source = f" from {where}" if where else ""
    yield f"{counted(study.documents.height, 'document')} in {study.classes.height:,} classes{source}"
    for sentence in study.notes:
        yield clean(sentence)
    yield f"{counted(study.n_terms, 'term')}, recipe {clean(study.recipe)}"


def class_table(study: Classes, width: int = 80) -> Table:
    """Return the classes: name, size, keywords, how many documents read like another class."""
    table = Table(box=None, pad_edge=False, header_style="dim", width=min(width, _READABLE))
    table.add_column("Class", no_wrap=True, overflow="ellipsis", max_width=_NAME)
    table.add_column("Docs", justify="right", no_wrap=True)
    table.add_column("Keywords", ratio=1)
    table.add_column("Disagree", justify="right", no_wrap=True)
    for row in study.classes.iter_rows(named=True):
        words = keyword_line(row["keywords"][:_KEYWORDS])
        apart = row["disagreeing"]
        shown = Text(f"{apart:,} {apart / row['size']:>4.0%}" if apart else "–", "" if apart else "dim")
        table.add_row(Text(clean(row["class"])), f"{row['size']:,}", words, shown)
    return table


def disagreement_lines(study: Classes, width: int = 80) -> Iterator[Text]:
    """Say how many documents read like another class than theirs, and which do most clearly."""
    apart = study.disagreements()
    n_labelled = study.documents["label"].count()
    if not apart.height:
        yield Text("Every document reads most like its own class.")
        return
    share = f"{apart.height:,} of {counted(n_labelled, 'document')} ({apart.height / n_labelled:.1%})"
    verb, whose = ("reads", "its") if apart.height == 1 else ("read", "their")
    yield Text(f"{share} {verb} more like another class than {whose} own", "bold")
    for row in apart.head(_STRONGEST).iter_rows(named=True):
        yield from _disagreement(row, width)
    more = apart.height - _STRONGEST
    if more > 0:
        yield Text(f"and {more:,} more: --json and quire.classes(…).disagreements() have all", "dim")


def _disagreement(row: dict[str, Any], width: int) -> Iterator[Text]:
    """Give the document a line of its own: titles and names of classes do not fit side by side."""
    title = clean(row.get("title") or row["id"], width - 2)
    yield Text(title, "cyan", no_wrap=True, overflow="ellipsis")
    yield Text.assemble(
        ("  is labelled ", "dim"), f"{clean(row['label'], _NAME)} {row['share_label']:.0%}",
        (", reads like ", "dim"), (clean(row["reads_like"], _NAME), "bold"),
        f" {row['share_reads_like']:.0%}", no_wrap=True, overflow="ellipsis",
    )  # fmt: skip
