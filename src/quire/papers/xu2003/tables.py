"""Xu, Liu, Gong: Document clustering based on NMF (SIGIR 2003), tables 2 and 3."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from quire.papers.corpora import Labelled, read_matrix, read_texts
from quire.papers.experiment import Cell, Experiment, Result, Setting
from quire.papers.protocol import Halt, cell_of, clustered, drawn_classes, side_by_side, trimmed, with_factorization
from quire.papers.xu2003.figure import figure2
from quire.runs.recipe import Recipe, recipe
from quire.scores.metrics import accuracy, mi_hat

_TDT2, _REUTERS = ("tdt2.npz", "tdt2_labels.npy"), ("reuters21578_single51.parquet",)
_PRINTED = {"AA": "aa", "NC": "nc", "NMF": "xu2003", "NMF-NCW": "xu2003-ncw"}
_ONCE = {"AA once": "aa", "NC once": "nc"}  # k-means begun once, from documents drawn evenly
_METHODS = {**_PRINTED, **_ONCE, "Quire": "nmf"}
_ORDER = ["AA", "NMF", "NC", "NMF-NCW"]  # the published one, from the lowest
_DRAWS = (4, 50)  # of classes for each k, quick and full
_Printed = dict[str, tuple[float, ...]]
_SCORES = {"MI": mi_hat, "AC": accuracy}
_TABLE2: _Printed = {  # k: MI of AA, NC, NMF, NMF-NCW, then AC of the same
    "k = 2": (0.834, 0.954, 0.854, 0.972, 0.934, 0.990, 0.946, 0.993),
    "k = 3": (0.754, 0.890, 0.790, 0.931, 0.863, 0.951, 0.899, 0.981),
    "k = 4": (0.743, 0.846, 0.786, 0.909, 0.830, 0.918, 0.866, 0.953),
    "k = 5": (0.696, 0.802, 0.740, 0.874, 0.758, 0.857, 0.812, 0.925),
    "k = 6": (0.663, 0.761, 0.701, 0.823, 0.712, 0.802, 0.773, 0.880),
    "k = 7": (0.679, 0.756, 0.704, 0.816, 0.707, 0.783, 0.750, 0.857),
    "k = 8": (0.624, 0.695, 0.651, 0.782, 0.641, 0.717, 0.697, 0.824),
    "k = 9": (0.663, 0.741, 0.683, 0.804, 0.664, 0.754, 0.708, 0.837),
    "k = 10": (0.656, 0.736, 0.681, 0.812, 0.638, 0.729, 0.685, 0.835),
    "average": (0.701, 0.798, 0.732, 0.858, 0.750, 0.833, 0.793, 0.898),
}
_TABLE3: _Printed = {
    "k = 2": (0.399, 0.484, 0.437, 0.494, 0.784, 0.821, 0.824, 0.837),
    "k = 3": (0.482, 0.536, 0.489, 0.574, 0.709, 0.765, 0.731, 0.803),
    "k = 4": (0.480, 0.581, 0.487, 0.604, 0.629, 0.734, 0.655, 0.758),
    "k = 5": (0.565, 0.590, 0.587, 0.600, 0.655, 0.695, 0.686, 0.722),
    "k = 6": (0.537, 0.627, 0.559, 0.650, 0.611, 0.678, 0.650, 0.728),
    "k = 7": (0.560, 0.599, 0.575, 0.624, 0.584, 0.654, 0.624, 0.696),
    "k = 8": (0.559, 0.592, 0.578, 0.606, 0.581, 0.613, 0.618, 0.651),
    "k = 9": (0.603, 0.633, 0.614, 0.659, 0.599, 0.640, 0.634, 0.692),
    "k = 10": (0.607, 0.647, 0.626, 0.661, 0.600, 0.634, 0.634, 0.677),
    "average": (0.532, 0.588, 0.550, 0.608, 0.639, 0.693, 0.673, 0.729),
}
_Scores = dict[str, dict[str, float]]  # method → score → value


def _tdt2(folder: Path) -> Labelled:
    return read_matrix(folder, "tdt2")


def _reuters(folder: Path) -> Labelled:
    frame = read_texts(folder, _REUTERS[0])
    counts = recipe("xu2003").make_counts(None).fit_csr(frame["text"].to_list())
    return Labelled(counts, frame["label"].to_numpy())


def _table(read: Callable[[Path], Labelled], printed: _Printed, differs: list[str], setting: Setting) -> Result:
    """Do one of the two tables."""
    corpus, recipes = read(setting.data), _recipes(setting)
    most = min(10, len(np.unique(corpus.labels)))
    n_draws, ks = setting.pick(*_DRAWS), range(2, most + 1)
    wanted = [(k, draw) for k in ks for draw in range(n_draws)]
    tasks = [partial(_one_draw, corpus, recipes, k, draw, setting.seed) for k, draw in wanted]
    scored = side_by_side(tasks, setting, "draws of classes")
    by_k: dict[str, list[_Scores]] = {}
    for (k, _), scores in zip(wanted, scored, strict=True):
        by_k.setdefault(f"k = {k}", []).append(scores)
    cells = _cells(by_k, printed)
    return Result(cells, [*differs, *_protocol_differs(setting, n_draws)], _findings(cells, by_k))


def _recipes(setting: Setting) -> dict[str, Recipe]:
    recipes = {method: recipe(name) for method, name in _METHODS.items()}
    for method in _ONCE:
        recipes[method] = with_factorization(recipes[method], n_init=1, init="rows")
    if not setting.full:
        for method in ("NMF", "NMF-NCW"):
            recipes[method] = with_factorization(recipes[method], n_init=3, tol=1e-3)
    return recipes


def _one_draw(corpus: Labelled, recipes: dict[str, Recipe], k: int, draw: int, seed: int, halt: Halt) -> _Scores:
    """Mix the documents of k classes and score every method on them."""
    mixed = corpus.of_classes(drawn_classes(corpus.labels, k, draw, seed))
    scores: _Scores = {}
    for method, of in recipes.items():
        counts = trimmed(mixed.counts, of) if method == "Quire" else mixed.counts
        clusters = clustered(counts, of, k, seed + draw, halt)
        scores[method] = {name: score(mixed.labels, clusters) for name, score in _SCORES.items()}
    return scores


def _cells(by_k: dict[str, list[_Scores]], printed: _Printed) -> list[Cell]:
    places = [(method, name) for name in _SCORES for method in _METHODS]
    numbers = {(m, name): i for i, (m, name) in enumerate((m, n) for n in _SCORES for m in _PRINTED)}
    cells = []
    for method, name in places:
        place = numbers.get((method, name))
        means = []
        for row, draws in by_k.items():
            paper = None if place is None else printed[row][place]
            cells.append(cell_of(row, f"{name} {method}", paper, [one[method][name] for one in draws]))
            means.append(cells[-1].ours or 0.0)
        paper = None if place is None else printed["average"][place]
        cells.append(Cell("average", f"{name} {method}", paper, float(np.mean(means))))
    return cells


def _protocol_differs(setting: Setting, n_draws: int) -> list[str]:
    most = recipe("xu2003").make_estimator(2, 0, 1).max_iter
    lines = [
        "The paper does not say when its updates end, whether idf is that of the whole corpus or of the "
        f"mixed documents, nor how k-means was begun in AA and NC; here at most {most} iterations, idf of "
        "the mixed documents, and the best of 10 starts of k-means++. The columns “once” are not the "
        "paper's: k-means begun once, from documents drawn evenly.",
        "“Quire” is no method of the paper: trimming, weighting and factorization of the recipe nmf on "
        "the same counts.",
    ]
    if not setting.full:
        quick = f"{n_draws} draws of classes for each k instead of 50, and 3 starts of a looser tolerance "
        lines.insert(0, quick + "instead of 10.")
    return lines


def _findings(cells: list[Cell], by_k: dict[str, list[_Scores]]) -> list[str]:
    lines, first = [], set()
    for name, measure in (("AC", "accuracy"), ("MI", "mutual information")):
        ours = {m: _average(cells, f"{name} {m}") for m in _METHODS}
        first.add(max(_PRINTED, key=lambda method: ours[method]))
        ranking = f"{_ranked(ours, _ORDER)}. Quire: {ours['Quire']:.3f}."
        lines.append(f"By average {measure}, from the lowest: {ranking}")
        once = {"AA": ours["AA once"], "NC": ours["NC once"], "NMF": ours["NMF"], "NMF-NCW": ours["NMF-NCW"]}
        lines.append(f"The same with k-means begun once: {_ranked(once, _ORDER)}.")
    lines.append(_level(cells))
    lines += [_compared(by_k, *pair) for pair in (("NMF-NCW", "NMF"), ("NC", "AA"), ("NMF-NCW", "NC"))]
    if first != {"NMF-NCW"}:
        lines.append(
            "Where NC is ahead of NMF-NCW, the likely reason is k-means: the paper does not say how it was "
            "begun, and the best of ten starts does better than one: compare the columns “once”."
        )
    return lines


def _level(cells: list[Cell]) -> str:
    """Say how far the four methods together are from the paper's numbers."""
    apart = {
        name: [c.difference for c in cells if c.row == "average" and c.column.startswith(name) and c.difference]
        for name in _SCORES
    }
    differences = ", ".join(f"{name} {np.mean(values):+.3f}" for name, values in apart.items() if values)
    return f"Ours less the paper's, mean of the four methods: {differences}."


def _ranked(values: dict[str, float], published: list[str]) -> str:
    """Return the methods from the lowest value, and whether that is the published order."""
    order = sorted(published, key=lambda method: values[method])
    verdict = "as published" if order == published else f"published: {', '.join(published)}"
    return ", ".join(f"{method} {values[method]:.3f}" for method in order) + f" ({verdict})"


def _compared(by_k: dict[str, list[_Scores]], method: str, other: str) -> str:
    """Say how much more accurate one method is than another, draw by draw."""
    gains = np.array([one[method]["AC"] - one[other]["AC"] for draws in by_k.values() for one in draws])
    error = gains.std() / np.sqrt(len(gains))
    return (
        f"Accuracy of {method} less that of {other}: {gains.mean():+.3f} ± {error:.3f} (standard error of "
        f"{len(gains)} draws); higher in {(gains > 0).sum()} draws, lower in {(gains < 0).sum()}."
    )


def _average(cells: list[Cell], column: str) -> float:
    return next(cell.ours or 0.0 for cell in cells if cell.row == "average" and cell.column == column)


_TDT2_DIFFERS = [
    "Another cut of TDT2: 9,394 documents of the 30 largest topics (52 to 1,844 documents each), as counts "
    "made by others; the paper has 7,803 documents of 56 topics with 5 to 1,485 each."
]
_REUTERS_DIFFERS = [
    "9,465 documents instead of 9,494 (the same 51 topics, the largest with the same 3,945 documents), and "
    "the stop list and stemmer of Quire: the paper names neither of its own."
]

EXPERIMENTS = (
    Experiment(
        "xu2003/table2", "AC and MI of AA, NC, NMF and NMF-NCW on draws of 2 to 10 classes of TDT2",
        partial(_table, _tdt2, _TABLE2, _TDT2_DIFFERS), _TDT2,
    ),
    Experiment(
        "xu2003/table3", "AC and MI of AA, NC, NMF and NMF-NCW on draws of 2 to 10 classes of Reuters",
        partial(_table, _reuters, _TABLE3, _REUTERS_DIFFERS), _REUTERS,
    ),
    Experiment("xu2003/figure2", "documents of three classes in the spaces of NMF and SVD", figure2, _TDT2),
)  # fmt: skip
UNAVAILABLE = ()
