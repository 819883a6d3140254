"""Part ``update``: whether a class that was left out comes as one new topic, and nothing where nothing new came."""

from __future__ import annotations

import numpy as np
from benchmarks.quality.corpora import read
from benchmarks.quality.novelty import HELD_OUT, documents, left_out
from benchmarks.quality.recipes import Visit
from benchmarks.quality.results import Row
from numpy.typing import NDArray
from sklearn.metrics import normalized_mutual_info_score

import quire

NEW = ("bbc", "20ng", "tdt2")  # corpora whose classes are left out in turn
SAME = (*NEW, "webkb", "re0", "oh0", "cstr")  # and those of which a half comes that holds nothing new
LARGE = ("20ng", "tdt2")  # that take minutes: one seed of them
HALF = 0.5


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus: nothing new, of every seed, and every class that is left out."""
    classes = left_out(read(corpus).documents["label"].to_numpy()) if corpus in NEW else []
    splits = range(1 if corpus in LARGE else seeds) if corpus in SAME else []
    nothing = [{"corpus": corpus, "left_out": "", "seed": seed} for seed in splits]
    return [*nothing, *({"corpus": corpus, "left_out": name, "seed": 0} for name in classes)]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Make a run without a class, update it with that class and a part of the others; or with a half of all."""
    labels, seed = visit.labels.astype(str), cell["seed"]
    new = labels == cell["left_out"]
    share = HELD_OUT if cell["left_out"] else HALF
    came = new | (np.random.RandomState(seed).random_sample(len(labels)) < share)
    run = quire.cluster(documents(visit, ~came), len(np.unique(labels[~came])), random_state=seed)
    after = run.update(documents(visit, came))
    found = {"new_topics": len(after.H) - len(run.H), "came": int(came.sum())}
    if cell["left_out"]:
        return [{**found, "documents": int(new.sum()), **_best(after.labels, len(run.H), new, came)}]
    own, whole = np.concatenate([labels[~came], labels[came]]), visit.run("default", seed)[0].labels
    # beside the run before the update: a fit of all, on the same half of the documents
    halves = {"before": _nmi(labels[~came], run.labels), "whole_before": _nmi(labels[~came], whole[~came])}
    return [{**found, "nmi": _nmi(own, after.labels), "whole": _nmi(labels, whole), **halves}]


def _best(topics: NDArray[np.intp], known: int, new: NDArray[np.bool_], came: NDArray[np.bool_]) -> Row:
    """Return how much of the new topic is of the class left out, and how much of the class is in it."""
    is_new = np.concatenate([np.zeros(int((~came).sum()), bool), new[came]])
    sizes = np.bincount(topics[topics >= 0])[known:]
    own = np.bincount(topics[is_new & (topics >= 0)], minlength=known + len(sizes))[known:]
    if not len(sizes):
        return {"purity": 0.0, "share": 0.0}
    best = int(own.argmax())
    return {"purity": float(own[best] / max(sizes[best], 1)), "share": float(own[best] / new.sum())}


def _nmi(classes: NDArray[np.str_], topics: NDArray[np.intp]) -> float:
    return float(normalized_mutual_info_score(classes, topics))
