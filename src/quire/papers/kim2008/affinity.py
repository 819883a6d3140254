"""kim2008 §6: affinity propagation on TDT2 (table 7), and on the generated data."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from quire.methods.affinity import AffinityPropagation
from quire.papers.experiment import Cell, Experiment, Result, Setting
from quire.papers.kim2008.mixtures import made_of
from quire.papers.kim2008.published import CLOCK, CORPUS, DEFAULT_ON_TEXT, SYNTHETIC_K, TABLE7, TABLE7_COLUMNS, TEXT_K
from quire.papers.kim2008.runs import (
    DEFAULT,
    TDT2,
    Documents,
    Trial,
    draws_of,
    quietly,
    seed_of,
    task_of,
    topics_of,
)  # fmt: skip
from quire.papers.protocol import Halt, cell_of
from quire.scores.metrics import accuracy, entropy, purity, sse

DRAWS = {"quick": 1, "full": 10}
QUICK_GENERATED_K = (3, 15, 30)
_AT_THE_MEDIAN = {6: 72, 15: 167}  # clusters that the paper got with the median, for a data set of so many


class Propagated(NamedTuple):
    """What the search for k exemplars came to; the first seven are the columns of table 7."""

    preference: float
    sse: float
    purity: float
    entropy: float
    seconds: float
    seconds_a_run: float
    runs: int
    at_the_median: int
    """Clusters of the first run."""
    met: bool
    """Whether the number asked for was found."""


def _searched(k: int, of: Documents) -> Callable[[Halt], Propagated]:
    """Return the task that searches for the preference of k clusters."""

    def search(halt: Halt) -> Propagated:
        began = time.thread_time()
        model = AffinityPropagation(k, random_state=0, n_jobs=1, callback=halt).fit(of.X)
        seconds, labels = time.thread_time() - began, model.labels_
        first = model.trace_["residual"][0]  # |clusters − k| / k, and the median gives too many
        return Propagated(
            model.preference_, sse(of.X, labels), purity(of.classes, labels), entropy(of.classes, labels),
            seconds, seconds / model.n_iter_, model.n_iter_, round(k * (1 + first)), model.n_components_ == k,
        )  # fmt: skip

    return search


def _at_the_median(of: Documents) -> Callable[[Halt], bool]:
    """Return the task that tells whether the median as preference gives the known classes."""

    def tell(halt: Halt) -> bool:
        model = AffinityPropagation(random_state=0, n_jobs=1, callback=halt).fit(of.X)
        return accuracy(of.classes, model.labels_) == 1

    return tell


def _table7(setting: Setting) -> Result:
    topics, n_draws = topics_of(setting), DRAWS[setting.pick("quick", "full")]
    drawn = {k: draws_of(topics, k, n_draws, setting.seed) for k in TEXT_K}
    each = [(k, draw) for k in reversed(TEXT_K) for draw in range(n_draws)]  # the long ones first
    tasks = [_searched(k, drawn[k][draw]) for k, draw in each]
    searched = dict(zip(each, quietly(tasks, setting, "affinity propagation, TDT2"), strict=True))
    others = [task_of(DEFAULT, k, 0.0, seed_of(setting.seed, k, draw, 0), drawn[k][draw]) for k, draw in each]
    by_default = dict(zip(each, quietly(others, setting, DEFAULT), strict=True))
    cells = []
    for k in TEXT_K:
        cells += _row(k, [searched[k, draw] for draw in range(n_draws)], [by_default[k, d] for d in range(n_draws)])
    differs = [
        *CORPUS,
        "The messages are scikit-learn's, damping 0.5 and at most 200 rounds, more where they swing.",
        CLOCK,
        DEFAULT_ON_TEXT,
    ]
    if not setting.full:
        differs.append(f"{n_draws} draw of topics for each k instead of 10.")
    return Result(cells, differs, [*_findings(searched, cells), _on_generated(setting)], digits=2)


def _row(k: int, searched: list[Propagated], by_default: list[Trial]) -> list[Cell]:
    cells = [
        cell_of(f"k = {k}", column, paper, [float(one[i]) for one in searched])
        for i, (column, paper) in enumerate(zip(TABLE7_COLUMNS, TABLE7[k], strict=True))
    ]
    for column in ("sse", "purity", "entropy"):
        title = "SSE" if column == "sse" else column
        cells.append(cell_of(f"k = {k}", f"{title}, {DEFAULT}", None, [getattr(one, column) for one in by_default]))
    return cells


def _findings(searched: dict[tuple[int, int], Propagated], cells: list[Cell]) -> list[str]:
    met, runs = sum(one.met for one in searched.values()), np.mean([one.runs for one in searched.values()])
    pure = {kind: [getattr(c, kind) for c in cells if c.column == "purity"] for kind in ("ours", "paper")}
    lines = [
        f"The number of clusters was met for {met} of {len(searched)} draws, by {runs:.1f} runs on average "
        f"(published: {np.mean([row[-1] for row in TABLE7.values()]):.1f}).",
        f"Purity is {min(pure['ours']):.2f} to {max(pure['ours']):.2f} (published: {min(pure['paper']):.2f} "
        f"to {max(pure['paper']):.2f}); compare table 3.",
    ]  # fmt: skip
    for k, published in _AT_THE_MEDIAN.items():
        first = np.mean([one.at_the_median for (wanted, _), one in searched.items() if wanted == k])
        lines.append(f"The median as preference gave {first:.0f} clusters for k = {k} (published: {published}).")
    return lines


def _on_generated(setting: Setting) -> str:
    ks = setting.pick(QUICK_GENERATED_K, SYNTHETIC_K)
    optimal = quietly([_at_the_median(made_of(k, setting)) for k in ks], setting, "affinity propagation, mixtures")
    return (
        "On the generated data of table 1 the median as preference gave the optimal assignment for "
        f"{sum(optimal)} of {len(ks)} values of k (published: all of 3 … 30)."
    )


EXPERIMENTS = (Experiment("kim2008/table7", "TDT2: affinity propagation", _table7, TDT2),)
