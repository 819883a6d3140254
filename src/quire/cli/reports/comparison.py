"""Two runs side by side, in words and tables for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import clean
from quire.messages import counted
from quire.studies.compare import Comparison

_BAR = 8  # letters of a full bar
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_READABLE = 120  # columns: a wider table only has wider gaps
_FLOWS, _NAME = 3, 40  # ways that are told, and letters of a topic's name in a sentence
_SCORES = (
    ("ARI", "ari", "pairs of documents together or apart in both; 0 is chance"),
    ("NMI", "nmi", "information that the topics of both share, from 0 to 1"),
)


def comparison_report(pair: Comparison, names: tuple[str, str], width: int = 80) -> RenderableType:
    """Return matched topics, topics alone, how many documents moved and where, and how far the runs agree."""
    one, other = (clean(name, 60) for name in names)
    parts: list[RenderableType] = [Text(_shared(pair, one, other)), Text("")]
    parts += [_matched(pair, one, other, width), Text("Alike: documents in both, of those in either", "dim")]
    parts += [*_alone(pair, one, other, width), Text(""), Text(_moved(pair))]
    parts += [*(Padding(Text(line), (0, 0, 0, 2)) for line in _flows(pair)), Text(""), _scores(pair)]
    notes = [Text(clean(line), "dim") for line in pair.notes]
    return Group(*parts, *([Text("")] if notes else []), *notes)


def _shared(pair: Comparison, one: str, other: str) -> str:
    are = "is" if pair.shared == 1 else "are"
    only = [f"{n:,} only in {name}" for n, name in ((pair.only_here, one), (pair.only_there, other)) if n]
    more = f"; {', '.join(only)}" if only else ""
    return f"{counted(pair.shared, 'document')} {are} in both {one} and {other}{more}."


def _matched(pair: Comparison, one: str, other: str, width: int) -> Table:
    table = _table(width)
    table.add_column(Text(f"Topic in {one}"), ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("Docs", justify="right", no_wrap=True)
    table.add_column(Text(f"Partner in {other}"), ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("Docs", justify="right", no_wrap=True)
    table.add_column("Both", justify="right", no_wrap=True)
    table.add_column("Alike", no_wrap=True, min_width=_BAR + 5)
    for match in pair.matches:
        if match.both:
            here, there = pair.here.row(match.here, named=True), pair.there.row(match.there, named=True)
            table.add_row(
                _named(here), f"{here['size']:,}", _named(there), f"{there['size']:,}",
                f"{match.both:,}", _bar(match.jaccard),
            )  # fmt: skip
    return table


def _alone(pair: Comparison, one: str, other: str, width: int) -> list[RenderableType]:
    """Return the topics without a partner, and the topics that share most documents with them."""
    sides = (
        (one, other, pair.here, pair.there, [m.here for m in pair.matches if m.there < 0], pair.matrix),
        (other, one, pair.there, pair.here, [m.there for m in pair.matches if m.here < 0], pair.matrix.T),
    )
    parts: list[RenderableType] = []
    for name, away, topics, others, alone, matrix in sides:
        if not alone:
            continue
        table = _table(width)
        table.add_column(Text(f"Only in {name}"), ratio=1, no_wrap=True, overflow="ellipsis")
        table.add_column("Docs", justify="right", no_wrap=True)
        table.add_column(Text(f"Most of it in {away}"), ratio=1, no_wrap=True, overflow="ellipsis")
        table.add_column("Docs", justify="right", no_wrap=True)
        for t in alone:
            row, most = topics.row(t, named=True), int(matrix[t, :-1].argmax())
            shared = int(matrix[t, most])
            where = _named(others.row(most, named=True)) if shared else Text("none")
            table.add_row(_named(row), f"{row['size']:,}", where, f"{shared:,}")
        parts += [Text(""), table]
    return parts


def _table(width: int) -> Table:
    return Table(box=None, pad_edge=False, header_style="dim", width=min(width, _READABLE))


def _named(topic: dict[str, object]) -> Text:
    return Text.assemble((f"{topic['topic']:>2} ", "dim"), clean(str(topic["name"]), _READABLE))


def _bar(share: float) -> Text:
    eighths = round(share * _BAR * 8)
    bar = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return Text.assemble((f"{bar:<{_BAR}}", "cyan"), f" {share:>4.0%}")


def _moved(pair: Comparison) -> str:
    placed = int(pair.matrix[:-1, :-1].sum())
    n = pair.moved.height
    if not n:
        return f"None of {counted(placed, 'document')} with a topic in both moved to another one."
    sentence = f"{n:,} of {counted(placed, 'document')} with a topic in both moved ({n / placed:.0%})"
    return f"{sentence}: they are not in the partner of their topic."


def _flows(pair: Comparison) -> list[str]:
    here, there = pair.here["name"].to_list(), pair.there["name"].to_list()
    return [
        f"{counted(n, 'document')} went from {t} ({_short(here[t])}) to {u} ({_short(there[u])})."
        for t, u, n in pair.flows()[:_FLOWS]
    ]


def _short(name: str) -> str:
    return clean(name, _NAME)


def _scores(pair: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    for name, key, meaning in _SCORES:
        table.add_row(name, f"{getattr(pair, key):.3f}", meaning)
    return table
