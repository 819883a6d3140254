"""Numbers and tables of the page: means, spreads, marks, where a table comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any

from benchmarks.measure import table
from benchmarks.quality.results import Row

from quire.messages import counted

SCORES = {"ari": "ARI", "nmi": "NMI", "ac": "AC"}

__all__ = ["SCORES", "by_seed", "distinct", "mean", "pick", "section", "shown", "source", "table"]


def pick(rows: Iterable[Row], **equal: Any) -> list[Row]:
    """Return the rows where columns equal the given values."""
    return [row for row in rows if all(row.get(name) == value for name, value in equal.items())]


def distinct(rows: Iterable[Row], column: str, order: Sequence[str] = ()) -> list[str]:
    """Return the values of a column, each once: those of the order first, in that order."""
    found = list(dict.fromkeys(row[column] for row in rows))
    return [one for one in order if one in found] + [one for one in found if one not in order]


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN of nothing."""
    return fmean(values) if values else float("nan")


def shown(values: Sequence[float], digits: int = 3) -> str:
    """Return mean ± standard deviation; a dash for nothing."""
    if not values:
        return "–"
    spread = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{round(fmean(values), digits) + 0.0:.{digits}f}{spread}"  # never −0


def by_seed(rows: Sequence[Row], score: str, corpora: Sequence[str]) -> list[float]:
    """Return, for every seed that was run on all of the corpora, the mean of a score over them."""
    means = []
    for seed in sorted({row["seed"] for row in rows}):
        found = {row["corpus"]: row[score] for row in rows if row["seed"] == seed}
        if set(corpora) <= found.keys() and corpora:
            means.append(fmean(found[name] for name in corpora))
    return means


def section(title: str, *blocks: str) -> str:
    """Return a heading and paragraphs, tables or figures below it; empty ones are left out."""
    return "\n\n".join([f"## {title}", *(block for block in blocks if block)]) + "\n"


def source(data: dict[str, Any], part: str) -> str:
    """Return the line below a table: when and where it was measured, and the command that does it again."""
    seeds = {seed for row in data["rows"] for seed in row.get("seeds", [row.get("seed")])}
    command = f"python -m benchmarks.quality --only {part} --seeds {len(seeds)}"
    return f"*{data['date']}, Quire {data['quire']}, {counted(len(seeds), 'seed')}; `{command}`*"
