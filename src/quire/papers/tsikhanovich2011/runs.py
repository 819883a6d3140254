"""What the figures of tsikhanovich2011 share: TDT2 as the thesis weighs it, and many runs over k and λ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.papers.corpora import Labelled, read_matrix
from quire.papers.experiment import Setting
from quire.papers.protocol import DEFAULT, Halt, side_by_side
from quire.runs.recipe import recipe
from quire.scores.metrics import purity, soft_nmi
from quire.studies.choosing.lambda_runs import known_classes, smallest_zeroing
from quire.text.weight import Weight

TDT2 = ("tdt2.npz", "tdt2_labels.npy")
DIFFERS = [
    "X is tf·log(n/df) with rows of unit length, not the printed tf·log(n/Σtf): only so λ is of the size "
    "that the thesis shows, given that its program divides it by n.",
    "TDT2's 30 largest classes as they can be had: 9,394 documents and 36,093 terms, where the thesis speaks "
    "of less than ten thousand words.",
    "p, the share of non-zeros in the first H, is not printed; here it is the share of non-zeros in X. The λ "
    "at which W dies, and with it the whole axis, depends on p: nλ = 23 with p = 0.1, 70 with p = 0.01.",
]


class Weighted(NamedTuple):
    """Weighted documents with their classes, and the counts behind them."""

    X: sp.csr_array
    labels: NDArray[Any]
    counts: sp.csr_array

    @property
    def n(self) -> int:
        """Documents."""
        return int(self.X.shape[0])


def weighted(corpus: Labelled) -> Weighted:
    """Weigh counts by tf-idf, rows of unit length, without terms that nobody uses."""
    used = corpus.of_classes(np.unique(corpus.labels))
    return Weighted(Weight("tfidf").fit_csr(used.counts), used.labels, used.counts)


def read_tdt2(setting: Setting) -> Weighted:
    """Read TDT2 and weigh it."""
    return weighted(read_matrix(setting.data, "tdt2"))


def lambda_axis(of: Weighted, k: int, points: int, setting: Setting) -> list[float]:
    """Return evenly spaced λ from 0 to the smallest that leaves W all zero."""
    setting.update(0, 1, f"Looking for the smallest λ that leaves W all zero for k = {k}")
    return [float(x) for x in np.linspace(0, smallest_zeroing(of.X, k, setting.seed), points)]


def scored_runs(of: Weighted, places: Sequence[tuple[int, float]], runs: int, setting: Setting) -> pl.DataFrame:
    """Return k, λ, soft NMI and purity of so many runs at each place; run i has the same start at every λ."""
    classes = known_classes(of.X, of.labels)
    places = [place for place in places for _ in range(runs)]

    def task(number: int) -> Callable[[Halt], tuple[float, float]]:
        k, lam = places[number]
        seed = int(np.random.SeedSequence([setting.seed, k, number % runs]).generate_state(1)[0])
        return lambda halt: classes.score(k, lam, seed, halt)[:2]

    tasks = [task(number) for number in range(len(places))]
    scored = side_by_side(tasks, setting, "Fitting, each k and λ from several starts")
    rows = [(*place, *scores) for place, scores in zip(places, scored, strict=True)]
    return pl.DataFrame(rows, ["k", "lam", "nmi", "purity"], orient="row")


def means(runs: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return mean and standard deviation of the soft NMI for each k or λ."""
    spread = pl.col("nmi").std().fill_null(0.0).alias("sd")
    return runs.group_by(by).agg(pl.col("nmi").mean().alias("mean"), spread).sort(by)


def default_scores(of: Weighted, k: int, setting: Setting) -> tuple[float, float]:
    """Return soft NMI and purity of what Quire does with the same counts where nobody chooses a recipe."""
    chosen = recipe(DEFAULT)
    model = chosen.make_estimator(k, setting.seed, setting.threads)
    model.fit(chosen.make_weight().fit_csr(of.counts))
    return soft_nmi(of.labels, model.memberships_), purity(of.labels, model.labels_)
