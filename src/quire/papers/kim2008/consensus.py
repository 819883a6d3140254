"""kim2008 §5: how many clusters, from the consensus of runs (figures 2, 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.papers.corpora import Labelled
from quire.papers.experiment import Cell, Experiment, Result, Setting
from quire.papers.kim2008.mixtures import made_of
from quire.papers.kim2008.published import GENERATED_ANEW, TABLE5, TABLE6
from quire.papers.kim2008.runs import (
    DEFAULT,
    METHODS,
    SYNTHETIC_BETA,
    TDT2,
    TEXT_BETA,
    Documents,
    model_of,
    quietly,
    runs_of,
    seed_of,
    text_of,
    topics_of,
)  # fmt: skip
from quire.papers.protocol import Halt
from quire.scores.metrics import dispersion
from quire.studies.figures import new_figure, svg_of

TRIED = range(3, 9)
SHOWN = (3, 4, 5, 6)
CORRECT = 5
RUNS = {"quick": 20, "full": 100}
_MOST_SHOWN = 200  # documents on a side of a heat-map
_DRAWN = ("SNMF", "NMF", "K-means")

Labels = dict[tuple[str, int], list[NDArray[Any]]]


def nearest_topics(topics: Labelled, sizes: tuple[int, ...]) -> NDArray[Any]:
    """Choose the topics whose numbers of articles come nearest to given ones, each topic once."""
    from scipy.optimize import linear_sum_assignment

    names, have = np.unique(topics.labels, return_counts=True)
    apart = np.abs(np.subtract.outer(np.array(sizes), have))
    return np.asarray(names[linear_sum_assignment(apart)[1]])


def consensus(runs: list[NDArray[Any]], classes: NDArray[Any], most: int = _MOST_SHOWN) -> NDArray[Any]:
    """Return the share of runs that put two documents together, sorted by class, at most so many."""
    order = np.argsort(classes, kind="stable")
    sample = order[np.linspace(0, len(order) - 1, min(most, len(order))).astype(int)]
    together = [np.equal.outer(labels[sample], labels[sample]) for labels in runs]
    return np.asarray(np.mean(together, axis=0))


def _labels(of: Documents, beta: float, setting: Setting) -> Labels:
    """Fit every method with every k several times."""
    asked = [
        (method, k, run)
        for method in METHODS for k in TRIED
        for run in range(runs_of(method, RUNS[setting.pick("quick", "full")]))
    ]  # fmt: skip

    def task(method: str, k: int, run: int) -> Callable[[Halt], NDArray[Any]]:
        seen, seed = of.by_default if method == DEFAULT else of.X, seed_of(setting.seed, k, run)
        return lambda halt: model_of(method, k, beta, seed, halt).fit(seen).labels_

    tasks = [task(*each) for each in asked]
    partitions: Labels = {}
    for (method, k, _), labels in zip(asked, quietly(tasks, setting, "runs for a consensus"), strict=True):
        partitions.setdefault((method, k), []).append(labels)
    return partitions


def _result(of: Documents, beta: float, setting: Setting, name: str, published: str, differs: list[str]) -> Result:
    runs = _labels(of, beta, setting)
    spread = {key: dispersion(labels) for key, labels in runs.items()}
    cells = [Cell(f"k = {k}", method, None, spread[method, k]) for k in TRIED for method in (*_DRAWN, DEFAULT)]
    differs = [
        *differs,
        "The paper prints no numbers for this figure, nor how many runs it took; here "
        f"{RUNS[setting.pick('quick', 'full')]} for each method and k, a fifth of that for {DEFAULT}.",
        f"A heat-map shows at most {_MOST_SHOWN} documents, evenly taken from all sorted by class; the "
        "dispersion coefficients are of all.",
    ]
    return Result(
        cells, differs, [*_drops(spread), *_unused(runs), published], {name: _drawn(runs, spread, of.classes)}
    )


def _drops(spread: dict[tuple[str, int], float]) -> list[str]:
    """Say after which k the dispersion coefficient of each method falls most."""
    lines = []
    for method in (*_DRAWN, DEFAULT):
        falls = {k: spread[method, k] - spread[method, k + 1] for k in TRIED[:-1]}
        k = max(falls, key=falls.__getitem__)
        trend = f"falls most after k = {k}, by {falls[k]:.3f}" if falls[k] > 0 else "does not fall"
        lines.append(f"ρ of {method} {trend}; at the correct k = {CORRECT} it is {spread[method, CORRECT]:.3f}.")
    return lines


def _unused(runs: Labels) -> list[str]:
    """Name the methods that leave clusters empty: those agree with themselves for the wrong reason."""
    most, lines = max(TRIED), []
    for method in (*_DRAWN, DEFAULT):
        used = float(np.mean([len(np.unique(labels[labels >= 0])) for labels in runs[method, most]]))
        if used < most:
            lines.append(f"{method} with k = {most} fills {used:.1f} clusters on average; empty ones keep ρ high.")
    return lines


def _drawn(runs: Labels, spread: dict[tuple[str, int], float], classes: NDArray[Any]) -> str:
    """Draw the paper's layout: (a), (b), (c) a row of heat-maps each, (d) the dispersion coefficients."""
    figure, axes = new_figure(len(_DRAWN) + 1, len(SHOWN), 8, 9)
    for letter, method, row in zip("abc", _DRAWN, axes, strict=False):
        for k, ax in zip(SHOWN, row, strict=True):
            ax.imshow(consensus(runs[method, k], classes), vmin=0, vmax=1, cmap="viridis", interpolation="none")
            ax.set(title=f"k = {k}", xticks=[], yticks=[])
        row[0].set_ylabel(f"({letter}) {method}")
    grid = axes[-1][0].get_gridspec()
    for ax in axes[-1]:
        ax.remove()
    below = figure.add_subplot(grid[-1, :])
    for method, mark in zip((*_DRAWN, DEFAULT), "os^x", strict=True):
        below.plot(list(TRIED), [spread[method, k] for k in TRIED], marker=mark, linewidth=1, label=method)
    below.set(xlabel="k", ylabel="(d) dispersion ρ")
    below.legend(frameon=False)
    return svg_of(figure)


def _generated(setting: Setting) -> Result:
    published = (
        "Published: ρ of SNMF drops after k = 5 and tells the number; those of NMF and K-means keep increasing with k."
    )
    return _result(made_of(CORRECT, setting), SYNTHETIC_BETA, setting, "figure2", published, [GENERATED_ANEW])


def _text(setting: Setting, sizes: tuple[int, ...], name: str, published: str) -> Result:
    topics = topics_of(setting)
    names = nearest_topics(topics, sizes)
    have = ", ".join(str(int((topics.labels == one).sum())) for one in names)
    differs = [
        "This cut of TDT2 has no names of topics: of those with 30 to 300 articles the five nearest in size "
        f"were taken, {have} articles for the paper's {', '.join(map(str, sizes))}; they may be about other "
        "things."
    ]
    return _result(text_of(topics, names), TEXT_BETA, setting, name, published, differs)


_FIGURE3 = partial(_text, sizes=TABLE5, name="figure3", published=(
    "Published: ρ of SNMF and of NMF drops after k = 5 and tells the number; that of K-means does not."
))  # fmt: skip
_FIGURE4 = partial(_text, sizes=TABLE6, name="figure4", published=(
    "Published: ρ of SNMF is high at k = 3 and 5 and low at 4 and 6, so that 3 or 5 are suggested; those of "
    "NMF and K-means tell nothing."
))  # fmt: skip

EXPERIMENTS = (
    Experiment("kim2008/figure2", "consensus and dispersion, generated data, k = 5", _generated),
    Experiment("kim2008/figure3", "consensus and dispersion, five topics of TDT2 (table 5)", _FIGURE3, TDT2),
    Experiment("kim2008/figure4", "consensus and dispersion, five topics of TDT2 (table 6)", _FIGURE4, TDT2),
)
