"""The page's sections on scores against classes: verdict, recipes, short texts, ablation."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.ablation import CHANGES
from benchmarks.quality.corpora import LABELLED, SHORT, UNTOUCHED
from benchmarks.quality.recipes import BASELINES, RECIPES, about
from benchmarks.quality.results import Row
from benchmarks.quality.shown import SCORES, by_seed, distinct, mean, pick, section, shown, source, table

# MiniLM-L6 sentence embeddings, then k-means. Measured while Quire was planned and not by this folder: Quire
# does not bring a neural network along.
EMBEDDINGS = {
    "20ng": {"ari": 0.452, "nmi": 0.612, "ac": 0.596},
    "20ng-bare": {"ari": 0.375, "nmi": 0.545, "ac": 0.553},
    "bbc": {"ari": 0.903, "nmi": 0.874, "ac": 0.959},
    "reuters": {"ari": 0.112, "nmi": 0.526, "ac": 0.232},
}
ORDER = (*RECIPES, *BASELINES)


def verdict(data: dict[str, Any]) -> str:
    """Return the default recipe beside sentence embeddings, and beside the better baseline."""
    default = pick(data["rows"], recipe="default")
    if not default:
        return ""
    return section(
        "Verdict",
        "✓: the default recipe is ahead.",
        *_beside_embeddings(default),
        *_beside_baselines(data["rows"]),
        source(data, "clusters"),
    )


def _beside_embeddings(default: list[Row]) -> list[str]:
    body = []
    for corpus, theirs in EMBEDDINGS.items():
        ours = pick(default, corpus=corpus)
        if ours:
            found = {score: [row[score] for row in ours] for score in SCORES}
            marks = (
                f"{shown(found[score])} / {theirs[score]:.3f} {_mark(found[score], [theirs[score]])}"
                for score in SCORES
            )
            body.append([corpus, *marks])
    if not body:
        return []
    prose = (
        "The default recipe / MiniLM-L6 sentence embeddings with k-means. The figures of the embeddings are "
        "the project's planning measurements, made once; `make quality` does not repeat them."
    )
    return [prose, table(["corpus", *SCORES.values()], body)]


def _beside_baselines(rows: list[Row]) -> list[str]:
    """Return the means over all labelled corpora of the default and of the baseline that is better at it."""
    named = {name: pick(rows, recipe=name) for name in ("default", *BASELINES)}
    corpora = _common([row for of in named.values() for row in of], "recipe", list(named))
    if not corpora:
        return []
    body = []
    for score, title in SCORES.items():
        means = {name: by_seed(of, score, corpora) for name, of in named.items()}
        better = max(BASELINES, key=lambda name: mean(means[name]))
        mark = _mark(means["default"], means[better])
        body.append([title, shown(means["default"]), f"{shown(means[better])} ({better})", mark])
    headings = [f"mean over {len(corpora)} corpora", "default", "better baseline", ""]
    return ["Two baselines, described below, add EM to several NMF runs:", table(headings, body)]


def _mark(ours: list[float], theirs: list[float]) -> str:
    return "✓" if mean(ours) > mean(theirs) else "✗"


def recipes(data: dict[str, Any]) -> str:
    """Return what the recipes are, and a table a score: corpora by recipes."""
    rows = _listed(data["rows"], LABELLED)
    if not rows:
        return ""
    names = distinct(rows, "recipe", ORDER)
    corpora = _common(rows, "recipe", names)
    body = []
    for name in names:
        of = pick(rows, recipe=name)
        body.append([f"`{name}`", about(name).rstrip("."), *_means(of, corpora), _seconds(of, corpora)])
    prose = (
        f"As many topics as there are classes. First the means over {len(corpora)} corpora and the mean "
        "seconds of a run without the reading, then corpus by corpus. A document without a topic counts as "
        "a cluster of its own, and as wrong for AC."
    )
    blocks = [prose, table(["recipe", "what it does", *SCORES.values(), "s"], body), *_apart(rows, names, corpora)]
    for score, title in SCORES.items():
        crossed = [
            [corpus, *(shown([row[score] for row in pick(rows, corpus=corpus, recipe=name)]) for name in names)]
            for corpus in distinct(rows, "corpus", LABELLED)
        ]
        blocks += [f"### {title}", table(["corpus", *names], crossed)]
    return section("Recipes", *blocks, source(data, "clusters"))


def _apart(rows: list[Row], names: list[str], corpora: list[str]) -> list[str]:
    """Return the means over the corpora that the default was tuned on, and over those it was not."""
    sets = {
        "looked at while it was tuned": [name for name in corpora if name not in UNTOUCHED],
        "not looked at": [name for name in corpora if name in UNTOUCHED],
    }
    body = [
        [f"{what} ({len(of)})", *(" / ".join(_means(pick(rows, recipe=name), of)) for name in names)]
        for what, of in sets.items()
        if of
    ]
    left = ", ".join(sets["not looked at"])
    prose = f"ARI / NMI / AC apart for {left}, which were left alone while the default was changed:"
    return [prose, table(["corpora", *names], body)]


def short_texts(data: dict[str, Any]) -> str:
    """Return the scores on titles and first words."""
    rows = _listed(data["rows"], SHORT)
    if not rows:
        return ""
    names = distinct(rows, "recipe", ORDER)
    body = []
    for corpus in distinct(rows, "corpus", SHORT):
        cells = [pick(rows, recipe=name, corpus=corpus) for name in names]
        body.append([corpus, *(" / ".join(_means(cell, [corpus])) for cell in cells)])
    prose = "Titles, subject lines, and the first 25 words of documents: ARI / NMI / AC."
    return section("Short texts", prose, table(["corpus", *names], body), source(data, "clusters"))


def ablation(data: dict[str, Any]) -> str:
    """Return the means over corpora with one ingredient changed at a time, and what that costs."""
    listed = [{"name": "default", "about": "nothing", "changes": {}}, *CHANGES]
    said = {one["name"]: one["about"] for one in listed}
    rows = [row for one in listed for row in pick(data["rows"], change=one["name"], changes=one["changes"])]
    if not rows:
        return ""
    names = distinct(rows, "change")
    corpora = _common(rows, "change", names)
    whole = {score: mean(by_seed(pick(rows, change="default"), score, corpora)) for score in SCORES}
    body = []
    for name in names:
        of = pick(rows, change=name)
        lost = [mean(by_seed(of, score, corpora)) - whole[score] for score in SCORES]
        told = [shown if name == "default" else f"{shown} ({less:+.3f})"
                for shown, less in zip(_means(of, corpora), lost)]  # fmt: skip
        body.append([name, said[name], *told])
    prose = (
        f"The default recipe with one thing changed at a time: means over {len(corpora)} corpora, and in "
        "brackets the difference to the default."
    )
    headings = ["", "what is changed", *SCORES.values()]
    return section("Ingredients", prose, table(headings, body), source(data, "ablation"))


def _listed(rows: list[Row], corpora: tuple[str, ...]) -> list[Row]:
    """Return the rows of some corpora, without those of a recipe that is no longer compared."""
    return [row for row in rows if row["corpus"] in corpora and row["recipe"] in ORDER]


def _common(rows: list[Row], column: str, names: list[str]) -> list[str]:
    """Return the corpora on which each of these was measured."""
    return [
        corpus
        for corpus in distinct(rows, "corpus", LABELLED)
        if corpus in LABELLED and all(pick(rows, corpus=corpus, **{column: name}) for name in names)
    ]


def _means(rows: list[Row], corpora: list[str]) -> list[str]:
    return [shown(by_seed(rows, score, corpora)) for score in SCORES]


def _seconds(rows: list[Row], corpora: list[str]) -> str:
    return f"{mean([row['seconds'] for row in rows if row['corpus'] in corpora]):.1f}"
