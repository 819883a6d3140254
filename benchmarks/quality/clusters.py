"""Part ``clusters``: every recipe on every corpus with every seed, k being the number of classes."""

from __future__ import annotations

import time

from benchmarks.quality.baselines import labels_of
from benchmarks.quality.corpora import SHORT
from benchmarks.quality.recipes import BASELINES, ON_SHORT, RECIPES, Visit, scored
from benchmarks.quality.results import Row


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus."""
    names = ON_SHORT if corpus in SHORT else (*RECIPES, *BASELINES)
    return [{"corpus": corpus, "recipe": name, "seed": seed} for name in names for seed in range(seeds)]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return the scores of one recipe with one seed."""
    if cell["recipe"] not in BASELINES:
        run, seconds = visit.run(cell["recipe"], cell["seed"])
        return [scored(visit, run.labels, seconds)]
    terms, began = visit.terms, time.perf_counter()
    found = labels_of(cell["recipe"], terms.matrix.whole(), visit.k, cell["seed"])
    return [scored(visit, found, time.perf_counter() - began)]
