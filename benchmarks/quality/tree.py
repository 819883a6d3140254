"""Part ``tree``: what a flat cut of the tree loses against topics that were looked for at that number."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.quality.corpora import LABELLED
from benchmarks.quality.recipes import Visit, scored
from benchmarks.quality.results import Row

import quire
from quire.methods.ensemble import splits
from quire.methods.ensemble.embedding import balanced_weights
from quire.methods.ensemble.halving import Halves, settled
from quire.methods.ensemble.mixture import Reading

TAU = 0.3  # as the default weighs
COMPARED = ("oh0", "re0", "k1a", "k1b", "webace1000", "webkb", "tweets", "sotu")  # where rank-2 splits are tried too


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus; a tree hangs on the number of topics more than on the seed."""
    return [
        {"corpus": corpus, "seed": seed, "by": by}
        for seed in range(min(seeds, 2))
        for by in ("mixture", "rank-2")
        if corpus in LABELLED and (by == "mixture" or corpus in COMPARED)
    ]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Cut the tree of the run that ``auto`` makes at the number of classes; hold that against a run of so many."""
    flat, run = visit.run("default", cell["seed"])[0], _auto(visit, cell["seed"])
    counts = visit.corpus.counts
    began = time.process_time()
    with _by(cell["by"]):
        tree = run.tree(leaves=max(64, 4 * visit.k), counts=counts)
    spent = time.process_time() - began
    k = min(visit.k, len(tree.leaves))
    cut = replace(run, hierarchy=tree).cut(k, counts=counts)
    nodes = scored(visit, tree.cut(k).labels, spent)
    return [
        {
            "classes": visit.k, "topics": len(run.H), "leaves": len(tree.leaves), "cut": k,
            "aside": sum(node.aside for node in tree.nodes), **scored(visit, cut.labels, spent),
            "nodes_nmi": nodes["nmi"], "flat_nmi": scored(visit, flat.labels, 0.0)["nmi"],
        }
    ]  # fmt: skip


def _auto(visit: Visit, seed: int) -> Any:
    """Return the run that ``auto`` makes, once for both ways to part."""
    known: dict[Any, Any] = visit.__dict__.setdefault("auto_runs", {})
    if seed not in known:
        known.clear()
        known[seed] = quire.cluster(visit.corpus, "auto", random_state=seed)
    return known[seed]


@contextmanager
def _by(way: str) -> Iterator[None]:
    """Part documents by rank-2 NMF instead of the default's mixture (Kuang and Park 2013), where that is asked for."""
    own = splits.parted
    if way == "rank-2":
        splits.parted = _by_rank_two
    try:
        yield
    finally:
        splits.parted = own


def _by_rank_two(words: Any, reading: Reading, seed: int, starts: int) -> Halves | None:
    labels = np.maximum(quire.NMF(2, random_state=seed, n_jobs=1).fit(balanced_weights(words, TAU)).labels_, 0)
    gain = settled(words, reading, labels, steps=1).gain
    return Halves(labels, gain) if len(np.unique(labels)) > 1 else None
