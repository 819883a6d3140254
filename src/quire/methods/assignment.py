"""Whose topic is which: labels and shares from weights, and who leads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.places.machine import in_pieces
from quire.places.parts import over_rows


def assign(
    W: Any, H: NDArray[Any], *, unit_topics: bool = True, silent: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.intp], Any]:
    """Return each document's topic (−1 for none) and its shares in all topics (rows sum to 1), as W is held.

    (WD, D⁻¹H) is as good a factorization as (W, H), so the topics are brought to unit length first
    (xu2003 §3.2), unless ``unit_topics`` is false. ``silent`` documents have no topic, whatever W holds.
    """
    return assign_by(topic_lengths(H, unit_topics), W, silent)


def topic_lengths(H: NDArray[Any], unit_topics: bool = True) -> NDArray[np.float64]:
    """Return what :func:`assign` brings topics to unit length by; ones where it does not."""
    return np.sqrt(np.einsum("td,td->t", H, H, dtype=np.float64)) if unit_topics else np.ones(len(H))


def assign_by(
    lengths: NDArray[np.float64], W: Any, silent: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.intp], Any]:
    """Return the same as :func:`assign`, the lengths of the topics being known."""
    by = (lengths / max(lengths.max(), np.finfo(np.float64).tiny)).astype(W.dtype)
    none = np.zeros(len(W), bool) if silent is None else silent
    shares, labels = over_rows(_assigned, W, none, args=(by,))
    return np.concatenate(labels), shares


def _assigned(
    W: NDArray[Any], silent: NDArray[np.bool_], by: NDArray[Any]
) -> tuple[NDArray[Any], list[NDArray[np.intp]]]:
    shares, labels = np.empty(W.shape, W.dtype), np.empty(len(W), np.intp)

    def part(rows: slice) -> None:
        mine = np.multiply(W[rows], by, out=shares[rows])
        totals = mine.sum(axis=1, keepdims=True)
        empty = (totals[:, 0] == 0) | silent[rows]
        mine[empty], totals[empty] = 1, W.shape[1]
        mine /= totals
        mine.argmax(axis=1, out=labels[rows])
        labels[rows][empty] = -1

    in_pieces(part, shares)
    return shares, [labels]


def abstained(labels: NDArray[Any], shares: Any, least: float | None) -> NDArray[Any]:
    """Return the topics, but −1 where a document's share in its topic is below ``least``; None: all."""
    if least is None:
        return labels
    return np.concatenate(over_rows(_sure, shares, labels, args=(least,))[1])


def _sure(shares: NDArray[Any], labels: NDArray[Any], least: float) -> tuple[None, list[NDArray[Any]]]:
    return None, [np.where(best_two(labels, shares)[0] < least, -1, labels)]


def best_two(labels: NDArray[Any], shares: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]:
    """Return the share of each document's topic, its runner-up (−1 for none) and the runner-up's share."""
    rows = np.arange(len(labels))
    share = shares[rows, np.maximum(labels, 0)] if shares.shape[1] else np.zeros(len(labels))
    others = shares.copy()
    others[rows, np.maximum(labels, 0)] = -1
    second = others.argmax(axis=1)
    second_share = np.maximum(others[rows, second], 0)
    none = (labels < 0) | (second_share <= 0)
    second[none] = -1
    return np.where(labels < 0, 0, share), second, np.where(none, 0, second_share)


def largest(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Return the places of the ``n`` largest values, largest first; the earlier of two equal ones wins."""
    if len(values) > 16 * n > 0:  # leave out what cannot be among them before sorting
        above = np.flatnonzero(values > values.min())  # most terms are not in a topic at all
        if len(above) >= n:
            bound = np.partition(values[above], len(above) - n)[len(above) - n]
            near = above[values[above] >= bound]
            return np.asarray(near[np.argsort(-values[near], kind="stable")[:n]])
    return np.argsort(-values, kind="stable")[:n]
