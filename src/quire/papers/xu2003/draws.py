"""What is done with one draw of classes in the tables of xu2003: every method, in both readings of what is open."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from quire.papers.corpora import Labelled, read_matrix, read_texts
from quire.papers.experiment import Setting
from quire.papers.protocol import DEFAULT, Halt, by_default, drawn_classes, factored, with_factorization
from quire.runs.recipe import Recipe, recipe
from quire.scores.metrics import accuracy, mi_hat
from quire.text.weight import Weight

TDT2, REUTERS = ("tdt2.npz", "tdt2_labels.npy"), ("reuters21578_single51.parquet",)
PRINTED = {"AA": "aa", "NC": "nc", "NMF": "xu2003", "NMF-NCW": "xu2003-ncw"}
ONCE = {"AA once": "aa", "NC once": "nc"}  # k-means begun once, from documents drawn evenly
IDF_OF_ALL = {f"{method} idf of all": name for method, name in PRINTED.items()}  # not of the mixed documents
METHODS = (*PRINTED, *ONCE, *IDF_OF_ALL, "Quire")
SCORES = {"MI": mi_hat, "AC": accuracy}
Scores = dict[str, dict[str, float]]  # method → score → value
_STARTS = 3  # of NMF where there is no time for ten, and of what is no method of the paper's


class Collection(NamedTuple):
    """A corpus as the paper's methods count it, and as Quire does by itself."""

    paper: Labelled
    quire: Labelled
    texts: bool  # whether Quire reads texts, of which it leaves terms out, or a matrix
    weighted: sp.csr_array  # tf-idf with the idf of all documents


def tdt2(folder: Path) -> Collection:
    """Read TDT2, whose counts are given."""
    counts = read_matrix(folder, "tdt2")
    return Collection(counts, counts, texts=False, weighted=Weight("tfidf").fit_csr(counts.counts))


def reuters(folder: Path) -> Collection:
    """Count Reuters: as the paper does, and as Quire does."""
    frame = read_texts(folder, REUTERS[0])
    texts, labels = frame["text"].to_list(), frame["label"].to_numpy()
    paper, own = (Labelled(recipe(name).make_counts(None).fit_csr(texts), labels) for name in ("xu2003", DEFAULT))
    return Collection(paper, own, texts=True, weighted=Weight("tfidf").fit_csr(paper.counts))


def starts(setting: Setting) -> dict[str, Recipe]:
    """Return the recipe of each method, with the starts that the setting has time for."""
    recipes = {method: recipe(name) for method, name in (PRINTED | ONCE | IDF_OF_ALL).items()}
    for method in ONCE:
        recipes[method] = with_factorization(recipes[method], n_init=1, init="rows")
    for method in (one for one in recipes if one.startswith("NMF")):
        if not setting.full:
            recipes[method] = with_factorization(recipes[method], n_init=_STARTS, tol=1e-3)
        elif method in IDF_OF_ALL:
            recipes[method] = with_factorization(recipes[method], n_init=_STARTS)
    return recipes


def one_draw(
    collection: Collection, recipes: dict[str, Recipe], k: int, draw: int, seed: int, halt: Halt | None = None
) -> Scores:
    """Mix the documents of k classes and score every method on them; what methods share is weighed once."""
    names = drawn_classes(collection.paper.labels, k, draw, seed)
    mixed, own = collection.paper.of_classes(names), collection.quire.of_classes(names)
    weighted: dict[Any, sp.csr_array] = {}
    scores: Scores = {}
    for method, of in recipes.items():
        key = (of.weight["scheme"], method in IDF_OF_ALL)
        if key not in weighted:
            of_all = collection.weighted[np.isin(collection.paper.labels, names)]
            weighted[key] = _weighed(of_all, key[0]) if key[1] else of.make_weight().fit_csr(mixed.counts)
        scores[method] = _scored(mixed, factored(weighted[key], of, k, seed + draw, halt))
    scores["Quire"] = _scored(own, by_default(own.counts, k, seed + draw, halt, collection.texts))
    return scores


def _scored(mixed: Labelled, clusters: Any) -> dict[str, float]:
    return {name: score(mixed.labels, clusters) for name, score in SCORES.items()}


def _weighed(X: sp.csr_array, scheme: str) -> sp.csr_array:
    """Return some rows of tf-idf, for NMF-NCW times d^-½ with d = X Xᵀ e of these rows."""
    if scheme != "ncw":
        return X
    degrees = np.asarray(X @ X.sum(axis=0)).ravel()
    roots = np.divide(1, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    return sp.csr_array(sp.diags_array(roots) @ X)
