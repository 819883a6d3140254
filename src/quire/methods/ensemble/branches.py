"""The tree below flat topics: leaves are parted level by level, wherever their documents lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import Update
from quire.methods.ensemble.splits import FEWEST, Split, split_of
from quire.places.machine import allowed_threads, in_order, single_threaded_blas
from quire.places.parts import brought, over_rows

_LOOKED_AT, _OF_ALL = 1_000, 30_000  # documents that a split is learnt from, and all splits of a level
_TRIED = 4 * FEWEST  # documents of a leaf that may part
_LEVELS = 40  # more would be a chain, no tree


class Branch(NamedTuple):
    """A node that was parted into two others."""

    node: int
    children: tuple[int, int]
    gain: float
    """What its two topics explain more than one does, beyond chance: log-likelihood, tempered, of all documents."""


@dataclass
class Branches:
    """The nodes below flat topics, which are the first ones."""

    node: NDArray[np.int32]
    """The deepest node of each document; −1 where it has no topic."""
    n_nodes: int
    parted: list[Branch] = field(default_factory=list)
    aside: dict[int, int] = field(default_factory=dict)
    """How many documents of a node are in none of its children."""
    whole: set[int] = field(default_factory=set)
    """Leaves in which no structure was seen."""


def grown(
    X: Any, labels: NDArray[Any], k: int, most: int, seed: int, n_jobs: int | None = None,
    update: Update = lambda done, total: None,
) -> Branches:  # fmt: skip
    """Part the documents of k topics, level by level, until no leaf has structure or there are ``most`` leaves.

    X holds log counts, in memory or in row blocks: a level takes two sweeps, whatever it parts.
    """
    tree = Branches(labels.astype(np.int32), k)
    leaves, tried = k, list(range(k))
    for _ in range(_LEVELS):
        if leaves >= most:
            break
        splits = _splits(X, tree.node, tried, seed, n_jobs)
        tree.whole |= {t for t in tried if t not in splits}
        sizes = np.bincount(tree.node[tree.node >= 0], minlength=tree.n_nodes)
        ranked = sorted(splits, key=lambda t: (-(splits[t].gain - splits[t].chance) * sizes[t], t))
        chosen = sorted(ranked[: most - leaves])
        if not chosen:
            break
        parts = _parts(X, tree.node, {t: splits[t] for t in chosen})
        tried = []
        for t in chosen:
            tried += _part(tree, t, splits[t], parts, int(sizes[t]))
        leaves += len(tried) // 2
        update(leaves, most)
        if not tried:
            break
    return tree


def _part(tree: Branches, t: int, split: Split, parts: NDArray[np.int8], size: int) -> list[int]:
    """Put the documents of a leaf into two others; return these, or none where one would be next to nothing."""
    own = np.flatnonzero(tree.node == t)
    counts = np.bincount(parts[own], minlength=2)
    if counts[:2].min() < FEWEST or counts[2:].sum() > counts[:2].min():
        tree.whole.add(t)
        return []
    children = tree.n_nodes, tree.n_nodes + 1
    for part, child in enumerate(children):
        tree.node[own[parts[own] == part]] = child
    tree.n_nodes += 2
    tree.parted.append(Branch(t, children, (split.gain - split.chance) * size))
    if counts[2:].sum():
        tree.aside[t] = int(counts[2:].sum())
    return list(children)


def _splits(X: Any, node: NDArray[np.int32], tried: list[int], seed: int, n_jobs: int | None) -> dict[int, Split]:
    """Return how leaves part that have structure, from some documents of each."""
    own = {t: np.flatnonzero(node == t) for t in tried}
    own = {t: rows for t, rows in own.items() if len(rows) >= _TRIED}
    if not own:
        return {}
    each = max(_TRIED, min(_LOOKED_AT, _OF_ALL // len(own)))
    some = {t: _drawn(rows, each, seed + t) for t, rows in own.items()}
    everything = np.sort(np.concatenate(list(some.values())))
    there = brought(X, everything)

    def split(t: int) -> Split | None:
        return split_of(sp.csr_array(there[np.searchsorted(everything, some[t])]), seed)

    with single_threaded_blas():  # also where there is one thread: what it adds up must not hang on how many
        found = list(in_order(split, ((t,) for t in some), allowed_threads(n_jobs)))
    return {t: one for t, one in zip(some, found) if one is not None and one.has_structure}


def _drawn(rows: NDArray[np.intp], most: int, seed: int) -> NDArray[np.intp]:
    if len(rows) <= most:
        return rows
    return np.sort(np.random.RandomState(seed % 2**32).choice(rows, most, replace=False))


def _parts(X: Any, node: NDArray[np.int32], splits: dict[int, Split]) -> NDArray[np.int8]:
    """Return the part of every document whose leaf is parted; −1 for all others."""
    return np.concatenate(over_rows(_parts_of, X, node, args=(splits,))[1])


def _parts_of(
    block: sp.csr_array, node: NDArray[np.int32], splits: dict[int, Split]
) -> tuple[None, list[NDArray[np.int8]]]:
    parts = np.full(len(node), -1, np.int8)
    for t, split in splits.items():
        own = np.flatnonzero(node == t)
        if len(own):
            parts[own] = split.of(sp.csr_array(block[own]))
    return None, [parts]
