"""Terms of two words, such as "prime minister": words that are neighbours far more often than by chance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.machine import allowed_threads
from quire.text.counts import Counts
from quire.text.tokens import count_texts

MOST_DOCUMENTS, MOST_BYTES, LONGEST = 20_000, 12_000_000, 100_000  # of a sample, and of a document in it
FEWEST_DOCUMENTS, LEAST_NPMI, MOST_PHRASES = 5, 0.5, 5_000
_BREAK = "|"  # ends a run of words, as any sign but a space, a hyphen or an apostrophe does
_TOKEN = re.compile(r"\w+|[^\w\s'’-]")
_ASCII = "".join(c if c.isalnum() or c == "_" else " " if c in "'-" or c.isspace() else _BREAK
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


def find_phrases(texts: pl.Series | None, counts: Counts | None) -> Phrases:
    """Find the phrases of texts, in a sample of them that is spread evenly and bounded in size.

    A phrase is two words of letters, neither of them a stop word, with nothing but a space, a line break, a
    hyphen or an apostrophe between them.
    """
    # It is in at least 5 documents (3 where there are few), and the two come together far more often than
    # chance would have it: NPMI of neighbours of 0.5 or more. There are none where terms are not plain words:
    # stems, runs of words, characters, sub-words, tokens from a function.
    if texts is None or not may_have_phrases(counts):
        return Phrases.none()
    step = sample_step(len(texts), int(texts.str.len_bytes().sum()))
    return phrases_among(sampled_texts(texts, step), np.arange(0, len(texts), step), counts)


def may_have_phrases(counts: Counts | None) -> bool:
    """Say whether terms are plain words."""
    plain = counts is not None and counts.tokens == "word" and tuple(counts.ngrams) == (1, 1)
    return plain and counts is not None and not counts.lexicon_.stemmed


def sample_step(n_documents: int, n_bytes: int) -> int:
    """Return which documents to look at: every first, every second, …."""
    return max(1, -(-n_documents // MOST_DOCUMENTS), -(-n_bytes // MOST_BYTES))


def sampled_texts(texts: pl.Series, step: int, first: int = 0) -> list[str]:
    """Return every ``step``-th text from the first one on, none too long."""
    return texts.gather_every(step, first).str.slice(0, LONGEST).to_list()


def phrases_among(sample: list[str], rows: NDArray[np.int64], counts: Counts | None) -> Phrases:
    """Find the phrases of a sample (see :func:`find_phrases`)."""
    if counts is None:
        return Phrases.none()
    fewest = min(FEWEST_DOCUMENTS, 3 + len(sample) // 200)
    terms = _common_words(sample, fewest, counts)
    pairs, documents, times = _neighbours(sample, terms)
    codes = _far_above_chance(pairs, documents, times, fewest)
    words = [f"{terms[a]} {terms[b]}" for a, b in zip(*np.divmod(codes, max(len(terms), 1)))]
    return Phrases(words, rows, _occurrences(pairs, documents, codes, len(rows)))


def count_phrases(texts: Iterable[str], phrases: Sequence[str]) -> sp.csr_array:
    """Return how often each phrase is in each document."""
    texts = list(texts)
    terms = sorted({word for phrase in phrases for word in phrase.split(" ")})
    number = {word: j for j, word in enumerate(terms)}
    parts = [[number[word] for word in phrase.split(" ")] for phrase in phrases]
    codes = np.array([first * len(terms) + second for first, second in parts], np.int64)
    pairs, documents, _ = _neighbours(texts, terms)
    return _occurrences(pairs, documents, codes, len(texts))


def _common_words(sample: list[str], fewest: int, counts: Counts) -> list[str]:
    """Return the words that could be in a phrase: those that the run cut as too common, too ("new")."""
    matrix, terms = count_texts(sample, allowed_threads(counts.n_jobs))
    often = np.bincount(matrix.indices, minlength=len(terms)) >= fewest
    stays = counts.lexicon_.stays(terms)
    return [term for term, kept in zip(terms, often & stays) if kept and term.isalpha()]


def _neighbours(sample: list[str], terms: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return a code for any two terms side by side, their documents, and how often each term occurs."""
    known = {term: j for j, term in enumerate(terms)}
    lengths = []

    def looked_up(text: str) -> Iterator[int]:  # one text at a time: all tokens would take much memory
        tokens = _tokens(text)
        lengths.append(len(tokens))
        return map(known.get, tokens, repeat(-1))

    ids = np.fromiter(chain.from_iterable(map(looked_up, sample)), np.int64)
    document = np.repeat(np.arange(len(sample)), lengths)
    first, second = ids[:-1], ids[1:]
    both = (first >= 0) & (second >= 0) & (first != second) & (document[:-1] == document[1:])
    times = np.bincount(ids[ids >= 0], minlength=len(terms))
    return first[both] * len(terms) + second[both], document[:-1][both], times


def _tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, and a token that is no word for each sign that parts them."""
    text = text.lower()
    if text.isascii():  # many times faster
        return text.translate(_ASCII).replace(_BREAK, f" {_BREAK} ").split()
    return _TOKEN.findall(text)


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
    return sp.csr_array((ones, (documents[hit], place[hit])), shape=(n, len(codes)))
