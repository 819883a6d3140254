"""Why a document is in its topic, for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.reports.document import document_row, sureness_line
from quire.cli.reports.run import clean
from quire.messages import counted
from quire.runs.run import Run
from quire.runs.why import Explanation

_SHOWN, _WORD, _NAME, _ID = 15, 30, 60, 60  # terms; letters


def why_report(run: Run, why: Explanation) -> RenderableType:
    """Return an explanation: its scores, its words, typical documents, and what would tip it."""
    head = [Text(clean(why.id, 200), "bold"), Text(f"  {sureness_line(run, document_row(run, why.id))}")]
    named = [Text(f"  {_named(run, topic)}", "dim") for topic in (why.topic, why.other) if topic >= 0]
    return Group(*head, *named, Text(""), _terms(why), *_alike(why), *_tips(why))


def _named(run: Run, topic: int) -> str:
    return f"topic {topic}: {clean(run.topics['name'][topic], _NAME)}"


def _terms(why: Explanation) -> Table:
    """Return what each word adds, then all others, then the sums."""
    against, evidence = why.other >= 0, why.rest["evidence"] is not None
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("Word", no_wrap=True)
    headings = [f"Topic {why.topic}", *[f"Topic {why.other}"] * against, *["Evidence"] * evidence]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)

    def add(name: str, values: tuple[float, float, float], style: str = "") -> None:
        mine, others, speaks = values
        cells = [f"{mine:.3g}", *[f"{others:.3g}"] * against, *[f"{speaks:+.3g}"] * evidence]
        table.add_row(Text(name), *cells, style=style)

    shown = why.terms.select("mine", "others", "evidence").fill_null(0.0).rows()
    for name, values in list(zip(why.terms["term"].to_list(), shown))[:_SHOWN]:
        add(clean(name, _WORD), values)
    rest = tuple(float(why.rest[name] or 0) for name in ("mine", "others", "evidence"))
    unseen = [sum(column) for column in zip(rest, *shown[_SHOWN:])]
    n = int(why.rest["terms"] or 0) + max(len(shown) - _SHOWN, 0)
    if n:
        add(f"{counted(n, 'other word')}", (unseen[0], unseen[1], unseen[2]), "dim")
    speaks = rest[2] + sum(row[2] for row in shown)
    add("all", (why.score, why.other_score, speaks), "bold")
    return table


def _alike(why: Explanation) -> list[RenderableType]:
    lines = [
        Text(f"  {row['topic']}  {clean(row['id'], _ID)}: {', '.join(clean(word, _WORD) for word in row['words'][:8])}")
        for row in why.alike.iter_rows(named=True)
    ]
    return [Text(""), Text("Typical documents that share them", "dim"), *lines] if lines else []


def _tips(why: Explanation) -> list[RenderableType]:
    lines = [
        Text(f"  {tip.change} {', '.join(clean(word, _WORD) for word in tip.words)}: topic {tip.topic}")
        for tip in why.tips
    ]
    none = [Text("  No few words, taken out or put in, would bring it to another topic.")]
    return [Text(""), Text("What would have to change", "dim"), *(lines or none)]
