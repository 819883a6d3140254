"""Whose topic is which, and what a topic is about: labels, shares, keywords, names, documents to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Per topic: the documents that lead, first the one with the largest value, and these values.
Ranks = list[tuple[NDArray[Any], NDArray[Any]]]


def assign(
    W: NDArray[Any], H: NDArray[Any], *, unit_topics: bool = True, silent: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return each document's topic (−1 for none) and its shares in all topics (rows sum to 1).

    (WD, D⁻¹H) is as good a factorization as (W, H), so the topics are brought to unit length first
    (xu2003 §3.2), unless ``unit_topics`` is false. ``silent`` documents have no topic, whatever W holds.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import assign
    >>> labels, shares = assign(np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 9.0]]))
    >>> labels.tolist(), shares.tolist()
    ([1, -1], [[0.25, 0.75], [0.5, 0.5]])
    """
    lengths = np.sqrt(np.einsum("td,td->t", H, H, dtype=np.float64)) if unit_topics else np.ones(len(H))
    weights = W * (lengths / max(lengths.max(), np.finfo(np.float64).tiny)).astype(W.dtype)
    totals = weights.sum(axis=1, keepdims=True)
    empty = totals[:, 0] == 0
    if silent is not None:
        empty |= silent
    weights[empty], totals[empty] = 1, W.shape[1]
    weights /= totals
    labels = weights.argmax(axis=1)
    labels[empty] = -1
    return labels, weights


def abstained(labels: NDArray[Any], shares: NDArray[Any], least: float | None) -> NDArray[Any]:
    """Return the topics, but −1 where a document's share in its topic is below ``least``; None: as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import abstained
    >>> abstained(np.array([1, 0]), np.array([[0.2, 0.8], [0.55, 0.45]]), 0.6).tolist()
    [1, -1]
    """
    if least is None:
        return labels
    return np.where(best_two(labels, shares)[0] < least, -1, labels)


def best_two(
    labels: NDArray[Any], shares: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]:
    """Return the share of each document's topic, its runner-up (−1 for none) and the runner-up's share.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import best_two
    >>> best_two(np.array([1]), np.array([[0.25, 0.75]]))
    (array([0.75]), array([0]), array([0.25]))
    """
    rows = np.arange(len(labels))
    share = shares[rows, np.maximum(labels, 0)] if shares.shape[1] else np.zeros(len(labels))
    others = shares.copy()
    others[rows, np.maximum(labels, 0)] = -1
    second = others.argmax(axis=1)
    second_share = np.maximum(others[rows, second], 0)
    none = (labels < 0) | (second_share <= 0)
    second[none] = -1
    return np.where(labels < 0, 0, share), second, np.where(none, 0, second_share)


def relevance(H: NDArray[Any], totals: NDArray[Any], balance: float = 0.6) -> NDArray[np.float64]:
    """Return how telling each term is for each topic (Sievert and Shirley 2014, eq. 1).

    balance · log p(term | topic) + (1 − balance) · log lift, the lift being p(term | topic) / p(term): words
    that every topic shares do not fill every list. A term that is not in a topic has relevance −∞.

    Parameters
    ----------
    H : array of shape (k, d)
        Topics, in the scale of counts.
    totals : array of shape (d,)
        How often each term occurs in all documents.
    balance : float
        1 ranks by weight alone, 0 by lift alone.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import relevance
    >>> H = np.array([[5.0, 4.0, 0.0], [5.0, 0.0, 3.0]])
    >>> relevance(H, np.array([90, 5, 5])).argmax(axis=1).tolist()
    [1, 2]
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

    Parameters
    ----------
    words : sequence of sequences of str
        The words of each topic, most telling first.
    n : int
        Words in a name; more where two topics would share one.

    Examples
    --------
    >>> from quire.topics import topic_names
    >>> topic_names([["orbit", "orbits", "nasa"], ["goal", "orbit", "team"]], 2)
    ['orbit, nasa', 'goal, team']
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
    """Drop words that begin like one before them and differ only in their ending; phrases by any word.

    Examples
    --------
    >>> from quire.topics import one_per_family
    >>> one_per_family(["filter", "filters", "hard disk", "disks", "signal"])
    ['filter', 'hard disk', 'signal']
    """
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
    """Return, per topic, the documents that are both much and mostly about it: largest weight × share.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import typical_documents
    >>> typical_documents(np.array([[9.0, 9.0], [8.0, 1.0]]), np.array([[0.5, 0.5], [0.9, 0.1]]))
    [[1], [0]]
    """
    return [rows.tolist() for rows, _ in typical_ranks(W, shares, n)]


def typical_ranks(W: NDArray[Any], shares: NDArray[Any], n: int) -> Ranks:
    """Return the rows of the typical documents of each topic, and by how much they are about it.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import typical_ranks
    >>> typical_ranks(np.array([[2.0], [9.0]]), np.array([[1.0], [0.5]]), 1)
    [(array([1]), array([4.5]))]
    """
    found = []
    for column in (W * shares).T:
        rows = largest(column, n)
        rows = rows[column[rows] > 0]
        found.append((rows, column[rows]))
    return found


def borderline_documents(labels: NDArray[Any], shares: NDArray[Any], n: int = 5) -> list[list[int]]:
    """Return, per topic, its documents that are nearly as much about another one, the closest first.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import borderline_documents
    >>> borderline_documents(np.array([0, 0, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.0, 1.0]]), 1)
    [[1], []]
    """
    return [rows.tolist() for rows, _ in borderline_ranks(labels, shares, n)]


def borderline_ranks(labels: NDArray[Any], shares: NDArray[Any], n: int) -> Ranks:
    """Return the rows of the borderline documents of each topic, and how close the other topic is.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import borderline_ranks
    >>> borderline_ranks(np.array([0, 0]), np.array([[0.8, 0.2], [0.5, 0.5]]), 1)[0]
    (array([1]), array([1.]))
    """
    first, second, other = best_two(labels, shares)
    closeness = np.where(second >= 0, other / np.maximum(first, np.finfo(np.float64).tiny), 0.0)
    found = []
    for t in range(shares.shape[1]):
        own = np.flatnonzero((labels == t) & (closeness > 0.5))
        own = own[largest(closeness[own], n)]
        found.append((own, closeness[own]))
    return found


def joined_ranks(first: Ranks, second: Ranks, n: int) -> Ranks:
    """Return who leads among the documents of two groups, the first group's before others of equal value.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import joined_ranks
    >>> one, two = [(np.array(["a"]), np.array([2.0]))], [(np.array(["b"]), np.array([2.0]))]
    >>> joined_ranks(one, two, 1)[0][0].tolist()
    ['a']
    """
    found = []
    for (names, values), (more, added) in zip(first, second, strict=True):
        names, values = np.concatenate([names, more]), np.concatenate([values, added])
        best = largest(values, n)
        found.append((names[best], values[best]))
    return found


def largest(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Return the places of the ``n`` largest values, largest first; the earlier of two equal ones wins.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import largest
    >>> largest(np.array([1.0, 3.0, 3.0, 2.0]), 2).tolist()
    [1, 2]
    """
    if len(values) > 16 * n > 0:  # leave out what cannot be among them before sorting
        above = np.flatnonzero(values > values.min())  # most terms are not in a topic at all
        if len(above) >= n:
            bound = np.partition(values[above], len(above) - n)[len(above) - n]
            near = above[values[above] >= bound]
            return np.asarray(near[np.argsort(-values[near], kind="stable")[:n]])
    return np.argsort(-values, kind="stable")[:n]
