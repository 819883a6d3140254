"""kim2008 §4.2 and §4.4 on generated data: tables 1 and 8, figure 1."""

from __future__ import annotations

import numpy as np

from quire.papers.corpora import mixture
from quire.papers.experiment import Cell, Experiment, Result, Setting
from quire.papers.kim2008.beta import beta_cells, beta_findings
from quire.papers.kim2008.published import CLOCK, DEFAULT_ON_ROWS, GENERATED, SYNTHETIC_K, TABLE1, TABLE8
from quire.papers.kim2008.runs import (
    DEFAULT,
    METHODS,
    SYNTHETIC_BETA,
    Documents,
    Trial,
    as_quire_weighs,
    quietly,
    runs_of,
    seed_of,
    task_of,
)  # fmt: skip
from quire.papers.protocol import once
from quire.scores.metrics import sse
from quire.studies.figures import new_figure, svg_of

QUICK_K = (3, 5, 8, 12, 15, 20, 25, 30)
RUNS = {"quick": 20, "full": 100}
BETA_K = 15
BETA_RUNS = {"quick": 10, "full": 100}
SIZE = (1000, 500)
_ORDER = ("K-means", "SNMF", "NMF")


def made_of(k: int, setting: Setting) -> Documents:
    """Make the data set of k clusters, weighted as Quire does too."""
    X, classes = mixture(k, seed_of(setting.seed, k), *SIZE)
    return Documents(X, as_quire_weighs(X), classes)


@once
def _trials(setting: Setting) -> dict[tuple[int, str], list[Trial]]:
    """Run every method on every data set; by k and method."""
    ks, n_runs = setting.pick(QUICK_K, SYNTHETIC_K), RUNS[setting.pick("quick", "full")]
    made = {k: made_of(k, setting) for k in ks}
    asked = [(k, method, run) for k in ks for method in METHODS for run in range(runs_of(method, n_runs))]
    tasks = [task_of(method, k, SYNTHETIC_BETA, seed_of(setting.seed, k, run), made[k]) for k, method, run in asked]
    trials: dict[tuple[int, str], list[Trial]] = {}
    for (k, method, _), done in zip(asked, quietly(tasks, setting, "mixtures of Gaussians"), strict=True):
        trials.setdefault((k, method), []).append(done)
    return trials


def _ks(trials: dict[tuple[int, str], list[Trial]]) -> list[int]:
    return list(dict.fromkeys(k for k, _ in trials))


def _table1(setting: Setting) -> Result:
    trials = _trials(setting)
    share = {key: 100 * float(np.mean([one.optimal for one in runs])) for key, runs in trials.items()}
    cells = [
        Cell(f"k = {k}", name, _printed(name, k), share[k, name]) for k in _ks(trials) for name in (*_ORDER, DEFAULT)
    ]
    differs = [*GENERATED, DEFAULT_ON_ROWS]
    if not setting.full:
        n_runs = RUNS["quick"]
        differs.append(f"{n_runs} runs for each of {len(_ks(trials))} values of k, scaled to 100; 100 for 28.")
    return Result(cells, differs, _ranking(cells), digits=0)


def _printed(name: str, k: int) -> float | None:
    return TABLE1[name][SYNTHETIC_K.index(k)] if name in TABLE1 else None


def _ranking(cells: list[Cell]) -> list[str]:
    """Say whether SNMF > NMF > k-means, over all k and one by one."""
    ours = {name: [float(c.ours or 0) for c in cells if c.column == name] for name in (*_ORDER, DEFAULT)}
    paper = {name: [float(c.paper or 0) for c in cells if c.column == name] for name in _ORDER}
    mean = {name: float(np.mean(values)) for name, values in ours.items()}
    averages = ", ".join(f"{name} {mean[name]:.0f} ({np.mean(paper[name]):.0f})" for name in _ORDER)
    holds = mean["SNMF"] > mean["NMF"] > mean["K-means"]
    lines = [
        f"Optimal assignments in 100 runs, mean over these k (the paper's in brackets): {averages}: the "
        f"published order SNMF > NMF > K-means {'holds' if holds else 'does not hold'}."
    ]
    for better, worse in (("SNMF", "NMF"), ("NMF", "K-means")):
        against = [cell.row for cell, a, b in zip(cells[:: len(ours)], ours[better], ours[worse], strict=True) if a < b]
        if against:
            lines.append(f"{better} found the optimum less often than {worse} at {', '.join(against)}.")
    lines.append(f"{DEFAULT}: {mean[DEFAULT]:.0f} in 100.")
    return lines


def _figure1(setting: Setting) -> Result:
    trials = _trials(setting)
    ks = _ks(trials)
    least = {key: min(one.sse for one in runs) for key, runs in trials.items()}
    seconds = {key: float(np.mean([one.seconds for one in runs])) for key, runs in trials.items()}
    optimum = {k: sse(*made_of(k, setting)[::2]) for k in ks}
    cells = []
    for k in ks:
        cells.append(Cell(f"k = {k}", "SSE of the known classes", None, optimum[k]))
        cells += [Cell(f"k = {k}", f"least SSE, {name}", None, least[k, name]) for name in METHODS]
        cells += [Cell(f"k = {k}", f"time, {name}", None, seconds[k, name]) for name in METHODS]
    differs = [*GENERATED, CLOCK, "The paper prints no numbers for this figure."]
    figure = _drawn(ks, {"least sum of squared errors": least, "average time of a run, s": seconds})
    return Result(cells, differs, _reached(ks, least, optimum, seconds), {"figure1": figure})


def _reached(
    ks: list[int], least: dict[tuple[int, str], float], optimum: dict[int, float], seconds: dict[tuple[int, str], float]
) -> list[str]:
    lines = []
    for name in METHODS:
        above = [f"{k}" for k in ks if least[k, name] > optimum[k] * (1 + 1e-9)]
        where = f"not at k = {', '.join(above)}" if above else "at every k"
        lines.append(f"The best run of {name} reached the SSE of the known classes {where}.")
    lines.append("Published: NMF and SNMF reached it at every k, K-means stayed far above it.")
    slower = [f"{k}" for k in ks if seconds[k, "SNMF"] > seconds[k, "K-means"]]
    lines.append(
        f"SNMF took longer than K-means at k = {', '.join(slower) or 'none'} (published: only up to k = 7); "
        "today's k-means is far from MATLAB's in speed, so that the times of the methods cannot be compared "
        "with the paper's."
    )
    return lines


def _drawn(ks: list[int], panels: dict[str, dict[tuple[int, str], float]]) -> str:
    figure, axes = new_figure(1, 2, 9, 3.6)
    for letter, ax, (title, values) in zip("ab", axes[0], panels.items(), strict=True):
        for name, mark in zip(METHODS, "so^x", strict=True):
            ax.plot(ks, [values[k, name] for k in ks], marker=mark, markersize=4, linewidth=1, label=name)
        ax.set(xlabel="number of clusters k", ylabel=title, title=f"({letter})")
    axes[0][0].legend(frameon=False)
    return svg_of(figure)


@once
def _by_beta(setting: Setting) -> dict[float | str, list[Trial]]:
    """Run SNMF with every β on the data of 15 clusters, and Quire's default recipe."""
    made, n_runs = made_of(BETA_K, setting), BETA_RUNS[setting.pick("quick", "full")]
    betas: list[float | str] = [*TABLE8, DEFAULT]
    asked = [(beta, run) for beta in betas for run in range(runs_of(str(beta), n_runs))]
    tasks = [
        task_of(*(("SNMF", BETA_K, beta) if isinstance(beta, float) else (DEFAULT, BETA_K, 0.0)),
                seed_of(setting.seed, BETA_K, run), made)
        for beta, run in asked
    ]  # fmt: skip
    trials: dict[float | str, list[Trial]] = {}
    for (beta, _), done in zip(asked, quietly(tasks, setting, "values of β, generated data"), strict=True):
        trials.setdefault(beta, []).append(done)
    return trials


def _table8(setting: Setting) -> Result:
    trials = _by_beta(setting)
    differs = [*GENERATED, CLOCK, "The paper does not say how many runs it averages: here "
               f"{BETA_RUNS[setting.pick('quick', 'full')]} for each β."]  # fmt: skip
    cells = beta_cells(TABLE8, {key: [runs] for key, runs in trials.items()})
    return Result(cells, differs, beta_findings(TABLE8, cells), digits=2)


EXPERIMENTS = (
    Experiment("kim2008/table1", "how often the optimal assignment is found, generated data", _table1),
    Experiment("kim2008/table8", "SNMF with various β, generated data, k = 15", _table8),
    Experiment("kim2008/figure1", "least SSE and time against k, generated data", _figure1),
)
