"""Terms of two words, such as "prime minister": words that are neighbours far more often than by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.text.counts import Counts
from quire.text.letters import is_of_letters
from quire.text.spelling import AS_THEY_ARE, Spelling
from quire.text.vocabulary import CODEC, Vocabulary

MOST_DOCUMENTS, MOST_BYTES, LONGEST = 20_000, 12_000_000, 100_000  # of a sample, and of a document in it
FEWEST_DOCUMENTS, LEAST_NPMI, MOST_PHRASES = 5, 0.5, 5_000
_BATCH = 4096  # texts whose words are looked up together
_BREAK, _END = "|", "||"  # ends a run of words, as any sign but a space, a hyphen or an apostrophe does; a document
_ASCII = "".join(c if c.isalnum() or c == "_" else "\n" if c in "'-" or c.isspace() else _BREAK
                 for c in map(chr, range(128)))  # fmt: skip


@dataclass(frozen=True)
class Phrases:
    """Phrases, and in which documents of a sample they are."""

    words: list[str]  # the phrases: two words each, with a space between
    rows: NDArray[np.int64]  # the documents that were looked at
    present: sp.csr_array  # how often a document holds a phrase

    @classmethod
    def none(cls) -> Phrases:
        """Return what there is where phrases make no sense."""
        return cls([], np.zeros(0, np.int64), sp.csr_array((0, 0)))


def may_have_phrases(counts: Counts | None) -> bool:
    """Say whether terms are plain words."""
    return counts is not None and counts.plain and not counts.lexicon_.stemmed


def sample_step(n_documents: int, n_bytes: int) -> int:
    """Return which documents to look at: every first, every second, …."""
    return max(1, -(-n_documents // MOST_DOCUMENTS), -(-n_bytes // MOST_BYTES))


def sampled_texts(texts: pl.Series, step: int, first: int = 0) -> list[str]:
    """Return every ``step``-th text from the first one on, none too long."""
    return texts.gather_every(step, first).str.slice(0, LONGEST).to_list()


def phrases_among(sample: list[str], rows: NDArray[np.int64], counts: Counts | None) -> Phrases:
    """Find the phrases of a sample: two words with a space, a line break, a hyphen or an apostrophe between.

    Both are of letters, neither is a stop word, and they are neighbours in at least 5 documents (3 where there
    are few), far more often than chance would have it: with an NPMI of 0.5 or more.
    """
    if counts is None:
        return Phrases.none()
    fewest = min(FEWEST_DOCUMENTS, 3 + len(sample) // 200)
    vocabulary = Vocabulary()
    ids, document = _in_order(counts.without_kinds(sample), vocabulary, counts.spelling_)
    rank, words = vocabulary.ranked()
    ids, terms = _could_be_in_phrases(rank[ids], document, words, fewest, counts)
    pairs, documents = _neighbours(ids, document, len(terms))
    times = np.bincount(ids[ids >= 0], minlength=len(terms))
    codes = _far_above_chance(pairs, documents, times, fewest)
    phrases = [f"{terms[a]} {terms[b]}" for a, b in zip(*np.divmod(codes, max(len(terms), 1)))]
    return Phrases(phrases, rows, _occurrences(pairs, documents, codes, len(rows)))


def count_phrases(texts: Iterable[str], phrases: Sequence[str], counts: Counts | None = None) -> sp.csr_array:
    """Return how often each phrase is in each document, read as ``counts`` reads them."""
    texts, spelling = (list(texts), AS_THEY_ARE) if counts is None else (counts.without_kinds(texts), counts.spelling_)
    terms = sorted({word for phrase in phrases for word in phrase.split(" ")})
    number = {word: j for j, word in enumerate(terms)}
    parts = [[number[word] for word in phrase.split(" ")] for phrase in phrases]
    codes = np.array([first * len(terms) + second for first, second in parts], np.int64)
    vocabulary = Vocabulary()
    vocabulary.numbered("\n".join(terms).encode("utf-8", CODEC))
    ids, document = _in_order(texts, vocabulary, spelling)
    pairs, documents = _neighbours(np.where(ids < len(terms), ids, -1), document, len(terms))
    return _occurrences(pairs, documents, codes, len(texts))


def _in_order(
    texts: list[str], vocabulary: Vocabulary, spelling: Spelling
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the number of every word and every break of texts, in order, and the document of each."""
    end = int(vocabulary.numbered(_END.encode())[0])
    numbers = [np.zeros(0, np.int32)]
    for start in range(0, len(texts), _BATCH):
        lines = [line for text in texts[start : start + _BATCH] for line in (_lines(text, spelling), _END)]
        numbers.append(vocabulary.numbered("\n".join(lines).encode("utf-8", CODEC)))
    ids = np.concatenate(numbers)
    ends = ids == end
    return ids[~ends], np.cumsum(ends)[~ends]


def _lines(text: str, spelling: Spelling) -> str:
    """Return the words of a text in lower case, a line each, and a line that is no word for each sign between."""
    if text.isascii() and not spelling.turkish:  # many times faster
        return text.lower().translate(_ASCII).replace(_BREAK, f"\n{_BREAK}\n")
    return "\n".join(spelling.words_and_signs(text))


def _could_be_in_phrases(
    ids: NDArray[np.int32], document: NDArray[np.int64], words: list[str], fewest: int, counts: Counts
) -> tuple[NDArray[np.int32], list[str]]:
    """Return the terms that could be in a phrase (those that the run cut as too common, too: "new"), and their ids."""
    often = np.flatnonzero(np.bincount(ids, minlength=len(words)) >= fewest)
    likely = [j for j in often.tolist() if len(words[j]) > 1 and is_of_letters(words[j])]
    named = [words[j] for j in likely]
    stays = counts.lexicon_.stays(named)
    if counts.spoken_ is not None:  # a stop word of any language is between phrases, not in one
        stays &= ~np.isin(named, counts.spoken_.stops)
    columns = np.array(likely, np.intp)[stays]
    number = np.full(len(words), -1, np.int32)
    number[columns] = np.arange(len(columns))
    each = number[ids]
    seen = np.sort(document[each >= 0] * len(words) + each[each >= 0])  # np.unique would be many times slower
    first = seen[np.diff(seen, prepend=-1) != 0]
    kept = columns[np.bincount(first % max(len(words), 1), minlength=len(columns)) >= fewest]
    number[columns] = -1
    number[kept] = np.arange(len(kept))
    return number[ids], [words[j] for j in kept]


def _neighbours(
    ids: NDArray[np.int32], document: NDArray[np.int64], n_terms: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a code for any two terms side by side, and their documents."""
    first, second = ids[:-1], ids[1:]
    both = (first >= 0) & (second >= 0) & (first != second) & (document[:-1] == document[1:])
    return first[both] * np.int64(n_terms) + second[both], document[:-1][both]


def _far_above_chance(
    pairs: NDArray[np.int64], documents: NDArray[np.int64], times: NDArray[np.int64], fewest: int
) -> NDArray[np.int64]:
    """Return the codes of the pairs that are phrases, the most frequent first."""
    codes, together = np.unique(pairs, return_counts=True)
    codes, together = codes[together >= fewest], together[together >= fewest]
    first, second = np.divmod(codes, max(len(times), 1))
    total = float(times.sum())
    chance = times[first] * (times[second] / max(total, 1.0))
    npmi = np.log(together / np.maximum(chance, 1e-300)) / np.maximum(-np.log(together / (total + 1)), 1e-300)
    codes, together = codes[npmi >= LEAST_NPMI], together[npmi >= LEAST_NPMI]
    in_documents = _occurrences(pairs, documents, codes, int(documents.max(initial=-1)) + 1)
    enough = np.bincount(in_documents.indices, minlength=len(codes)) >= fewest
    codes, together = codes[enough], together[enough]
    return codes[np.argsort(-together, kind="stable")[:MOST_PHRASES]]


def _occurrences(
    pairs: NDArray[np.int64], documents: NDArray[np.int64], codes: NDArray[np.int64], n: int
) -> sp.csr_array:
    """Return how often each of some pairs is in each document."""
    order = np.argsort(codes, kind="stable")
    place = np.searchsorted(codes, pairs, sorter=order)
    place = order[np.minimum(place, len(codes) - 1)] if len(codes) else np.zeros(len(pairs), np.intp)
    hit = codes[place] == pairs if len(codes) else np.zeros(len(pairs), bool)
    ones = np.ones(int(hit.sum()), np.int64)
    where = documents[hit].astype(np.int32), place[hit].astype(np.int32)  # as indices of counts are
    return sp.csr_array((ones, where), shape=(n, len(codes)))
