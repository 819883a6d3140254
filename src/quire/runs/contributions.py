"""Why a document is in its topic: what each of its terms adds to the score of that topic, and of another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import LONGEST_WORD
from quire.runs.asked import Asked
from quire.runs.digits import digits
from quire.text.counts import Counts

MOST_TERMS = 30
_DIGITS = 3


def can_weigh(run: Asked) -> bool:
    """Say whether the weighted counts of a run's documents can be had."""
    try:
        return weighted(run, slice(0, 1)) is not None
    except ValueError:  # made from a matrix, or with tokens from a function that is not stored
        return False


def weighted(run: Asked, rows: slice | NDArray[Any] = slice(None)) -> sp.csr_array:
    """Return the weighted counts of a run's documents: those it was made with, else counted anew."""
    return run.weight.csr(run.recount(rows)) if run.X is None else run.X[rows]


class Reasons(NamedTuple):
    """Why some documents are in their topics. All is rounded; what is lost by that is in the rest."""

    topic: NDArray[np.int64]  # of each document; −1 for none
    other: NDArray[np.int64]  # the one that it is held against; −1 for none
    weighed: NDArray[np.bool_]  # whether there is evidence for the one against the other
    sums: NDArray[np.float64]  # the score of the topic, of the other, and the evidence: a column per document
    left: NDArray[np.float64]  # what of these the terms that are not listed add
    unlisted: NDArray[np.int64]  # how many these are
    sizes: NDArray[np.intp]  # how many are listed
    row: NDArray[np.intp]  # of every term that is listed: its document,
    column: NDArray[np.intp]  # its column,
    told: NDArray[np.float64]  # its weight in X, and what it adds to each of the sums


class Contributions:
    """The contributions x_ij · h_tj of a run's terms, which sum to the score (X Hᵀ)_it.

    H's rows have unit length where the recipe's assignment compares them so, so that the scores of two
    topics can be compared.
    """

    # For a mixture there is also the evidence x_ij · log(h_tj / h_sj) for the topic t against the other one
    # s. All is computed in float64; what is told is rounded, and what is lost by that is in the rest, so that
    # terms and rest sum to the score.

    def __init__(self, run: Asked) -> None:
        self._run = run

    def reasons(self, rows: NDArray[Any], most: int = MOST_TERMS, against: int | None = None) -> Reasons:
        """Say what each of some documents is in its topic for, held against its runner-up or a topic that is named."""
        X = weighted(self._run, rows)
        topic, other = topics_of(self._run, rows)
        if against is not None:
            other = np.full_like(topic, against)
        row = np.repeat(np.arange(len(rows)), np.diff(X.indptr))
        parts = self._of_terms(X, topic[row], other[row])
        listed = _most_telling(row, parts, most)
        sums = digits([np.bincount(row, part, len(rows)) for part in parts], 6)
        told = digits([part[listed] for part in (X.data, *parts)], _DIGITS)
        sizes = np.bincount(row[listed], minlength=len(rows))
        left = digits(sums - _sums(told[1:], sizes), 12)
        weighed = (other >= 0) & self._run.estimator.weighs_evidence
        unlisted = np.diff(X.indptr) - sizes
        return Reasons(topic, other, weighed, sums, left, unlisted, sizes, row[listed], X.indices[listed], told)

    @property
    def plain(self) -> bool:
        """Whether terms stand in the texts as they are."""
        counts = self._run.counts
        return counts is not None and counts.finds_words and not counts.lexicon_.stemmed

    def forms(self, rows: NDArray[Any], row: NDArray[Any], column: NDArray[Any]) -> list[list[str]]:
        """Return the words of document ``rows[row]`` that are the term ``column``, for each pair of them."""
        counts = self._run.counts
        if counts is None or {counts.tokens, counts.analyzer} & {"char", "char_wb", "subword"}:
            return [[] for _ in column]
        if self.plain:
            return [_readable(counts.terms_[j].split(" ")) for j in column.tolist()]
        texts = self._run.documents["text"][rows].to_list()
        return [_readable(words) for words in _surface_forms(texts, counts, row, column)]

    @cached_property
    def _H(self) -> NDArray[np.float64]:  # noqa: N802
        return self._run.estimator.compared_topics(**self._run.recipe.assignment)

    @cached_property
    def _logs(self) -> NDArray[np.float64]:
        return np.asarray(np.log(np.maximum(self._run.H.astype(np.float64), np.finfo(np.float32).tiny)))

    def _of_terms(
        self, X: sp.csr_array, topic: NDArray[Any], other: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return, for each entry of X, what it adds to its topic, to the other one, and to the evidence."""
        x, column = X.data.astype(np.float64), X.indices
        mine = np.where(topic >= 0, x * self._H[topic, column], 0.0)
        others = np.where(other >= 0, x * self._H[other, column], 0.0)
        if not self._run.estimator.weighs_evidence:
            return mine, others, np.zeros(len(x))
        ratio = self._logs[topic, column] - self._logs[other, column]
        evidence = x * self._run.estimator.worth[column] * ratio
        return mine, others, np.where((topic >= 0) & (other >= 0), evidence, 0.0)


def topics_of(run: Asked, rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the topic of each document, or the nearest one of an unsure document; and the one beside it."""
    topic, second = (run.documents[name].to_numpy()[rows].astype(np.int64) for name in ("topic", "runner_up"))
    unsure = (topic < 0) & (second >= 0)
    topic = np.where(unsure, second, topic)
    if unsure.any():
        shares = run.memberships_of(rows).astype(np.float64)
        shares[np.arange(len(rows)), np.maximum(topic, 0)] = -1
        second = np.where(unsure, np.where(shares.max(axis=1) > 0, shares.argmax(axis=1), -1), second)
    elsewhere = run.documents["else_topic"][rows].fill_null(-1).to_numpy().astype(np.int64)
    return topic, np.where((second < 0) & (topic >= 0), elsewhere, second)


def _most_telling(row: NDArray[Any], parts: Sequence[NDArray[np.float64]], most: int) -> NDArray[np.int64]:
    """Return the entries to list, row by row, the largest contribution first.

    They are those with the largest contribution to either topic, or the largest evidence, in each case as a
    share of the row's largest.
    """
    n = int(row[-1]) + 1 if len(row) else 0
    key = np.zeros(len(row))
    for part in parts:
        size = np.abs(part)
        top = np.zeros(n)
        np.maximum.at(top, row, size)
        np.maximum(key, np.divide(size, top[row], out=np.zeros(len(row)), where=top[row] > 0), out=key)
    order = np.lexsort((-key, row))
    place = np.arange(len(row)) - np.searchsorted(row, row[order])
    kept = order[(place < most) & (key[order] > 0)]
    return kept[np.lexsort((-np.abs(parts[0][kept]), row[kept]))]


def _sums(values: NDArray[np.float64], sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the sums of so many values one after the other, each rounded once."""
    ends = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    return np.array([[fsum(line[a:b]) for a, b in pairwise(ends)] for line in values.tolist()]).reshape(len(values), -1)


def _readable(words: list[str]) -> list[str]:
    """Return the different ones of some words, without those that nobody could read."""
    return [word for word in dict.fromkeys(words) if len(word) <= LONGEST_WORD]


def _surface_forms(texts: list[str], counts: Counts, row: NDArray[Any], column: NDArray[Any]) -> list[list[str]]:
    """Return the words that became a term: each word of the texts is counted as a document of its own."""
    present, surface = counts.count_words(texts)
    term = counts.csr(surface).tocoo() if surface else sp.coo_array((0, 0))
    of_word = np.full(len(surface), -1, np.int64)
    of_word[term.row] = term.col
    words: dict[tuple[int, int], list[str]] = {}
    entries = zip(np.repeat(np.arange(len(texts)), np.diff(present.indptr)).tolist(), present.indices.tolist())
    for document, word in entries:
        words.setdefault((document, int(of_word[word])), []).append(surface[word])
    return [words.get(pair, []) for pair in zip(row.tolist(), column.tolist())]
