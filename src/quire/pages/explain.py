"""Why a document is in its topic: what each of its terms adds to the score of that topic, and of another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import LONGEST_WORD, short
from quire.pages.encoding import digits, json_lists, json_numbers, json_string
from quire.runs.run import Run
from quire.text.counts import Counts

MOST_TERMS = 30
_DIGITS = 3
_WHY = (
    '{"topic":%d,"other":%d,"score":%s,"other_score":%s,"terms":%s,'
    '"rest":{"terms":%d,"mine":%s,"others":%s,"evidence":%s}}'
)


def can_weigh(run: Run) -> bool:
    """Say whether the weighted counts of a run's documents can be had."""
    try:
        return weighted(run, slice(0, 1)) is not None
    except ValueError:  # made from a matrix, or with tokens from a function that is not stored
        return False


def weighted(run: Run, rows: slice | NDArray[Any] = slice(None)) -> sp.csr_array:
    """Return the weighted counts of a run's documents: those it was made with, else counted anew."""
    return run.weight.csr(run.recount(rows)) if run.X is None else run.X[rows]


class Explainer:
    """Explains documents of a run by the contributions x_ij · h_tj, which sum to the score (X Hᵀ)_it.

    H's rows have unit length where the recipe's assignment compares them so, so that the scores of two
    topics can be compared.
    """

    # For a mixture there is also the evidence x_ij · log(h_tj / h_sj) for the topic t against the other one
    # s. All is computed in float64; what is told is rounded, and what is lost by that is in the rest, so that
    # terms and rest sum to the score.

    def __init__(self, run: Run) -> None:
        self._run = run
        self._written: dict[int, str] = {}  # terms as JSON, and their words where these are always the same

    def explain(self, rows: NDArray[Any], most: int = MOST_TERMS) -> list[dict[str, Any] | None]:
        """Return what each of some documents is in its topic for; None where it has none."""
        return [json.loads(why) for why in self.as_json(rows, most)]

    def as_json(self, rows: NDArray[Any], most: int = MOST_TERMS) -> list[str]:
        """Return the same as JSON: to make it of data would take several times as long."""
        X = weighted(self._run, rows)
        topic, other = _topics_of(self._run, rows)
        row = np.repeat(np.arange(len(rows)), np.diff(X.indptr))
        parts = self._contributions(X, topic[row], other[row])
        listed = _most_telling(row, parts, most)
        sums = digits([np.bincount(row, part, len(rows)) for part in parts], 6)
        told = digits([part[listed] for part in (X.data, *parts)], _DIGITS)
        sizes = np.bincount(row[listed], minlength=len(rows))
        left = digits(sums - _sums(told[1:], sizes), 12)
        weighed = (other >= 0) & self._run.estimator.weighs_evidence
        words = self._words_and_forms(rows, row[listed], X.indices[listed])
        numbers = [*map(json_numbers, told[:3]), _known(told[3], weighed[row[listed]])]
        terms = json_lists([f"[{','.join(term)}]" for term in zip(words, *numbers)], sizes)
        scores, rest = map(json_numbers, sums[:2]), [*map(json_numbers, left[:2]), _known(left[2], weighed)]
        unlisted = (np.diff(X.indptr) - sizes).tolist()
        return [
            "null" if values[0] < 0 else _WHY % values
            for values in zip(topic.tolist(), other.tolist(), *scores, terms, unlisted, *rest)
        ]

    @cached_property
    def _H(self) -> NDArray[np.float64]:  # noqa: N802
        return self._run.estimator.compared_topics(**self._run.recipe.assignment)

    @cached_property
    def _logs(self) -> NDArray[np.float64]:
        return np.asarray(np.log(np.maximum(self._run.H.astype(np.float64), np.finfo(np.float32).tiny)))

    def _contributions(
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

    def _words_and_forms(self, rows: NDArray[Any], row: NDArray[Any], column: NDArray[Any]) -> list[str]:
        """Return terms, and the words of document ``rows[row]`` that are the term ``column``, for each pair of them."""
        counts, columns = self._run.counts, column.tolist()
        plain = counts is not None and counts.finds_words and not counts.lexicon_.stemmed
        for j in set(columns) - self._written.keys():
            forms = f",{_list_of(counts.terms_[j].split(' '))}" if counts is not None and plain else ""
            self._written[j] = json_string(short(self._run.words[j])) + forms
        words = [self._written[j] for j in columns]
        if plain:
            return words
        if counts is None or {counts.tokens, counts.analyzer} & {"char", "char_wb", "subword"}:
            return [f"{word},[]" for word in words]
        forms_of = _surface_forms(self._run.documents["text"][rows].to_list(), counts, row, column)
        return [f"{word},{_list_of(some)}" for word, some in zip(words, forms_of)]


def _topics_of(run: Run, rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def _known(values: NDArray[np.float64], known: NDArray[np.bool_]) -> list[str]:
    return [value if is_known else "null" for value, is_known in zip(json_numbers(values), known.tolist())]


def _list_of(words: list[str]) -> str:
    """Return the different ones of some words as JSON, without those that nobody could read."""
    return f"[{','.join(json_string(word) for word in dict.fromkeys(words) if len(word) <= LONGEST_WORD)}]"


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
