"""Whether runs from different starts put the same documents together (kim2008 §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average, cophenet, leaves_list
from scipy.spatial.distance import squareform

from quire.scores.distances import dispersion
from quire.scores.metrics import ari

_SAMPLE = 1000  # documents whose pairs are looked at one by one
_AS_GOOD, _LEAST = 0.25, 3  # of what the last topic gained; but so many runs are always compared
_UNSURE = (0.1, 0.9)  # a pair is together in some runs and apart in others


@dataclass(frozen=True)
class Consensus:
    """How far the runs of one k agree."""

    rho: float  # dispersion ρ over all documents and all runs (kim2008 eq. 17): 1 where all runs agree
    rho_best: float  # the same over the better half of the runs, those with the lowest objectives
    # the same over the runs (at least three) that lose at most a quarter of what the last topic gained
    rho_near: float
    stability: float  # the mean adjusted Rand index between two runs of the better half: 0 by chance
    cophenetic: float  # the correlation of 1 − C with the distances in its average-linkage tree (Brunet et al. 2004)
    pac: float  # the share of pairs together in some runs but not others, 0.1 < C < 0.9 (Șenbabaoğlu et al. 2014)
    matrix: NDArray[np.float64]  # C of the sample: the share of the runs that put two together; by cluster
    rows: NDArray[np.intp]  # which documents the rows of ``matrix`` are


def consensus_of(
    labels: Sequence[Sequence[int] | NDArray[Any]],
    objectives: Sequence[float],
    *,
    gain: float = 0.0,
    sample: int = _SAMPLE,
    seed: int = 0,
) -> Consensus:
    """Compare the runs of one k."""
    values = np.asarray(objectives, np.float64)
    order = np.argsort(values, kind="stable")
    as_good = int((values <= values.min() + _AS_GOOD * max(gain, 0.0)).sum())
    runs = [np.asarray(labels[i]) for i in order]
    better = runs[: better_half(len(runs))]
    rows = stratified(runs[0], sample, np.random.RandomState(seed))
    C = consensus_matrix([run[rows] for run in runs])
    tree, distances = _tree(C)
    shown = rows if tree is None else rows[leaves_list(tree)]
    matrix = C if tree is None else C[np.ix_(leaves_list(tree), leaves_list(tree))]
    pairs = C[np.triu_indices(len(C), 1)]
    unsure = (pairs > _UNSURE[0]) & (pairs < _UNSURE[1])
    return Consensus(
        rho=dispersion(runs),
        rho_best=dispersion(better),
        rho_near=dispersion(runs[: max(as_good, min(_LEAST, len(runs)))]),
        stability=mean_agreement(better),
        cophenetic=_cophenetic(tree, distances),
        pac=float(unsure.mean()) if len(pairs) else 0.0,
        matrix=matrix,
        rows=shown,
    )


def better_half(runs: int) -> int:
    """Return how many of so many runs are the better half: at least two, where there are two."""
    return min(runs, max(2, (runs + 1) // 2))


def mean_agreement(runs: Sequence[NDArray[Any]]) -> float:
    """Return the mean adjusted Rand index between two runs; 1 for a single one."""
    agreements = [ari(a, b) for a, b in combinations(runs, 2)]
    return float(np.mean(agreements)) if agreements else 1.0


def consensus_matrix(runs: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Return C: the share of the runs that put two documents into one cluster; 1 on the diagonal."""
    n = len(runs[0])
    C = np.zeros((n, n))
    for labels in runs:
        placed = labels >= 0
        C += (labels[:, None] == labels) & placed[:, None] & placed
    C /= len(runs)
    np.fill_diagonal(C, 1.0)
    return C


def averaged(matrix: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return a square matrix with at most so many rows: blocks of neighbours become their means."""
    n = len(matrix)
    if n <= most:
        return matrix
    starts = (np.arange(most) * n) // most
    sizes = np.diff(starts, append=n)
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    return np.asarray(sums / np.outer(sizes, sizes))


def stratified(labels: NDArray[Any], most: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Return rows of at most so many documents, in order: the same share of every cluster."""
    n = len(labels)
    if n <= most:
        return np.arange(n)
    shuffled = rng.permutation(n)
    ordered = shuffled[np.argsort(labels[shuffled], kind="stable")]
    return np.sort(ordered[(np.arange(most) * n) // most])


def _tree(C: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
    if len(C) < 3:
        return None, np.zeros(0)
    distances = squareform(1 - C, checks=False)
    return average(distances), distances


def _cophenetic(tree: NDArray[np.float64] | None, distances: NDArray[np.float64]) -> float:
    """Return the correlation; 1 where all distances are equal, since the tree then shows them exactly."""
    if tree is None or np.ptp(distances) == 0:
        return 1.0
    return float(np.clip(cophenet(tree, distances)[0], -1, 1))
