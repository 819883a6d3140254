"""The keywords of topics: telling, seen together, of no signature, and each of one topic only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.assignment import largest
from quire.places.parts import as_rows, over_rows
from quire.runs.boilerplate import Block, independent
from quire.runs.telling import Held, Leading
from quire.runs.topics import families_of, one_per_family, relevance
from quire.scores.coherence import npmi
from quire.text.phrases import MOST_DOCUMENTS, Phrases

N_KEYWORDS, N_CANDIDATES, N_LEADING = 12, 36, 200
_SURE = 2e-3  # how telling a word is whose number of documents is surely above chance
_CODE = 1e-6  # what numbers and codes count for
_NEAR, _LEAST = 0.07, 5  # share of the best value below which a word is listed only to make a list of five
_MOSTLY = 0.65  # the share of a word's documents above which a phrase stands for the word
_ABOUT = 0.6  # the share of a word's value from which another of its family may stand for it
_NEW = 0.7  # how much a word gains if all documents of the topic hold it, of which none holds two chosen before
_TOGETHER = 0.5  # how much of a keyword's rank is owed to the company it keeps


class Keywords(NamedTuple):
    """The keywords of each topic, and what was found out on the way to them."""

    words: list[list[str]]
    blocks: list[Block]  # words that would have led, but only come together
    leading: list[Leading]  # the terms by which documents are typical
    held: Held  # how many documents of each topic hold each term
    forms: Mapping[str, str] = {}  # how keywords are written in texts, where that is known


def topic_keywords(
    counts: Any,
    labels: NDArray[Any],
    H: NDArray[Any],
    totals: NDArray[Any],
    words: Sequence[str],
    phrases: Phrases | None = None,
    n: int = N_KEYWORDS,
) -> Keywords:
    """Return the keywords of each topic, the most telling first; words of one block count where they are without it."""
    # Words that all topics share are in no list, nor are those that are in hardly any document of theirs. A
    # word belongs to the topic where it is most telling, and no other topic lists it. Out of the leading ones
    # those are preferred that occur in the same documents (NPMI). Words of one family (filter, filters) are
    # listed once. Numbers and codes come last. A phrase is a word like any other, and stands for a word of its
    # own that occurs with it more often than without.
    # Lists are shorter where there are too few such words; a list of under five is filled up to five with
    # words that are less sure. A topic that would have none, because it has no documents, or all of them, or
    # shares every word, lists its words by ``relevance``; only where all these are taken
    # does it share one with another. A topic without documents whose H is the same for all words has none.
    counts, k = as_rows(counts), len(H)
    phrases = phrases or Phrases.none()
    shown, held = [*words, *phrases.words], Held.by_topics(counts, labels, k, phrases)
    raw = [held.leading(t, N_LEADING) for t in range(k)]
    rows, present = _sampled(counts, phrases, [one.columns for one in raw])
    leading, blocks = _without_blocks(held, raw, present, labels[rows], shown)
    columns_of, parts = sp.csc_array(present), _parts(words, phrases.words)
    lists = []
    for t, one in enumerate(_by_owner(leading)):
        columns, value, most = _candidates(one, held.shares(t, one.columns, one.documents), parts, shown)
        own = present[np.flatnonzero(labels[rows] == t)][:, columns].toarray() / held.spread(t, columns)
        best = _in_turn(_rank(value, columns_of[:, columns]), own, min(n, most))
        lists.append([shown[j] for j in columns[best]])
    empty = np.bincount(labels[labels >= 0], minlength=k) == 0
    flat = empty & (H.max(axis=1, initial=0) <= 1.001 * H.min(axis=1, initial=np.inf))
    lists = _none_empty(lists, np.where(flat[:, None], 0, H) if flat.any() else H, totals, words, n)
    return Keywords(lists, blocks, leading, held)


def _without_blocks(
    held: Held, leading: list[Leading], present: sp.csr_array, labels: NDArray[Any], shown: Sequence[str]
) -> tuple[list[Leading], list[Block]]:
    """Return how telling terms are by themselves, codes hardly at all; and the blocks that would have led."""
    rest, blocks = [], []
    for t, (columns, documents, values) in enumerate(leading):
        names = [shown[j] for j in columns]
        alone, block = independent(sp.csc_array(present[np.flatnonzero(labels == t)])[:, columns], names)
        value = held.values(t, columns, documents, alone) * np.where(code_like(names), _CODE, 1.0)
        value = np.minimum(value, values) / np.sqrt(held.spread(t, columns))
        rest.append(Leading(columns, documents * alone, value))
        for number in np.unique(block[:N_KEYWORDS]):
            own = np.flatnonzero(block == number)
            if number >= 0:
                blocks.append(Block(t, int(np.median(documents[own])), [names[j] for j in own]))
    return rest, blocks


def code_like(words: Sequence[str]) -> NDArray[np.bool_]:
    """Mark numbers, single letters, and what has an underscore, a digit first, or fewer than two letters in all."""
    single = [len(w) < 2 and (not w or w.isalnum()) for w in words]  # an emoji is no letter
    return np.array([(not w.replace(" ", "").isalpha() and _is_code(w)) or s for w, s in zip(words, single)], bool)


def _is_code(word: str) -> bool:
    if word[:1] == "#":  # a column of a matrix without a vocabulary
        return False
    digits, letters = sum(map(str.isdigit, word)), sum(map(str.isalpha, word))
    return "_" in word or word[:1].isdigit() or (digits > 0 and (letters < 2 or digits > letters))


def _by_owner(leading: list[Leading]) -> list[Leading]:
    """Leave each term to the topic where it is most telling, the earlier of two."""
    topic = np.repeat(np.arange(len(leading)), [len(one.columns) for one in leading])
    columns, values = (np.concatenate([np.zeros(0), *(one[i] for one in leading)]) for i in (0, 2))
    order = np.lexsort((topic, -values, columns))
    first = np.zeros(len(order), bool)
    first[order[np.diff(columns[order], prepend=-1) != 0]] = True
    owned = np.split(first & (values > 0), np.cumsum([len(one.columns) for one in leading])[:-1])
    return [one.at(own) for one, own in zip(leading, owned)]


def _parts(words: Sequence[str], phrases: Sequence[str]) -> dict[int, list[int]]:
    """Return the column of each phrase, and those of its words that are terms themselves."""
    wanted = {part for phrase in phrases for part in phrase.split(" ")}
    column = {word: j for j, word in enumerate(words) if word in wanted}
    return {
        len(words) + i: [column[part] for part in phrase.split(" ") if part in column]
        for i, phrase in enumerate(phrases)
    }


def _candidates(
    own: Leading, shares: NDArray[np.float64], parts: dict[int, list[int]], shown: Sequence[str]
) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
    """Return the leading terms of a topic, one of a family, how telling they are, and how many to list."""
    value, place = own.values.copy(), {column: i for i, column in enumerate(own.columns.tolist())}
    for phrase, i in place.items():
        for word in parts.get(phrase, []):
            j = place.get(word)
            if j is not None and shares[i] >= _MOSTLY * shares[j]:
                value[i], value[j] = max(value[i], value[j]), 0
    order = [i for i in largest(value, 4 * N_CANDIDATES) if value[i] > 0]
    names = {shown[own.columns[i]]: i for i in order}
    families = families_of(list(names))
    best = np.array([_speaker([names[word] for word in family], value, shares) for family in families], np.intp)
    best = best[:N_CANDIDATES]
    near = int((value[best] >= max(_SURE, _NEAR * value.max(initial=0))).sum())
    if near >= _LEAST:
        best = best[:near]
    return own.columns[best], value[best], max(near, _LEAST)


def _speaker(family: list[int], value: NDArray[np.float64], shares: NDArray[np.float64]) -> int:
    """Return which of a family is in most documents, of those that are about as telling as the first."""
    return max((i for i in family if value[i] >= _ABOUT * value[family[0]]), key=lambda i: (shares[i], -i))


def _sampled(counts: Any, phrases: Phrases, wanted: list[NDArray[np.intp]]) -> tuple[NDArray[Any], sp.csr_array]:
    """Return the documents of a sample, and which terms are in them; no other columns are filled."""
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
    return rows, sp.csr_array(present)


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
    surely = np.maximum(together - 2 * np.sqrt(together), 0)  # by two standard errors
    np.fill_diagonal(surely, together.diagonal())
    company = npmi(surely, present.shape[0])
    np.fill_diagonal(company, 0)
    lead = value / value.max()
    return np.asarray((1 - _TOGETHER) * lead + _TOGETHER * (company @ (value / value.sum())))


def _in_turn(rank: NDArray[np.float64], held: NDArray[np.float64], n: int) -> list[int]:
    """Choose one word after the other, by its rank and by the documents that hold fewer than two so far."""
    chosen: list[int] = []
    for _ in range(min(n, len(rank))):
        few = (held[:, chosen] > 0).sum(axis=1) < 2
        gain = rank + _NEW * held[few].sum(axis=0) / max(len(held), 1)
        gain[chosen] = -np.inf
        chosen.append(int(np.argmax(gain)))
    return chosen


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
    """Return the words of one topic, those first that are no codes."""
    score = relevance(H, totals)[0]
    own = [words[j] for j in largest(score, 4 * N_CANDIDATES) if score[j] > -np.inf]
    codes = dict(zip(own, code_like(own)))
    return one_per_family(sorted(own, key=codes.__getitem__))
