"""What tells two topics apart, for a terminal."""

from __future__ import annotations

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import clean
from quire.messages import counted
from quire.runs.diff import TopicDiff

_WORD, _NAME, _ID = 30, 60, 60  # letters


def diff_report(diff: TopicDiff) -> RenderableType:
    """Return two topics: their shares, the words that tell them apart, the documents on the border."""
    first, second = (
        Text(f"topic {topic}: {clean(name, _NAME)}, {counted(size, 'document')} ({share:.1%})")
        for topic, name, size, share in diff.topics.iter_rows()
    )
    apart = Text(f"Their words are {diff.distance:.2f} bits apart (0: the same, 1: none in common)", "dim")
    return Group(
        first, second, apart, Text(""), *(_words(diff, topic) for topic in diff.topics["topic"]), *_border(diff)
    )


def _words(diff: TopicDiff, topic: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(f"Speaks for {topic}", no_wrap=True, min_width=20)
    for heading in (*(f"Share of {number}" for number in diff.topics["topic"]), "Bits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in diff.words.filter(pl.col("topic") == topic).iter_rows(named=True):
        table.add_row(
            Text(clean(row["word"], _WORD)), f"{row['first']:.2%}", f"{row['second']:.2%}", f"{row['bits']:.4f}"
        )
    return table


def _border(diff: TopicDiff) -> list[RenderableType]:
    if not diff.n_border:
        return [Text(""), Text("No document lies between them.")]
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("On the border")
    for heading in ("Topic", "Membership", "In the other"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in diff.border.iter_rows(named=True):
        shares = f"{row['membership']:.2f}", f"{row['runner_up_membership']:.2f}"
        table.add_row(Text(clean(row["id"], _ID)), str(row["topic"]), *shares)
    more = diff.n_border - diff.border.height
    rest = [Text(f"and {counted(more, 'document')} more whose runner-up is the other topic", "dim")] if more else []
    return [Text(""), table, *rest]
