"""Part ``sure``: do different seeds agree, and are memberships as right as they say they are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from benchmarks.quality.corpora import LABELLED
from benchmarks.quality.recipes import KEPT, Visit
from benchmarks.quality.results import Row
from numpy.typing import NDArray
from scipy.stats import entropy

from quire.methods.assignment import best_two
from quire.runs.run import Run
from quire.scores import metrics

THRESHOLDS = [round(0.1 * i, 1) for i in range(10)]


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus: every pair of seeds, then every seed."""
    if corpus not in LABELLED:
        return []
    pairs = [list(pair) for pair in combinations(range(seeds), 2)]
    agreement = [
        {"corpus": corpus, "measure": "agreement", "recipe": recipe, "seeds": pair} for recipe in KEPT for pair in pairs
    ]
    calibration = [{"corpus": corpus, "measure": "memberships", "seed": seed} for seed in range(seeds)]
    return [*agreement, *calibration]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return the agreement of two runs, or how far one run's memberships can be believed."""
    if cell["measure"] == "agreement":
        one, other = (visit.run(cell["recipe"], seed)[0].labels for seed in cell["seeds"])
        return [{"ari": metrics.ari(one, other), "evenness": evenness(visit.labels)}]
    run, _ = visit.run("default", cell["seed"])
    sure = own_membership(run, run.memberships)
    right = metrics.rightly_placed(visit.labels, run.labels)
    return [
        {
            "before": metrics.expected_calibration_error(own_membership(run, before(run)), right),
            "after": metrics.expected_calibration_error(sure, right),
            **curve(sure, run.labels, visit.labels),
        }
    ]


def evenness(classes: NDArray[np.object_]) -> float:
    """Return the entropy of the sizes of classes over its largest value: 1 where all are of one size."""
    sizes = np.unique(classes, return_counts=True)[1]
    return float(entropy(sizes) / np.log(len(sizes)))


def before(run: Run) -> NDArray[np.float64]:
    """Return the posteriors of the mixture before they were made as sure as the runs agree."""
    raw = run.memberships ** (1 / float(run.estimator.sharpness_[0]))
    return np.asarray(raw / raw.sum(axis=1, keepdims=True))


def own_membership(run: Run, memberships: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each document's membership in its topic; 0 where it has none."""
    return best_two(run.labels, memberships)[0]


def curve(
    sure: NDArray[np.float64], labels: NDArray[np.intp], classes: NDArray[np.object_]
) -> dict[str, list[float | None]]:
    """Return which share of documents is left at each threshold, and their AC; none where none is left."""
    found = metrics.coverage_curve(sure, labels, classes, THRESHOLDS)
    return {
        "thresholds": [threshold for threshold, _, _ in found],
        "coverage": [round(coverage, 5) for _, coverage, _ in found],
        "ac": [None if np.isnan(ac) else round(ac, 5) for _, _, ac in found],
    }
