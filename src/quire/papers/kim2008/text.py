"""kim2008 §4.3 and §4.4 on TDT2: tables 2, 3, 4 and 9."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from quire.papers.experiment import Cell, Experiment, Result, Setting
from quire.papers.kim2008.beta import beta_cells, beta_findings
from quire.papers.kim2008.published import (
    CLOCK,
    CORPUS,
    DEFAULT_ON_TEXT,
    MEANS,
    TABLE2_DATA,
    TABLE2_SSE,
    TABLE2_TIME,
    TABLE3,
    TABLE4,
    TABLE9,
    TEXT_K,
)  # fmt: skip
from quire.papers.kim2008.runs import (
    DEFAULT,
    METHODS,
    TDT2,
    TEXT_BETA,
    Trial,
    draws_of,
    quietly,
    runs_of,
    seed_of,
    task_of,
    topics_of,
)  # fmt: skip
from quire.papers.protocol import cell_of, once

DRAWS = {"quick": 3, "full": 10}
RUNS = {"quick": 5, "full": 10}
BETA_K = 9
BETA_RUNS = {"quick": 2, "full": 10}
_STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "avg": lambda values: float(np.mean(values)),
    "max": max,
    "min": min,
}
_METHODS_DIFFER = [MEANS, DEFAULT_ON_TEXT]


class Shared(NamedTuple):
    """The runs that tables 2 to 4 share."""

    trials: dict[tuple[int, str], list[list[Trial]]]
    """By k and method: a list of runs for each draw."""
    sizes: dict[tuple[int, int], tuple[int, int]]
    """By k and draw: articles, terms."""


@once
def _shared(setting: Setting) -> Shared:
    which = setting.pick("quick", "full")
    topics = topics_of(setting)
    drawn = {k: draws_of(topics, k, DRAWS[which], setting.seed) for k in TEXT_K}
    asked = [
        (k, method, draw, run)
        for k in TEXT_K for method in METHODS for draw in range(DRAWS[which])
        for run in range(runs_of(method, RUNS[which]))
    ]  # fmt: skip
    tasks = [
        task_of(method, k, TEXT_BETA, seed_of(setting.seed, k, draw, run), drawn[k][draw])
        for k, method, draw, run in asked
    ]
    trials: dict[tuple[int, str], list[list[Trial]]] = {}
    for (k, method, draw, _), done in zip(asked, quietly(tasks, setting, "draws of TDT2"), strict=True):
        draws = trials.setdefault((k, method), [[] for _ in range(DRAWS[which])])
        draws[draw].append(done)
    sizes = {(k, i): one.X.shape for k, draws_of_k in drawn.items() for i, one in enumerate(draws_of_k)}
    return Shared(trials, sizes)


def _differs(setting: Setting, n_runs: Mapping[str, int]) -> list[str]:
    if setting.full:
        return [*CORPUS, *_METHODS_DIFFER]
    counts = f"{DRAWS['quick']} draws of topics × {n_runs['quick']} runs instead of 10 × 10."
    return [*CORPUS, *_METHODS_DIFFER, counts]


def _over_draws(draws: Sequence[Sequence[Trial]], measure: str, statistic: str = "avg") -> list[float]:
    """Return a statistic over the runs of each draw."""
    return [_STATISTICS[statistic]([float(getattr(one, measure)) for one in runs]) for runs in draws]


def _table2(setting: Setting) -> Result:
    trials, sizes = _shared(setting)
    cells = []
    for i, k in enumerate(TEXT_K):
        row, draws = f"k = {k}", range(DRAWS[setting.pick("quick", "full")])
        for column, paper, axis in zip(("dimension", "articles"), TABLE2_DATA[k], (1, 0), strict=True):
            cells.append(cell_of(row, column, paper, [sizes[k, draw][axis] for draw in draws]))
        for title, published, measure in (("time", TABLE2_TIME, "seconds"), ("SSE", TABLE2_SSE, "sse")):
            for name in METHODS:
                paper = published[name][i] if name in published else None  # type: ignore[assignment]
                cells.append(cell_of(row, f"{title}, {name}", paper, _over_draws(trials[k, name], measure)))
    return Result(cells, [*_differs(setting, RUNS), CLOCK], _sse_findings(cells), digits=2)


def _sse_findings(cells: list[Cell]) -> list[str]:
    ours = {(cell.row, cell.column): float(cell.ours or 0) for cell in cells}
    rows = list(dict.fromkeys(cell.row for cell in cells))
    apart = [max(of) / min(of) - 1 for row in rows if (of := [ours[row, f"SSE, {m}"] for m in METHODS[:3]])]
    highest = [row for row in rows if ours[row, "SSE, K-means"] >= max(ours[row, f"SSE, {m}"] for m in METHODS[:3])]
    slow = [row for row in rows if ours[row, "time, K-means"] > ours[row, "time, SNMF"]]
    return [
        f"The three methods' SSE differ by at most {100 * max(apart):.1f} % (published: 0.2 %), that of "
        f"K-means is the highest at {len(highest)} of {len(rows)} values of k (published: all 6).",
        f"K-means takes longer than SNMF at {len(slow)} of {len(rows)} values of k (published: 5 of 6): the "
        "published times of it are MATLAB's, and Lloyd's algorithm on sparse rows is cheap.",
    ]


def _quality(setting: Setting, measure: str, published: Mapping[str, Sequence[Sequence[float]]]) -> Result:
    """Make table 3 or 4."""
    trials, _ = _shared(setting)
    cells = []
    for i, k in enumerate(TEXT_K):
        for name in METHODS:
            for j, statistic in enumerate(_STATISTICS):
                paper = published[name][i][j] if name in published else None
                values = _over_draws(trials[k, name], measure, statistic)
                cells.append(cell_of(f"k = {k}", f"{name} {statistic}", paper, values))
    return Result(cells, _differs(setting, RUNS), _order(cells, measure == "purity"))


def _order(cells: list[Cell], more_is_better: bool) -> list[str]:
    """Say whether NMF and SNMF beat k-means, on average and in the worst run."""
    sign, worst, best = (1, "min", "max") if more_is_better else (-1, "max", "min")
    ours = {(cell.row, cell.column): sign * float(cell.ours or 0) for cell in cells}
    rows = list(dict.fromkeys(cell.row for cell in cells))
    lines = []
    for name in ("NMF", "SNMF", DEFAULT):
        ahead = [row for row in rows if ours[row, f"{name} avg"] > ours[row, "K-means avg"]]
        where = "every k" if len(ahead) == len(rows) else ", ".join(ahead) or "no k"
        lines.append(f"{name} is better than K-means on average at {where}" + (
            "." if name == DEFAULT else " (published: every k)."))  # fmt: skip
    apart = [
        row for row in rows
        if all(ours[row, f"{name} {worst}"] > ours[row, f"K-means {best}"] for name in ("NMF", "SNMF"))
    ]  # fmt: skip
    lines.append(
        f"The worst runs of NMF and SNMF are better than the best of K-means at {', '.join(apart) or 'no k'} "
        "(published: k = 12, k = 15, k = 18)."
    )
    return lines


@once
def _by_beta(setting: Setting) -> dict[float | str, list[list[Trial]]]:
    """Run SNMF with every β on draws of 9 topics, and Quire's default recipe."""
    which = setting.pick("quick", "full")
    drawn = draws_of(topics_of(setting), BETA_K, DRAWS[which], setting.seed)
    betas: list[float | str] = [*TABLE9, DEFAULT]
    asked = [
        (beta, draw, run)
        for beta in betas for draw in range(DRAWS[which])
        for run in range(runs_of(str(beta), BETA_RUNS[which]))
    ]  # fmt: skip
    tasks = [
        task_of(*(("SNMF", BETA_K, beta) if isinstance(beta, float) else (DEFAULT, BETA_K, 0.0)),
                seed_of(setting.seed, BETA_K, draw, run), drawn[draw])
        for beta, draw, run in asked
    ]  # fmt: skip
    trials: dict[float | str, list[list[Trial]]] = {}
    for (beta, draw, _), done in zip(asked, quietly(tasks, setting, "values of β, TDT2"), strict=True):
        trials.setdefault(beta, [[] for _ in range(DRAWS[which])])[draw].append(done)
    return trials


def _table9(setting: Setting) -> Result:
    cells = beta_cells(TABLE9, _by_beta(setting))
    return Result(cells, [*_differs(setting, BETA_RUNS), CLOCK], beta_findings(TABLE9, cells), digits=2)


EXPERIMENTS = (
    Experiment("kim2008/table2", "TDT2: size of the data, time and SSE", _table2, TDT2),
    Experiment("kim2008/table3", "TDT2: purity", partial(_quality, measure="purity", published=TABLE3), TDT2),
    Experiment("kim2008/table4", "TDT2: entropy", partial(_quality, measure="entropy", published=TABLE4), TDT2),
    Experiment("kim2008/table9", "SNMF with various β, TDT2, k = 9", _table9, TDT2),
)
