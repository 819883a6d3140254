"""What a topic is about: telling words, families of words, names, documents to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.methods.assignment import best_two, largest

# Per topic: the documents that lead, first the one with the largest value, and these values.
Ranks = list[tuple[NDArray[Any], NDArray[Any]]]


def relevance(H: NDArray[Any], totals: NDArray[Any], balance: float = 0.6) -> NDArray[np.float64]:
    """Return how telling each term is for each topic (Sievert and Shirley 2014, eq. 1).

    balance · log p(term | topic) + (1 − balance) · log lift, the lift being p(term | topic) / p(term): words
    that every topic shares do not fill every list. A term that is not in a topic has relevance −∞.
    """
    score = np.full(H.shape, -np.inf)
    overall = np.asarray(totals, np.float64) / max(float(np.sum(totals)), 1.0)
    for t, row in enumerate(np.asarray(H, np.float64)):
        inside = np.flatnonzero((row > 0) & (overall > 0))  # a topic holds few of all terms
        share = row[inside] / row.sum()
        score[t, inside] = np.log(share) - (1 - balance) * np.log(overall[inside])
    return score


def topic_names(words: Sequence[Sequence[str]], n: int = 3) -> list[str]:
    """Give each topic a short name of its own, made of its most telling words.

    A word leads the name of one topic only: the one where it stands highest. Words of one family (filter,
    filters) stand for each other.
    """
    rank: dict[str, int] = {}
    for row in words:
        for place, word in enumerate(row):
            rank[word] = min(place, rank.get(word, place))
    names: list[str] = []
    for t, row in enumerate(words):
        own = [word for place, word in enumerate(row) if rank[word] == place]
        shared = [word for word in row if word not in set(own)]
        chosen = one_per_family([*own, *shared])
        size = min(n, len(chosen))
        name = ", ".join(chosen[:size]) or "no words"
        while name in names and size < len(chosen):
            size += 1
            name = ", ".join(chosen[:size])
        names.append(name if name not in names else f"{name} ({t})")
    return names


def one_per_family(words: Sequence[str]) -> list[str]:
    """Drop words that begin like one before them and differ only in their ending; phrases by any word."""
    kept: list[str] = []
    seen: dict[str, list[str]] = {}  # the words of all that is kept, by their first letters
    for word in words:
        parts = word.split()
        if not any(_one_family(part, other) for part in parts for other in seen.get(part[:3], [])):
            kept.append(word)
            for part in parts:
                seen.setdefault(part[:3], []).append(part)
    return kept


def _one_family(word: str, other: str) -> bool:
    """Say whether two words with the same first letters are equal, or differ in their ending only."""
    short, long = sorted((word, other), key=len)
    if long in (short, short + "s") or (short.endswith("y") and long == short[:-1] + "ies"):
        return True
    if len(short) < 4 or len(long) - len(short) > 3:
        return False
    shared = next((i for i, (a, b) in enumerate(zip(short, long)) if a != b), len(short))
    # token and tokens are related; final and finance, company and computer are not
    return shared == len(short) or shared >= max(4, len(long) - 3, 0.65 * len(long))


def typical_documents(W: NDArray[Any], shares: NDArray[Any], n: int = 1) -> list[list[int]]:
    """Return, per topic, the documents that are both much and mostly about it: largest weight × share."""
    return [rows.tolist() for rows, _ in typical_ranks(W, shares, n)]


def typical_ranks(W: NDArray[Any], shares: NDArray[Any], n: int) -> Ranks:
    """Return the rows of the typical documents of each topic, and by how much they are about it."""
    ranks = []
    for column in (W * shares).T:
        rows = largest(column, n)
        rows = rows[column[rows] > 0]
        ranks.append((rows, column[rows]))
    return ranks


def borderline_documents(labels: NDArray[Any], shares: NDArray[Any], n: int = 5) -> list[list[int]]:
    """Return, per topic, its documents that are nearly as much about another one, the closest first."""
    return [rows.tolist() for rows, _ in borderline_ranks(labels, shares, n)]


def borderline_ranks(labels: NDArray[Any], shares: NDArray[Any], n: int) -> Ranks:
    """Return the rows of the borderline documents of each topic, and how close the other topic is."""
    first, second, other = best_two(labels, shares)
    closeness = np.where(second >= 0, other / np.maximum(first, np.finfo(np.float64).tiny), 0.0)
    ranks = []
    for t in range(shares.shape[1]):
        own = np.flatnonzero((labels == t) & (closeness > 0.5))
        own = own[largest(closeness[own], n)]
        ranks.append((own, closeness[own]))
    return ranks


def joined_ranks(first: Ranks, second: Ranks, n: int) -> Ranks:
    """Return who leads among the documents of two groups, the first group's before others of equal value."""
    ranks = []
    for (names, values), (more, added) in zip(first, second, strict=True):
        names, values = np.concatenate([names, more]), np.concatenate([values, added])
        best = largest(values, n)
        ranks.append((names[best], values[best]))
    return ranks
