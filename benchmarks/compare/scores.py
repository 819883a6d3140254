"""The columns of the tables: what is shown of a tool, how, and which way is better."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.quality.results import Row
from benchmarks.quality.shown import mean, pick, shown


@dataclass(frozen=True)
class Column:
    """A column: its name in the rows, its heading, and whether the largest or the smallest is best."""

    name: str
    heading: str
    meaning: str
    best: int = 1  # of the largest; −1 of the smallest, 0 of none
    part: str = "whole"
    digits: int = 3


COLUMNS = (
    Column("topics", "topics", "topics that have documents", 0, digits=0),
    Column("ari", "ARI", "pairs of documents rightly together or apart; 0 is chance"),
    Column("nmi", "NMI", "information that topics and classes share, 0 to 1"),
    Column("ac", "AC", "documents in the topic that is paired with their class"),
    Column(
        "npmi", "NPMI", "keywords that occur together in documents which the tool has not seen, −1 to 1", part="half"
    ),
    Column("c_v", "C_v", "the same by C_v, with whole documents as windows", part="half"),
    Column("diversity", "diversity", "different words among all keywords"),
    Column("covered", "covered", "documents that hold a keyword of their topic, on average over topics"),
    Column("unassigned", "without", "documents without a topic", -1),
    Column("same", "same", "ARI between the answers of two seeds"),
    Column("cpu", "CPU s", "CPU seconds of the whole process, imports and sentence embeddings with it", -1, digits=1),
    Column("wall", "s", "seconds on the clock; the machine had other work", 0, digits=1),
    Column("memory", "MB", "peak memory", -1, digits=0),
)
SCORES = tuple(column for column in COLUMNS if column.name in ("ari", "nmi", "ac", "npmi", "c_v"))


def values(rows: list[Row], column: Column) -> list[float]:
    """Return a column of the rows that have it, a value a seed."""
    return [row[column.name] for row in pick(rows, part=column.part) if _is_there(row.get(column.name))]


def _is_there(value: float | None) -> bool:
    return value is not None and value == value


def cells(of: dict[str, list[Row]], columns: tuple[Column, ...]) -> dict[str, list[str]]:
    """Return the cells of each tool's line; the best of a column is bold, all of them where several are."""
    lines: dict[str, list[str]] = {tool: [] for tool in of}
    for column in columns:
        found = {tool: values(rows, column) for tool, rows in of.items()}
        means = {tool: round(mean(own), column.digits) for tool, own in found.items() if own}
        best = max((column.best * value for value in means.values()), default=None)
        for tool, own in found.items():
            text = shown(own, column.digits)
            bold = column.best and own and column.best * means[tool] == best
            lines[tool].append(f"**{text}**" if bold else text)
    return lines
