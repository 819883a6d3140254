"""Topics of tsikhanovich2011 over time: bands whose height is the number of documents (figures 9 and 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.methods.assignment import largest
from quire.methods.simplex import SimplexNMF
from quire.papers.corpora import read_texts
from quire.papers.experiment import Cell, Result, Setting
from quire.papers.protocol import side_by_side
from quire.papers.tsikhanovich2011.runs import DIFFERS, read_tdt2
from quire.runs.calendar import over_time
from quire.runs.recipe import recipe
from quire.scores.metrics import contingency, purity, soft_nmi
from quire.studies.choosing.lambda_runs import fit_once
from quire.studies.choosing.lambdas import search_lambda
from quire.studies.class_fit import class_weights, fit_classes, reads_like
from quire.studies.figures import new_figure, svg_of

REUTERS = "reuters21578_single51.parquet"
_CLASSES, _WORDS = 12, 8
_REUTERS_DIFFERS = [
    "The 11,675 Newegg reviews were never published: this is Reuters-21578, its 12 largest classes of "
    "single-topic documents, which has as many classes and dates too.",
    "W holds the mean total of a class's documents, not 1 as in the thesis: so H is exactly their mean.",
    "The published NMI beside the topics learnt (0.08) is that of Newegg reviews with another k.",
]
_NO_WORDS = (
    "The matrix of TDT2 has no words, so that a band is named by the class most of its documents are of.",
    "λ is the one that the search finds for k = 31; the thesis's is 5.4 on another axis.",
)


def heights(labels: NDArray[Any], dates: pl.Series, n_topics: int) -> tuple[list[Any], NDArray[np.float64]]:
    """Return the bins' first days and the documents of each topic (rows) in each bin."""
    _, table = over_time(labels, dates, n_topics)
    days = table["start"].unique().sort().to_list()
    return days, table["documents"].to_numpy().reshape(n_topics, len(days)).astype(float)


def streamgraph(streams: Mapping[str, tuple[Sequence[Any], NDArray[Any], Sequence[str]]], width: float = 9.0) -> str:
    """Draw bands around a middle line, a panel for each (days, heights, names of the bands); return SVG.

    A name stands where its band is highest, and is left out where it would not fit.
    """
    figure, axes = new_figure(len(streams), 1, width, 3.6 * len(streams))
    for axis, (title, (days, bands, names)) in zip(axes[:, 0], streams.items(), strict=True):
        edges = np.vstack([np.zeros(len(days)), np.cumsum(bands, axis=0)]) - bands.sum(axis=0) / 2
        most = bands.sum(axis=0).max()
        for number, name in enumerate(names):
            color = f"C{number % 10}"
            axis.fill_between(days, edges[number], edges[number + 1], color=color, alpha=0.75, linewidth=0)
            at = int(bands[number].argmax())
            if bands[number, at] > 0.03 * most:
                size = float(np.clip(40 * np.sqrt(bands[number, at] / most) / 2, 5, 11))
                middle = edges[number : number + 2, at].mean()
                axis.text(days[at], middle, name, ha="center", va="center", fontsize=size, clip_on=True)
        axis.set(title=title, ylabel="documents")
    return svg_of(figure)


class _Solution(NamedTuple):
    labels: NDArray[np.intp]
    names: list[str]
    nmi: float
    purity: float
    classes: NDArray[np.intp]
    """The class that most documents of each topic are of."""


def figure9(setting: Setting) -> Result:
    """Draw TDT2's topics over time at λ = 0, k = 27, and at the λ found for k = 31."""
    of = read_tdt2(setting)
    dates = pl.Series(np.load(setting.data / "tdt2_dates.npy", allow_pickle=False)).str.to_date()
    search = search_lambda(
        of.X, of.labels, [31], starts=setting.pick(2, 10), cap=setting.pick(1, 8), seed=setting.seed,
        n_jobs=setting.threads, update=setting.update,
    )  # fmt: skip
    plain, sparse = side_by_side(
        [
            lambda halt: _solution(fit_once(of.X, 27, 0.0, setting.seed, halt), of.labels),
            lambda halt: _solution(fit_once(of.X, 31, search.lam, search.random_state, halt), of.labels),
        ],
        setting,
        "Fitting what is drawn",
    )
    streams, cells = {}, []
    for row, solution, k, published in (
        ("λ = 0, k = 27", plain, 27, (0.39, 0.42)),
        (f"nλ = {search.lam * of.n:.1f}, k = 31", sparse, 31, (0.62, 0.62)),
    ):
        cells += [Cell(row, "NMI", published[0], solution.nmi), Cell(row, "purity", published[1], solution.purity)]
        streams[f"{row}, NMI = {solution.nmi:.2f}"] = (*heights(solution.labels, dates, k), solution.names)
    alike = _alike(plain, sparse, dates)
    verdict = "As in the thesis the pictures look" if alike > 0.8 else "Unlike there they do not look"
    findings = [f"{verdict} alike: bands of the same class correlate by {alike:.2f} over time."]
    return Result(cells, [*DIFFERS, *_NO_WORDS], findings, {"streams": streamgraph(streams)})


def _solution(fitted: tuple[SimplexNMF, NDArray[Any]], labels: NDArray[Any]) -> _Solution:
    model, W = fitted
    placed = model.labels_ >= 0
    table = np.zeros((len(np.unique(labels)), W.shape[1]))
    present = np.unique(model.labels_[placed])
    table[np.ix_(np.isin(np.unique(labels), labels[placed]), present)] = contingency(
        labels[placed], model.labels_[placed]
    )
    classes = table.argmax(axis=0)
    names = [f"class {np.unique(labels)[c]}" for c in classes]
    return _Solution(model.labels_, names, soft_nmi(labels, W), purity(labels, model.labels_), classes)


def _alike(one: _Solution, other: _Solution, dates: pl.Series) -> float:
    """Correlate the heights of all bands, those of one class taken together."""
    n = int(max(one.classes.max(), other.classes.max())) + 1
    drawn = [heights(np.where(s.labels >= 0, s.classes[s.labels], -1), dates, n) for s in (one, other)]
    shared = sorted(set(drawn[0][0]) & set(drawn[1][0]))
    a, b = (bands[:, [days.index(day) for day in shared]].ravel() for days, bands in drawn)
    return float(np.corrcoef(a, b)[0, 1])


def figure12(setting: Setting) -> Result:
    """Say what known classes are about: W held at them, H learnt; beside it, topics learnt without them."""
    frame = _largest_classes(read_texts(setting.data, REUTERS))
    names, codes = np.unique(frame["label"].to_numpy().astype(str), return_inverse=True)
    setting.update(0, 2, "Counting words")
    chosen = recipe("tsikhanovich2011-as-printed")
    counts = chosen.make_counts(setting.threads)
    X = chosen.make_weight().fit_csr(counts.fit_csr(frame["text"].to_list()))
    setting.update(1, 2, "Learning what each class is about")
    fit = fit_classes(X, codes, len(names), setting.threads)
    alone = [lambda halt: fit_once(X, len(names), 0.0, setting.seed, halt)]
    model, W = side_by_side(alone, setting, "Learning topics without the classes")[0]
    held = class_weights(np.asarray(X.sum(axis=1)).ravel(), codes, len(names))
    words, learnt = (_heaviest(H, counts.shown_) for H in (fit.H, model.components_))
    covered = len(set(_solution((model, W), codes).classes))
    own = float(np.mean(reads_like(fit.W, codes) == codes))
    known, unknown = "W at the classes", "topics learnt, λ = 0"
    cells = [
        Cell("NMI", known, 1.0, soft_nmi(codes, held)), Cell("NMI", unknown, 0.08, soft_nmi(codes, W)),
        Cell("classes with a topic", known, 12, len(names)),
        Cell("classes with a topic", unknown, None, covered),
        Cell("documents nearest to their own class", known, None, own),
    ]  # fmt: skip
    days = frame["date"].str.slice(0, 10).str.to_date()
    drawn = {"": (*heights(codes, days, len(names)), [" ".join(terms[:3]) for terms in words])}
    text = _as_text(list(names), words, learnt)
    findings = _summaries(len(names), covered)
    return Result(cells, _REUTERS_DIFFERS, findings, {"streams": streamgraph(drawn)}, text)


def _largest_classes(frame: pl.DataFrame) -> pl.DataFrame:
    sizes = frame["label"].value_counts().sort("count", "label", descending=[True, False])
    return frame.filter(pl.col("label").is_in(sizes["label"].head(_CLASSES).to_list()))


def _heaviest(H: NDArray[Any], words: Sequence[str]) -> list[list[str]]:
    return [[words[j] for j in largest(row, _WORDS)] for row in H]


def _summaries(classes: int, covered: int) -> list[str]:
    agrees, verb = ("As", "do not match") if covered < classes else ("Unlike", "match")
    return [
        f"{agrees} in the thesis topics learnt alone {verb} the classes one to one: most documents of a "
        f"topic are of one of {covered} classes, of {classes} that there are.",
        "NMI is 1 by construction: W is the classes, and each class has words of its own.",
    ]


def _as_text(names: list[str], words: list[list[str]], learnt: list[list[str]]) -> str:
    width = max(map(len, names))
    classes = [f"{name:<{width}}  {' '.join(terms)}" for name, terms in zip(names, words, strict=True)]
    topics = [f"{number:<{width}}  {' '.join(terms)}" for number, terms in enumerate(learnt)]
    return "\n".join(["W at the classes", *classes, "", "topics learnt without them, λ = 0", *topics])
