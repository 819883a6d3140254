"""Part ``novelty``: whether the documents of a class that was left out are found to be unlike anything seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.quality.corpora import LABELLED, read
from benchmarks.quality.recipes import Visit
from benchmarks.quality.results import Row
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

import quire
from quire.runs.run import Run

CORPORA = tuple(name for name in LABELLED if name != "sotu")  # whose classes are presidents: no subject is new
CLASSES, FEWEST = 5, 20  # that are left out in turn, spread evenly over those of so many documents, by size
HELD_OUT = 0.2  # of the documents of the other classes
SIGNS = ("unknown", "gain", "lead", "cosine", "nearest")  # the columns of what a run looks at
UNUSUAL = 0.95


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus: every class that is left out."""
    if corpus not in CORPORA:
        return []
    return [{"corpus": corpus, "left_out": name} for name in left_out(read(corpus).documents["label"].to_numpy())]


def left_out(labels: NDArray[np.object_]) -> list[str]:
    """Return the classes to leave out, the largest first."""
    names, sizes = np.unique(labels.astype(str), return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    enough = names[order][sizes[order] >= FEWEST]
    chosen = np.linspace(0, len(enough) - 1, min(CLASSES, len(enough)))
    return [str(enough[i]) for i in np.unique(np.rint(chosen).astype(int))]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Learn from most documents of the other classes; tell the rest of these from those of the class left out."""
    labels = visit.labels.astype(str)
    new = labels == cell["left_out"]
    held_out = ~new & (np.random.RandomState(0).random_sample(len(labels)) < HELD_OUT)
    train = ~new & ~held_out
    run = quire.cluster(documents(visit, train), len(np.unique(labels[train])), random_state=0)
    seen, unseen = (_scores(run, documents(visit, rows)) for rows in (held_out, new))
    found = {f"auroc_{name}" if name != "novelty" else "auroc": _auroc(seen[name], unseen[name]) for name in seen}
    known = seen["novelty"][~np.isnan(seen["novelty"])]
    shares = {"above": float((known > UNUSUAL).mean()), "above_half": float((known > 0.5).mean())}
    return [{"documents": int(new.sum()), **found, **shares}]


def documents(visit: Visit, rows: NDArray[np.bool_]) -> Any:
    """Return some documents of a corpus, as `quire.cluster` takes them."""
    if visit.corpus.matrix is not None:
        return sp.csr_array(visit.corpus.counts[np.flatnonzero(rows)])
    return visit.corpus.documents["text"].filter(rows).to_list()


def _scores(run: Run, documents: Any) -> dict[str, NDArray[np.float64]]:
    """Return what a run says of documents: how unlike they are, what that is made of, and how unsure their topic is."""
    heard, assigned = run.heard(documents), run.assign(documents)
    assert run.novelty is not None
    signs = run.novelty.profile.signs(heard).values
    unsure = 1.0 - assigned.memberships.max(axis=1)
    return {"novelty": run.novelty.of(heard), **dict(zip(SIGNS, signs.T)), "unsure": unsure}


def _auroc(seen: NDArray[np.float64], unseen: NDArray[np.float64]) -> float:
    """Return how often a new document has the higher score; those that say nothing have none."""
    seen, unseen = seen[~np.isnan(seen)], unseen[~np.isnan(unseen)]
    new = np.repeat([False, True], [len(seen), len(unseen)])
    return float(roc_auc_score(new, np.concatenate([seen, unseen])))
