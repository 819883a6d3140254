"""Why a document is in its topic: what each of its terms adds to the score of that topic, and of another."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import LONGEST_WORD, short
from quire.pages.encoding import digits, json_lists, json_objects, json_rows, json_strings
from quire.runs.run import Run
from quire.text.tokens import count_texts

MOST_TERMS = 30
_DIGITS = 3


def can_weigh(run: Run) -> bool:
    """Say whether the weighted counts of a run's documents can be had."""
    try:
        return weighted(run, slice(0, 1)) is not None
    except ValueError:  # made from a matrix, or with tokens from a function that is not stored
        return False


def weighted(run: Run, rows: slice | NDArray[Any] = slice(None)) -> sp.csr_array:
    """Return the weighted counts of a run's documents: those it was made with, else counted anew."""
    return run.weight.transform(run.recount(rows)) if run.X is None else run.X[rows]


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

    def explain(self, rows: NDArray[Any], most: int = MOST_TERMS) -> list[dict[str, Any] | None]:
        """Return what each of some documents is in its topic for; None where it has none."""
        return [json.loads(why) for why in self.as_json(rows, most)]

    def as_json(self, rows: NDArray[Any], most: int = MOST_TERMS) -> pl.Series:
        """Return the same as JSON, which Polars writes for all documents at once."""
        X = weighted(self._run, rows)
        topic, other = _topics_of(self._run, rows)
        row = np.repeat(np.arange(len(rows)), np.diff(X.indptr))
        parts = self._contributions(X, topic[row], other[row])
        listed = _most_telling(row, parts, most)
        sums = digits([np.bincount(row, part, len(rows)) for part in parts], 6)
        told = digits([part[listed] for part in (X.data, *parts)], _DIGITS)
        sizes = np.bincount(row[listed], minlength=len(rows))
        weighs_evidence = (other >= 0) & self._run.estimator.weighs_evidence
        words = self._words_and_forms(rows, row[listed], X.indices[listed])
        numbers = *map(pl.Series, told[:3]), _where(weighs_evidence[row[listed]], told[3])
        terms = json_lists(json_rows([*words, *numbers]), sizes)
        left = digits(sums - _sums(told[1:], sizes), 12)
        rest = {"terms": pl.Series(np.diff(X.indptr) - sizes), "mine": pl.Series(left[0]), "others": pl.Series(left[1]),
                "evidence": _where(weighs_evidence, left[2])}  # fmt: skip
        why = json_objects(
            {"topic": pl.Series(topic), "other": pl.Series(other), "score": pl.Series(sums[0]),
             "other_score": pl.Series(sums[1]), "terms": terms, "rest": json_objects(rest)}
        )  # fmt: skip
        return pl.select(pl.when(pl.Series(topic >= 0)).then(why).otherwise(pl.lit("null"))).to_series()

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

    def _words_and_forms(
        self, rows: NDArray[Any], row: NDArray[Any], column: NDArray[Any]
    ) -> tuple[pl.Series, pl.Series]:
        """Return terms, and the words of document ``rows[row]`` that are the term ``column``, for each pair of them."""
        counts = self._run.counts
        different, place = np.unique(column, return_inverse=True)
        words = json_strings(_strings([short(self._run.words[j]) for j in different]))[place]
        if counts is None or counts.tokens in ("char", "char_wb", "subword"):
            return words, pl.Series(["[]"] * len(column), dtype=pl.String)
        if counts.tokens == "word" and not counts.lexicon_.stemmed:  # of a run of words, its words
            return words, _lists_of([list(dict.fromkeys(counts.terms_[j].split(" "))) for j in different])[place]
        texts = self._run.documents["text"][rows].to_list()
        return words, _lists_of(_surface_forms(texts, counts.transform, row, column))


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


def _where(there: NDArray[np.bool_], values: NDArray[np.float64]) -> pl.Series:
    return pl.select(pl.when(pl.Series(there)).then(pl.Series(values))).to_series()


def _strings(words: list[str]) -> pl.Series:
    """Return words as a column; half a character, which a function for tokens may make, becomes a question mark."""
    try:
        return pl.Series(words, dtype=pl.String)
    except UnicodeEncodeError:
        return pl.Series([word.encode("utf-8", "replace").decode() for word in words], dtype=pl.String)


def _lists_of(words: list[list[str]]) -> pl.Series:
    """Return lists of words as JSON, without those that nobody could read."""
    kept = [[word for word in some if len(word) <= LONGEST_WORD] for some in words]
    each = json_strings(_strings([word for some in kept for word in some]))
    return json_lists(each, np.array([len(some) for some in kept], np.intp))


def _surface_forms(
    texts: list[str], transform: Callable[[list[str]], sp.csr_array], row: NDArray[Any], column: NDArray[Any]
) -> list[list[str]]:
    """Return the words that became a term: each word of the texts is counted as a document of its own."""
    present, surface = count_texts(texts)
    term = transform(surface).tocoo() if surface else sp.coo_array((0, 0))
    of_word = np.full(len(surface), -1, np.int64)
    of_word[term.row] = term.col
    words: dict[tuple[int, int], list[str]] = {}
    entries = zip(np.repeat(np.arange(len(texts)), np.diff(present.indptr)).tolist(), present.indices.tolist())
    for document, word in entries:
        words.setdefault((document, int(of_word[word])), []).append(surface[word])
    return [words.get(pair, []) for pair in zip(row.tolist(), column.tolist())]
