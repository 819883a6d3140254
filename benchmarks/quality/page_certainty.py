"""The page's sections on certainty: the number of topics, seeds, memberships; and on the topics' words."""

from __future__ import annotations

from math import exp, log
from typing import Any

from benchmarks.quality.corpora import LABELLED, TEXTS
from benchmarks.quality.results import Row
from benchmarks.quality.shown import distinct, mean, pick, section, shown, source, table

from quire.studies.figures import new_figure, svg_of

FIGURE = "coverage.svg"


def auto(data: dict[str, Any]) -> str:
    """Return how many topics are chosen, and what that costs."""
    rows = data["rows"]
    if not rows:
        return ""
    body = []
    for corpus in distinct(rows, "corpus", LABELLED):
        of = pick(rows, corpus=corpus)
        pairs = (f"{_of(of, score)} / {_of(of, score + '_at_classes')}" for score in ("nmi", "ari"))
        also = ", ".join(map(str, sorted(of[0]["also"])))
        body.append([corpus, str(of[0]["classes"]), shown([row["topics"] for row in of], 1), also, *pairs])
    nmi, ari = (mean([row[s] - row[f"{s}_at_classes"] for row in rows]) for s in ("nmi", "ari"))
    factor = exp(mean([abs(log(row["topics"] / row["classes"])) for row in rows]))
    cost = (
        f"The number is typically off by a factor of {factor:.2f} (geometric mean of the larger over the "
        f"smaller), which on average changes NMI by {nmi:+.3f} and ARI by {ari:+.3f}. It, or one of those that are "
        f"also good, is within a quarter of the classes for {sum(map(_is_near, rows))} of {len(rows)}. All of "
        f"these were in view when the numbers in `methods/ensemble/cuts.py` were set. Always to say 10 would be "
        f"off by {exp(mean([abs(log(10 / row['classes'])) for row in rows])):.2f}."
    )
    prose = "The scores with as many topics as were chosen / as there are classes."
    headings = ["corpus", "classes", "topics", "also good", "NMI", "ARI"]
    return section("The number of topics: `--topics auto`", prose, table(headings, body), cost, source(data, "auto"))


def _is_near(row: Row) -> bool:
    return any(0.75 <= k / row["classes"] <= 1.25 for k in (row["topics"], *row["also"]))


def agreement(data: dict[str, Any]) -> str:
    """Return how alike two runs with different seeds are."""
    rows = pick(data["rows"], measure="agreement")
    if not rows:
        return ""
    names = distinct(rows, "recipe", ["default"])
    body = [
        [
            corpus,
            _mean_of(pick(rows, corpus=corpus), "evenness"),
            *(_of(pick(rows, recipe=name, corpus=corpus), "ari") for name in names),
        ]
        for corpus in distinct(rows, "corpus", LABELLED)
    ]
    body.append(["mean", "", *(_mean_of(pick(rows, recipe=name), "ari") for name in names)])
    prose = (
        "ARI between the topics of two runs with different seeds, over all pairs of seeds: of the default "
        "recipe, and of one plain NMF run. The same seed gives the same answer for any number of threads. "
        "Evenness is the entropy of the sizes of the classes over its largest value, 1 where all are of one "
        "size; the aim is 0.9 where it is near 1."
    )
    cells = table(["corpus", "evenness", *names], body)
    return section("Different seeds", prose, cells, source(data, "sure"))


def calibration(data: dict[str, Any]) -> str:
    """Return how far memberships are from being right as often as they say."""
    rows = pick(data["rows"], measure="memberships")
    if not rows:
        return ""
    body = [
        [corpus, *(_of(pick(rows, corpus=corpus), when) for when in ("before", "after"))]
        for corpus in distinct(rows, "corpus", LABELLED)
    ]
    body.append(["mean", *(_mean_of(rows, when) for when in ("before", "after"))])
    prose = (
        "Expected calibration error in 10 bins, 0 being best: of documents with a membership of 0.8, eight "
        "in ten should be in the topic that their class is mapped to (as for AC). Before: posteriors of the "
        "mixture as they are. After: the memberships that a run gives."
    )
    headings = ["corpus", "before", "after"]
    return section("Are memberships right as often as they say?", prose, table(headings, body), source(data, "sure"))


def abstaining(data: dict[str, Any], folder: str) -> str:
    """Return what ``--abstain`` costs in coverage, and what it brings in AC."""
    rows = pick(data["rows"], measure="memberships")
    if not rows:
        return ""
    body = []
    for corpus in distinct(rows, "corpus", LABELLED):
        coverage, ac = _curve(rows, corpus, "coverage"), _curve(rows, corpus, "ac")
        body.append([corpus, *(f"{_number(c)} / {_number(a)}" for c, a in zip(coverage, ac))])
    prose = (
        "`--abstain T` leaves documents without a topic whose membership is below T. For each T the share of "
        "documents that keep their topic / the AC of these (classes are mapped anew), means over seeds."
    )
    thresholds = [f"{threshold:g}" for threshold in rows[0]["thresholds"]]
    drawn = f"![AC against coverage, a line per corpus]({folder}/{FIGURE})"
    cells = table(["corpus", *thresholds], body)
    return section("Leaving doubtful documents out: `--abstain`", prose, cells, drawn, source(data, "sure"))


def figure(data: dict[str, Any]) -> str:
    """Return the curves of AC against coverage as an SVG text; nothing where nothing was measured."""
    rows = pick(data["rows"], measure="memberships")
    if not rows:
        return ""
    drawn, axes = new_figure(width=7.2, height=4.4)
    axis = axes[0][0]
    for place, corpus in enumerate(distinct(rows, "corpus", LABELLED)):
        points = zip(_curve(rows, corpus, "coverage"), _curve(rows, corpus, "ac"))
        known = [(coverage, ac) for coverage, ac in points if ac is not None]
        axis.plot(*zip(*known), ("-o", "--s")[place // 10], markersize=3, label=corpus)  # of 10 colours
    axis.set(xlabel="share of documents that keep their topic", ylabel="AC of these", xlim=(1.02, 0))
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return svg_of(drawn)


def readable(data: dict[str, Any]) -> str:
    """Return coherence, coverage and diversity of the topics' words beside those of other packages."""
    rows = data["rows"]
    if not rows:
        return ""
    columns = {"npmi": "NPMI", "npmi_held_out": "NPMI, held out", "covered": "hold a word",
               "covered_twice": "hold two", "diversity": "diversity",
               "n_keywords": "words", "n_keywords_held_out": "words, held out"}  # fmt: skip
    body = [
        [corpus, method, *(_of(pick(rows, corpus=corpus, method=method), column) for column in columns)]
        for corpus in distinct(rows, "corpus", TEXTS)
        for method in distinct(rows, "method")
    ]
    prose = (
        "NPMI coherence of the topics' words, in the documents that the topics are of and in documents held "
        "out; the share of a topic's documents that hold one of its words, and two: a signature is coherent, but "
        "speaks for few; and the words' diversity. Up to ten words a topic, and how many there are on average: "
        "fewer words are coherent sooner."
    )
    cells = table(["corpus", "method", *columns.values()], body)
    return section("The topics' words", prose, cells, source(data, "readable"))


def _of(rows: list[Row], column: str) -> str:
    return shown([row[column] for row in rows if row.get(column) is not None])


def _mean_of(rows: list[Row], column: str) -> str:
    """Return the mean over corpora, each of which counts once."""
    corpora = distinct(rows, "corpus")
    return f"{mean([mean([row[column] for row in pick(rows, corpus=corpus)]) for corpus in corpora]):.3f}"


def _curve(rows: list[Row], corpus: str, column: str) -> list[float | None]:
    """Return the mean over seeds at each threshold; None where no seed has a value."""
    columns = zip(*(row[column] for row in pick(rows, corpus=corpus)))
    known = [[value for value in at if value is not None] for at in columns]
    return [mean(values) if values else None for values in known]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
