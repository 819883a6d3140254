"""The page's section on seeds."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.corpora import LABELLED
from benchmarks.quality.results import Row
from benchmarks.quality.seeds import RECIPES, WORDS
from benchmarks.quality.shown import distinct, mean, pick, section, shown, source, table

LOW, GAIN = 0.7, 0.1


def seeds(data: dict[str, Any]) -> str:
    """Return what seeds do, corpus by corpus."""
    rows = data["rows"]
    if not rows:
        return ""
    every = distinct(rows, "corpus", LABELLED)
    corpora = [name for name in every if len(distinct(pick(rows, corpus=name), "recipe")) > 3]
    body = [[corpus, *_cells(pick(rows, corpus=corpus))] for corpus in corpora]
    both = {corpus: _both(pick(rows, corpus=corpus), RECIPES[0]) for corpus in corpora}
    low = {corpus: after - before for corpus, (before, after) in both.items() if before < LOW}
    reached = sum(gain >= GAIN for gain in low.values())
    prose = (
        f"Each class is given {WORDS} words, those with the largest p·log(p / q) in half of its documents, p being the "
        "share of them that hold a word and q that of all; AC is that of all documents, with as many topics as "
        f"classes. Where it is below {LOW} without seeds, the default recipe gains {mean(list(low.values())):.3f} on "
        f"average, and {GAIN} or more on {reached} of {len(low)} corpora."
    )
    headings = ["corpus", *(f"{recipe}{more}" for recipe in RECIPES for more in ("", " with seeds", ": gain"))]
    return section("Seeds", prose, table(headings, body), source(data, "seeds"))


def _cells(rows: list[Row]) -> list[str]:
    cells = []
    for recipe in RECIPES:
        before, after = _both(rows, recipe)
        cells += [shown(_accuracies(rows, name)) for name in (recipe, f"{recipe} with seeds")]
        cells.append(f"{after - before:+.3f}")
    return cells


def _both(rows: list[Row], recipe: str) -> tuple[float, float]:
    return mean(_accuracies(rows, recipe)), mean(_accuracies(rows, f"{recipe} with seeds"))


def _accuracies(rows: list[Row], recipe: str) -> list[float]:
    return [row["ac"] for row in pick(rows, recipe=recipe)]
