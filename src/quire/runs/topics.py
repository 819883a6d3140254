"""What a topic is about: telling words, families of words, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def topic_names(words: Sequence[Sequence[str]], n: int = 3, forms: Mapping[str, str] | None = None) -> list[str]:
    """Give each topic a short name of its own, made of its most telling words as they are written in texts.

    A word leads the name of one topic only: the one where it stands highest. Words of one family (filter,
    filters) stand for each other.
    """
    forms = forms or {}
    rank: dict[str, int] = {}
    for row in words:
        for place, word in enumerate(row):
            rank[word] = min(place, rank.get(word, place))
    names: list[str] = []
    for t, row in enumerate(words):
        own = [word for place, word in enumerate(row) if rank[word] == place]
        shared = [word for word in row if word not in set(own)]
        chosen = [forms.get(word, word) for word in one_per_family([*own, *shared])]
        size = min(n, len(chosen))
        name = ", ".join(chosen[:size]) or "no words"
        while name in names and size < len(chosen):
            size += 1
            name = ", ".join(chosen[:size])
        names.append(name if name not in names else f"{name} ({t})")
    return names


def one_per_family(words: Sequence[str]) -> list[str]:
    """Drop words that begin like one before them and differ only in their ending; phrases by any word."""
    return [family[0] for family in families_of(words)]


def families_of(words: Sequence[str]) -> list[list[str]]:
    """Return each word with the later ones that begin like it and differ only in their ending."""
    families: list[list[str]] = []
    seen: dict[str, list[tuple[str, int]]] = {}  # the words of the first of each family, by their first letters
    for word in words:
        parts = word.split()
        near = ((other, i) for part in parts for other, i in seen.get(part[:3], []) if _one_family(part, other))
        _, number = next(near, ("", -1))
        if number >= 0:
            families[number].append(word)
            continue
        for part in parts:
            seen.setdefault(part[:3], []).append((part, len(families)))
        families.append([word])
    return families


def _one_family(word: str, other: str) -> bool:
    """Say whether two words with the same first letters are equal, or differ in their ending only."""
    short, long = sorted((word, other), key=len)
    if long in (short, short + "s", short + "es") or (short.endswith("y") and long == short[:-1] + "ies"):
        return True
    if len(short) < 4 or len(long) - len(short) > 3:
        return False
    shared = next((i for i, (a, b) in enumerate(zip(short, long)) if a != b), len(short))
    # token and tokens are related; final and finance, company and computer are not
    return shared == len(short) or shared >= max(4, len(long) - 3, 0.65 * len(long))
