"""The scores of a run in words and tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.reports.run import clean
from quire.messages import counted
from quire.scores.registry import SCORES
from quire.studies.evaluate import Evaluation

_NAME, _WORD = 24, 10  # letters of a class, and of the keyword above a column
_READABLE = 100  # columns: a wider list only has wider gaps
_WORTH = 0.05  # a topic with less of a class is not named


def evaluation_report(evaluation: Evaluation, width: int = 80) -> RenderableType:
    """Return the scores, where each class went, and what was left out."""
    parts: list[RenderableType] = []
    if evaluation.against:
        where = "" if evaluation.source in ("run", "given") else f", from {clean(evaluation.source or '')}"
        classes, n = _classes(evaluation.classes.height), evaluation.n_labelled
        parts += [Text(f"Against the {classes} of {counted(n, 'document')}{where}", "bold")]
        parts += [_score_table(evaluation.against), Text("")]
    parts += [Text("Without classes", "bold"), _score_table(evaluation.alone)]
    parts += _coherent(evaluation)
    if evaluation.against:
        parts += [Text(""), *class_tables(evaluation, width)]
    notes = [Text(clean(line), "dim") for line in evaluation.notes]
    return Group(*parts, *([Text("")] if notes else []), *notes)


def class_tables(evaluation: Evaluation, width: int = 80) -> list[RenderableType]:
    """Return where the documents of each class went: all counts where these fit, else its main topics."""
    rows = list(evaluation.classes.iter_rows(named=True))
    none = any(row["unassigned"] for row in rows)
    cells = [[*row["topics"], *([row["unassigned"]] if none else [])] for row in rows]
    names = [_shortened(clean(row["class"])) for row in rows]
    words = [clean(name.split(", ")[0], _WORD) for name in evaluation.topics["name"]]
    numbers = [str(t) for t in evaluation.topics["topic"]]
    left = max(map(cell_len, [*names, "Class"])) + 2 + _wide("Docs", [row["documents"] for row in rows])
    for headings in ([f"{n}\n{w}" for n, w in zip(numbers, words)], numbers):
        headings = headings + (["none"] if none else [])
        if left + sum(2 + _wide(h, column) for h, column in zip(headings, zip(*cells))) <= width:
            return [
                Text("Documents of each class (rows) in each topic (columns)", "bold"),
                _matrix(names, [row["documents"] for row in rows], headings, cells),
            ]
    full = left + sum(2 + _wide(h, column) for h, column in zip(numbers, zip(*cells)))
    hint = f"All counts need a terminal of {full} columns; --json has them too."
    return [
        Text("Topics of each class, and its share in them", "bold"),
        _main_topics(rows, names, evaluation.topics["name"].to_list(), width),
        Text(hint, "dim"),
    ]


def _shortened(name: str) -> str:
    """Return both ends of a long name: classes may differ in either."""
    half = (_NAME - 1) // 2
    return name if len(name) <= _NAME else f"{name[: _NAME - 1 - half]}…{name[-half:]}"


def _score_table(scores: dict[str, float]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, min_width=max(len(score.name) for score in SCORES.values()))
    table.add_column(justify="right", no_wrap=True, min_width=6)
    table.add_column(style="dim")
    for key, value in scores.items():
        table.add_row(SCORES[key].name, f"{value:,.3f}", SCORES[key].meaning)
    return table


def _classes(n: int) -> str:
    return "only class" if n == 1 else f"{n:,} classes"


def _coherent(evaluation: Evaluation) -> list[RenderableType]:
    """Name the topics at both ends: a very coherent one may be a signature, an incoherent one a mixture."""
    ranked = evaluation.topics.drop_nulls("npmi").sort("npmi", maintain_order=True)
    if ranked.height < 3:
        return []
    ends = (("Most coherent", ranked.row(-1, named=True)), ("Least coherent", ranked.row(0, named=True)))
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, min_width=max(len(score.name) for score in SCORES.values()))
    table.add_column(justify="right", no_wrap=True, min_width=6)
    table.add_column(style="dim", no_wrap=True, overflow="ellipsis")
    for what, row in ends:
        table.add_row(what, f"{row['npmi']:.3f}", Text(f"topic {row['topic']}: {clean(row['name'], 60)}"))
    return [table]


def _wide(heading: str, column: Sequence[int]) -> int:
    return max(*(cell_len(line) for line in heading.split("\n")), *(len(f"{n:,}") for n in column))


def _matrix(names: list[str], sizes: list[int], headings: list[str], cells: list[list[int]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("Class", no_wrap=True)
    for heading in ["Docs", *headings]:
        table.add_column(Text(heading, justify="right"), justify="right", no_wrap=True)
    for name, size, row in zip(names, sizes, cells):
        most = max(row)
        shown = [_cell(n, n == most) for n in row]
        table.add_row(Text(name), Text(f"{size:,}", "dim"), *shown)
    return table


def _cell(n: int, largest: bool) -> Text:
    return Text(f"{n:,}" if n else "·", "bold cyan" if largest and n else "" if n else "dim")


def _main_topics(rows: list[dict[str, Any]], names: list[str], topics: list[str], width: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", width=min(width, _READABLE))
    table.add_column("Class", no_wrap=True)
    table.add_column("Docs", justify="right", no_wrap=True)
    table.add_column("Main topic", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("Share", justify="right", no_wrap=True, style="bold cyan")
    table.add_column("Also in topic", no_wrap=True)
    for name, row in zip(names, rows):
        shares = [n / row["documents"] for n in row["topics"]]
        main = row["main_topic"]
        others = sorted((t for t in range(len(shares)) if t != main), key=lambda t: -shares[t])
        also = [f"{t} {shares[t]:.0%}" for t in others[:2] if shares[t] >= _WORTH]
        if row["unassigned"] >= max(_WORTH * row["documents"], 1):
            also.append(f"none {row['unassigned'] / row['documents']:.0%}")
        about = f"{main:>2} {clean(topics[main])}" if main >= 0 else "none"
        share = f"{shares[main]:.0%}" if main >= 0 else "–"
        table.add_row(Text(name), f"{row['documents']:,}", Text(about), share, ", ".join(also))
    return table
