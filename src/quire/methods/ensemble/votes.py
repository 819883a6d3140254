"""How sure a document's topic is: what several runs say of it, and whether that deserves belief.

Everything follows from how many documents each topic of a run shares with each of the final topics. No table
of documents by documents is made, and the work grows with documents × runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.methods.assignment import best_two
from quire.places.machine import allowed_threads, in_order


def votes(
    runs: Sequence[Sequence[int]] | NDArray[Any], labels: Sequence[int] | NDArray[Any], k: int
) -> NDArray[np.int32]:
    """Count the runs that put each document (rows) into each of the final topics (columns).

    Every run numbers its topics in its own way. They are matched one to one with the final topics, so that
    as many documents as can be are where they finally are.
    """
    # A topic of the run that has no partner, or none that it shares a document with, stands for the final
    # topic that holds most of its documents.
    return counted_votes(np.asarray(runs), partners(runs, labels, k), k)


def partners(
    runs: Sequence[Sequence[int]] | NDArray[Any], labels: Sequence[int] | NDArray[Any], k: int
) -> list[NDArray[np.intp]]:
    """Return, for every run, the final topic that each of its topics stands for; −1 for none, and last."""
    return [_partners(shared) for shared in _shared_by(*_checked(runs, labels, k), k)]


def counted_votes(runs: NDArray[Any], partners: Sequence[NDArray[np.intp]], k: int) -> NDArray[np.int32]:
    """Count the votes of some documents, once it is known what the topics of every run stand for."""
    counts = np.zeros((runs.shape[1], k), np.int32)
    for run, known in zip(runs, partners, strict=True):
        voted = known[run]  # −1 finds the last partner, and that is no topic
        placed = np.flatnonzero(voted >= 0)
        counts[placed, voted[placed]] += 1
    return counts


def merged_runs(runs: NDArray[Any], labels: Sequence[int] | NDArray[Any], k: int) -> NDArray[Any]:
    """Return runs of more topics with each of their topics put into the final one that it stands for."""
    stand = [known.astype(runs.dtype) for known in partners(runs, labels, k)]
    return np.array([known[run] for run, known in zip(runs, stand, strict=True)])


def confidence(
    votes: NDArray[Any], labels: Sequence[int] | NDArray[Any], n_runs: int
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]:
    """Return the share of the runs for each document's topic, the next topic (−1 for none), and its share."""
    own, other, others = best_two(np.asarray(labels), votes)
    return own / n_runs, other, others / n_runs


def stability(
    runs: Sequence[Sequence[int]] | NDArray[Any], labels: Sequence[int] | NDArray[Any], k: int
) -> NDArray[np.float64]:
    """Return how often two documents of a final topic are together: the mean over its pairs and the runs.

    It is exact. Of a topic with n documents, n_c of them in topic c of a run, that run keeps together
    Σ n_c (n_c − 1) of n (n − 1) pairs. 1 for a topic of one document, NaN for one of none.
    """
    runs, labels = _checked(runs, labels, k)
    together = np.zeros(k, np.int64)
    for shared in _shared_by(runs, labels, k):
        together += (shared * (shared - 1)).sum(axis=0)
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    pairs = len(runs) * sizes * (sizes - 1)
    return np.where(pairs > 0, together / np.maximum(pairs, 1), np.where(sizes == 1, 1.0, np.nan))


def expected_calibration_error(
    sure: Sequence[float] | NDArray[Any], right: Sequence[bool] | NDArray[Any], bins: int = 10
) -> float:
    """Return how far sureness is from being right: mean sureness beside share right, over bins, by size.

    0 where of the documents with a sureness of 0.8 eight in ten are right, and so on (Naeini et al. 2015).
    """
    sure, right = np.asarray(sure, np.float64), np.asarray(right, np.float64)
    if sure.shape != right.shape or sure.ndim != 1 or not len(sure):
        raise ValueError(f"There are {sure.size:,} values of sureness for {right.size:,} answers: give one an answer.")
    if not ((sure >= 0) & (sure <= 1)).all():
        raise ValueError("A sureness is below 0, above 1 or no number: give shares.")
    if bins < 1:
        raise ValueError(f"bins={bins!r} must be a whole number from 1 on.")
    bin = np.minimum((sure * bins).astype(np.intp), bins - 1)
    return float(np.abs(np.bincount(bin, sure) - np.bincount(bin, right)).sum() / len(sure))


def _checked(runs: Any, labels: Any, k: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    runs, labels = np.asarray(runs), np.asarray(labels, np.intp)
    if runs.ndim != 2 or not len(runs) or labels.shape != runs.shape[1:]:
        raise ValueError(f"Runs of shape {runs.shape} are not for {labels.size:,} documents: give a row per run.")
    if labels.max(initial=-1) >= k:
        raise ValueError(f"There is a topic {labels.max()}, but k={k}: topics are numbered from 0.")
    return runs, labels


def _shared_by(runs: NDArray[Any], labels: NDArray[np.intp], k: int) -> Iterator[NDArray[np.int64]]:
    """Give :func:`_shared` of one run after the other, counted side by side."""
    return in_order(_shared, ((run, labels, k) for run in runs), min(allowed_threads(), len(runs)))


def _shared(run: NDArray[Any], labels: NDArray[np.intp], k: int) -> NDArray[np.int64]:
    """Count the documents of each topic of a run (rows) in each final topic (columns)."""
    both = (run >= 0) & (labels >= 0)
    rows = int(run.max(initial=-1)) + 1
    cells = run[both].astype(np.intp) * k + labels[both]  # of a smaller type than their product may be
    return np.bincount(cells, minlength=rows * k).reshape(rows, k)


def _partners(shared: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the final topic of each topic of a run, −1 where it shares nothing with any; then a last −1."""
    from scipy.optimize import linear_sum_assignment

    matched = np.full(len(shared) + 1, -1)
    if not shared.size:
        return matched
    largest = shared.argmax(axis=1)
    matched[:-1] = np.where(shared.any(axis=1), largest, -1)
    rows, columns = linear_sum_assignment(shared, maximize=True)
    common = shared[rows, columns] > 0
    matched[rows[common]] = columns[common]
    return matched


def summed(runs: list[NDArray[np.float64]], n_seeded: int) -> NDArray[np.float64]:
    """Return the sum of all runs' memberships: seeded topics are the same ones in each, others are matched first."""
    from scipy.optimize import linear_sum_assignment

    total = runs[0].copy()
    for one in runs[1:]:
        order = linear_sum_assignment(-(total[:, n_seeded:].T @ one[:, n_seeded:]))[1]
        total += np.hstack([one[:, :n_seeded], one[:, n_seeded:][:, order]])
    return total
