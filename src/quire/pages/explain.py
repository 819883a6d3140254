"""Why a document is in its topic: what each of its terms adds to the score of that topic, and of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import LONGEST_WORD, short
from quire.pages.encoding import digits
from quire.runs.run import Run
from quire.text.tokens import count_texts

MOST_TERMS = 30
_DIGITS = 3
_BLOCK = 1 << 15  # documents counted at a time


def can_weigh(run: Run) -> bool:
    """Say whether the weighted counts of a run's documents can be had."""
    try:
        return weighted(run, slice(0, 1)) is not None
    except ValueError:  # made from a matrix, or with tokens from a function that is not stored
        return False


def weighted(run: Run, rows: slice | NDArray[Any] = slice(None), columns: NDArray[Any] | None = None) -> sp.csr_array:
    """Return the weighted counts of a run's documents: those it was made with, else counted anew."""
    if run.X is not None:
        X = run.X[rows]
        return X if columns is None else X[:, columns]
    if columns is None:
        return run.weight.transform(run.recount(rows))
    wanted = np.arange(len(run.documents))[rows]
    parts = [
        run.weight.transform(run.recount(wanted[start : start + _BLOCK]))[:, columns]
        for start in range(0, max(len(wanted), 1), _BLOCK)
    ]
    return sp.csr_array(sp.vstack(parts, "csr"))


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
        X = weighted(self._run, rows)
        topic, other = _topics_of(self._run, rows)
        row = np.repeat(np.arange(len(rows)), np.diff(X.indptr))
        mine, others, evidence = self._contributions(X, topic[row], other[row])
        listed = _most_telling(row, (mine, others, evidence), most)
        forms = self._forms(rows, row[listed], X.indices[listed])
        sums = digits([np.bincount(row, part, len(rows)) for part in (mine, others, evidence)], 6)
        words = [self._words[j] for j in X.indices[listed].tolist()]
        told = digits([part[listed] for part in (X.data, mine, others, evidence)], _DIGITS).tolist()
        ends = np.searchsorted(row[listed], np.arange(len(rows) + 1))
        left = _left([[fsum(v[a:b]) for a, b in pairwise(ends.tolist())] for v in told[1:]], sums)
        reasons: list[dict[str, Any] | None] = []
        for i, (start, end) in enumerate(pairwise(ends.tolist())):
            part = slice(start, end)
            weighs_evidence = other[i] >= 0 and self._run.estimator.weighs_evidence
            n_terms = int(X.indptr[i + 1] - X.indptr[i])
            scores = [float(sums[0][i]), float(sums[1][i])]
            why = _why(words[part], forms[part], [v[part] for v in told], scores, left[i], n_terms, weighs_evidence)
            pair = {"topic": int(topic[i]), "other": int(other[i])}
            reasons.append(None if topic[i] < 0 else pair | why)
        return reasons

    @cached_property
    def _words(self) -> list[str]:
        return [short(word) for word in self._run.words]

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

    def _forms(self, rows: NDArray[Any], row: NDArray[Any], column: NDArray[Any]) -> list[list[str]]:
        """Return the words of document ``rows[row]`` that are the term ``column``, for each pair of them."""
        counts = self._run.counts
        if counts is None or counts.tokens in ("char", "char_wb", "subword"):
            return [[] for _ in row]
        if counts.tokens == "word" and not counts.lexicon_.stemmed:  # of a run of words, its words
            terms = {j: counts.terms_[j] for j in column.tolist()}
            words = {j: _short_ones(list(dict.fromkeys(term.split(" ")))) for j, term in terms.items()}
            return [words[j] for j in column.tolist()]
        texts = self._run.documents["text"][rows].to_list()
        return _surface_forms(texts, counts.transform, row, column)


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


def _left(listed: list[list[float]], sums: NDArray[np.float64]) -> list[list[float]]:
    """Return, for each document, what is left of its sums when the listed terms are taken away."""
    return digits(sums - np.array(listed), 12).T.tolist()  # type: ignore[no-any-return]


def _why(
    words: list[str],
    forms: list[list[str]],
    values: list[list[float]],
    scores: list[float],
    left: list[float],
    n_terms: int,
    weighs_evidence: bool,
) -> dict[str, Any]:
    """Put one document's explanation together; rounding goes into the rest, so that all sums to the score."""
    x, mine, others, evidence = values
    score, other_score = scores
    rest = dict(zip(("terms", "mine", "others", "evidence"), [n_terms - len(words), *left]))
    if not weighs_evidence:
        evidence, rest["evidence"] = [None] * len(x), None  # type: ignore[list-item,assignment]
    terms = list(zip(words, forms, x, mine, others, evidence))
    return {"score": score, "other_score": other_score, "terms": terms, "rest": rest}


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
    return [_short_ones(words.get(pair, [])) for pair in zip(row.tolist(), column.tolist())]


def _short_ones(words: list[str]) -> list[str]:
    return [word for word in words if len(word) <= LONGEST_WORD]
