"""The keywords of topics: telling, seen together, and each of one topic only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.assignment import largest
from quire.places.parts import as_rows, over_rows
from quire.runs.topics import one_per_family, relevance
from quire.scores.coherence import npmi
from quire.text.phrases import MOST_DOCUMENTS, Phrases

N_KEYWORDS, N_CANDIDATES = 12, 36
_ERRORS = 2.0  # standard errors by which a number of documents must be above chance
_UNSURE, _SURE = 1e-4, 2e-3  # what a word counts for that is not above chance by so much; more than that
_RARE, _NUMBER = 1e-3, 1e-6  # the same for words in hardly any document at all, and for numbers
_FEWEST = 5  # documents that a word must be in not to be rare; fewer for a small corpus
_NEAR, _LEAST = 0.1, 5  # share of the best value below which a word is listed only to make a list of five
_MOSTLY = 0.5  # the share of a word's documents above which a phrase stands for the word
_TOGETHER = 0.5  # how much of a keyword's rank is owed to the company it keeps


def topic_keywords(
    counts: Any,
    labels: NDArray[Any],
    H: NDArray[Any],
    totals: NDArray[Any],
    words: Sequence[str],
    phrases: Phrases | None = None,
    n: int = N_KEYWORDS,
) -> list[list[str]]:
    """Return the keywords of each topic, the most telling first.

    A word is telling where its share of the topic's documents, p, is above its share q of the others, by
    two standard errors: the larger p · log(p / q), the more.
    """
    # Words that all topics share are in no list, nor are those that are in hardly any document of theirs. A
    # word belongs to the topic where it is most telling, and no other topic lists it. Out of the leading ones
    # those are preferred that occur in the same documents (NPMI). Words of one family (filter, filters) are
    # listed once. Numbers come last. A phrase is a word like any other, and stands for a word of its own that
    # occurs with it more often than without.
    # Lists are shorter where there are too few such words; a list of under five is filled up to five with
    # words that are less sure. A topic that would have none, because it has no documents, or all of them, or
    # shares every word, lists its words by ``relevance``; only where all these are taken
    # does it share one with another. A topic without documents whose H is the same for all words has none.
    counts, k = as_rows(counts), len(H)
    phrases = phrases or Phrases.none()
    shown = [*words, *phrases.words]
    shares, values = _telling(counts, labels, k)
    if phrases.words:
        more = _telling(phrases.present, labels[phrases.rows], k)
        shares, values = sp.hstack([shares, more[0]], "csr"), sp.hstack([values, more[1]], "csr")
    values.data *= np.where(_number_like(shown), _NUMBER, 1.0)[values.indices]
    owned = _by_owner(values)
    parts = _parts(words, phrases.words)
    candidates = [_candidates(owned[[t]], shares[[t]], parts, shown) for t in range(k)]
    present = _sampled(counts, phrases, [columns for columns, _, _ in candidates])
    lists = [
        [shown[j] for j in columns[largest(_rank(value, present[:, columns]), min(n, most))]]
        for columns, value, most in candidates
    ]
    empty = np.bincount(labels[labels >= 0], minlength=k) == 0
    flat = empty & (H.max(axis=1, initial=0) <= 1.001 * H.min(axis=1, initial=np.inf))
    return _none_empty(lists, np.where(flat[:, None], 0, H) if flat.any() else H, totals, words, n)


def _telling(counts: Any, labels: NDArray[Any], k: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Return (topics × terms) the share of the documents that hold a term, and how telling it is."""
    n, d = counts.shape
    inside, anywhere = over_rows(_holding, counts, labels, args=(k,))[1]
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    topic = np.repeat(np.arange(k), np.diff(inside.indptr))
    own, other = sizes[topic], n - sizes[topic]
    rest = anywhere[inside.indices] - inside.data
    surely = np.maximum(inside.data - _ERRORS * np.sqrt(inside.data), 0) / own
    share, outside = inside.data / own, (rest + 0.5) / (other + 1)
    value = np.maximum(_gain(surely, outside), _UNSURE * _gain(share, outside))
    value[inside.data + rest < min(_FEWEST, 1 + n // 100)] *= _RARE
    value[(other == 0) | (inside.data * other <= rest * own)] = 0  # no rounding: shares may be equal
    shares, values = (sp.csr_array((data, inside.indices, inside.indptr), shape=(k, d)) for data in (share, value))
    return shares, values


def _holding(counts: sp.csr_array, topic: NDArray[Any], k: int) -> tuple[None, tuple[sp.csr_array, NDArray[Any]]]:
    """Tell how many documents of a block hold each term: of every topic, and of all."""
    n, d = counts.shape
    holds = sp.csr_array(((counts.data > 0).astype(np.float64), counts.indices, counts.indptr), shape=(n, d))
    known = np.flatnonzero(topic >= 0)
    members = sp.csr_array((np.ones(len(known)), (topic[known], known)), shape=(k, n))
    inside = sp.csr_array(members @ holds)
    inside.eliminate_zeros()
    return None, (inside, np.bincount(holds.indices, holds.data, d))


def _gain(share: NDArray[np.float64], outside: NDArray[np.float64]) -> NDArray[np.float64]:
    return share * np.log(np.maximum(share / outside, 1.0))


def _number_like(words: Sequence[str]) -> NDArray[np.bool_]:
    """Mark what begins with a digit or an underscore, or is digits for the most part."""
    return np.array([not w.isalpha() and (w[:1].isdigit() or w[:1] == "_" or 3 * sum(map(str.isdigit, w)) > 2 * len(w))
                     for w in words], bool)  # fmt: skip


def _by_owner(values: sp.csr_array) -> sp.csr_array:
    """Keep each term's largest value only: that of the topic it belongs to, the earlier of two equal ones."""
    entries = values.tocoo()
    order = np.lexsort((entries.row, -entries.data, entries.col))
    column = entries.col[order]
    first = order[np.concatenate([[True], column[1:] != column[:-1]])] if len(order) else order
    first = first[entries.data[first] > 0]
    kept = (entries.data[first], (entries.row[first], entries.col[first]))
    return sp.csr_array(kept, shape=values.shape)


def _parts(words: Sequence[str], phrases: Sequence[str]) -> list[tuple[int, list[int]]]:
    """Return the column of each phrase, and those of its words that are terms themselves."""
    wanted = {part for phrase in phrases for part in phrase.split(" ")}
    column = {word: j for j, word in enumerate(words) if word in wanted}
    return [
        (len(words) + i, [column[part] for part in phrase.split(" ") if part in column])
        for i, phrase in enumerate(phrases)
    ]


def _candidates(
    owned: sp.csr_array, shares: sp.csr_array, parts: list[tuple[int, list[int]]], shown: Sequence[str]
) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
    """Return the leading terms of a topic, one of a family, how telling they are, and how many to list."""
    value, share = owned.toarray().ravel(), shares.toarray().ravel()
    for phrase, own in parts:
        if value[phrase] > 0:
            for word in own:
                if share[phrase] >= _MOSTLY * share[word] > 0:
                    value[phrase], value[word] = max(value[phrase], value[word]), 0
    leading = [j for j in largest(value, 4 * N_CANDIDATES) if value[j] > 0]
    kept = set(one_per_family([shown[j] for j in leading])[:N_CANDIDATES])
    columns = np.array([j for j in leading if shown[j] in kept], np.intp)
    near = int((value[columns] >= max(_SURE, _NEAR * value.max(initial=0))).sum())
    if near >= _LEAST:
        columns = columns[:near]
    return columns, value[columns], max(near, _LEAST)


def _sampled(counts: Any, phrases: Phrases, wanted: list[NDArray[np.intp]]) -> sp.csc_array:
    """Return which candidates are in which documents of a sample; no other columns are filled."""
    n, d = counts.shape
    rows = phrases.rows if phrases.words else np.arange(0, n, max(1, -(-n // MOST_DOCUMENTS)))
    chosen = np.zeros(d + len(phrases.words), bool)
    chosen[np.concatenate([np.zeros(0, np.intp), *wanted])] = True
    sampled = np.zeros(n, bool)
    sampled[rows] = True
    present = sp.vstack(over_rows(_present, counts, sampled, args=(chosen[:d],))[1], "csr")
    if phrases.words:
        every = np.ones(len(rows), bool)
        present = sp.hstack([present, *_present(phrases.present, every, chosen[d:])[1]], "csr")
    return sp.csc_array(present)


def _present(
    counts: sp.csr_array, rows: NDArray[np.bool_], chosen: NDArray[np.bool_]
) -> tuple[None, list[sp.csr_array]]:
    """Tell which of the chosen terms are in which of some documents of a block."""
    some = sp.csr_array(counts[rows])
    some.data = (chosen[some.indices] & (some.data > 0)).astype(np.float64)
    some.eliminate_zeros()
    return None, [some]


def _rank(value: NDArray[np.float64], present: sp.csc_array) -> NDArray[np.float64]:
    """Return how high each candidate of a topic stands: as telling, and as much at home among the others."""
    if not len(value):
        return value
    together = (present.T @ present).toarray()
    surely = np.maximum(together - _ERRORS * np.sqrt(together), 0)
    np.fill_diagonal(surely, together.diagonal())
    company = npmi(surely, present.shape[0])
    np.fill_diagonal(company, 0)
    lead = value / value.max()
    return np.asarray((1 - _TOGETHER) * lead + _TOGETHER * (company @ (value / value.sum())))


def _none_empty(
    lists: list[list[str]], H: NDArray[Any], totals: NDArray[Any], words: Sequence[str], n: int
) -> list[list[str]]:
    """Give topics without keywords words by relevance that no other has, or else one that another has."""
    taken = {word for row in lists for word in row}
    empty = {t: _by_relevance(H[t : t + 1], totals, words) for t, row in enumerate(lists) if not row}
    for _ in range(n):  # in turns, so that the first of them does not take all
        for t, own in empty.items():
            free = next((word for word in own if word not in taken), None)
            if free is not None:
                lists[t].append(free)
                taken.add(free)
    for t, own in empty.items():
        lists[t] = lists[t] or own[:1]
    return lists


def _by_relevance(H: NDArray[Any], totals: NDArray[Any], words: Sequence[str]) -> list[str]:
    """Return the words of one topic, those first that are no numbers."""
    score = relevance(H, totals)[0]
    own = [words[j] for j in largest(score, 4 * N_CANDIDATES) if score[j] > -np.inf]
    numbers = dict(zip(own, _number_like(own)))
    return one_per_family(sorted(own, key=numbers.__getitem__))
