"""Several languages in one corpus: which ones have a share of the documents, and which one a document is in.

A document is in the language whose stop words it holds. Which languages there are is decided once, from all parts, by
documents that leave no doubt: a language that only looks like another (Galician where all is Portuguese) has none.
Then each document is rid of the stop words of its own language: "die" stays in English and goes in German.
All evidence is whole numbers, so that the parts of a corpus do not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress, permutations
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.codec import storable
from quire.text.languages import NAMES, stop_list
from quire.text.trimming import columns_kept

MOST = 4000  # documents that are looked at to tell which languages there are
_BITS = 16  # evidence of a word that half of all languages list
_ENOUGH, _PER_WORD = 16 * _BITS, _BITS // 2  # evidence of a document that leaves no doubt: in all, and for each word
_CLEARLY = 1.5  # how much more of it there is than of any other language
_QUOTED = 4  # how much more often than others a stop word may be in another language, to be a quotation
_SHARE, _FEWEST = 0.02, 5  # of all documents that a language must have clearly


@cache
def _evidence() -> tuple[list[str], pl.DataFrame]:
    """Return the languages that have stop words, and ``term``, ``language``, ``bits``: more where few list a word."""
    import stopwordsiso

    codes = sorted(code for code in stopwordsiso.langs() if code in NAMES)
    lists = [{word.lower() for word in stopwordsiso.stopwords(code)} for code in codes]
    listed = Counter(word for words in lists for word in words)
    rows = [
        (word, i, round(_BITS * np.log2(len(codes) / listed[word])))
        for i, words in enumerate(lists)
        for word in sorted(words)
    ]
    schema = {"term": pl.String, "language": pl.Int32, "bits": pl.Int32}
    return codes, pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("term").cast(pl.Binary))


def every_so_many(n: int) -> int:
    """Return how many documents it is from one that is looked at to the next."""
    return max(1, -(-n // MOST))


def language_votes(counts: sp.csr_array, terms: pl.Series) -> NDArray[np.int64]:
    """Count the documents that are clearly in a language (row) and clearly not in another (column).

    On the diagonal are those that are in a language, whatever others it is like; one more row has how many were seen.
    """
    codes, evidence = _evidence()
    found = terms.to_frame("term").with_row_index("row").join(evidence, on="term").sort("row", "language")
    weights = sp.csr_array(
        (found["bits"].to_numpy().astype(np.int64), (found["row"].to_numpy(), found["language"].to_numpy())),
        shape=(len(terms), len(codes)),
    )
    votes = np.zeros((len(codes) + 1, len(codes)), np.int64)
    score = (counts @ weights).toarray()
    best, top = score.argmax(axis=1), score.max(axis=1, initial=0)
    enough = top >= np.maximum(_ENOUGH, _PER_WORD * np.asarray(counts.sum(axis=1)))
    clearly = top[:, None] > _CLEARLY * score
    clearly[np.arange(len(best)), best] = True
    np.add.at(votes, best[enough], clearly[enough])
    votes[-1, 0] = len(best)
    return votes


def languages_among(votes: NDArray[np.int64]) -> list[str]:
    """Return the languages that have a share of the documents, the largest first."""
    codes, totals = _evidence()[0], votes.diagonal()
    least = max(_FEWEST, _SHARE * int(votes[-1, 0]))  # of all: without stop words the few clear ones mislead
    found: list[int] = []
    for i in np.argsort(-totals, kind="stable").tolist():
        if totals[i] >= least and all(votes[i, j] >= least for j in found):
            found.append(i)
    return [codes[i] for i in found]


@storable
@dataclass(frozen=True)
class Spoken:
    """The languages of a corpus, the one with most documents first; by what words each is known; what it leaves out."""

    languages: tuple[str, ...]
    lists: tuple[frozenset[str], ...]
    left_out: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, languages: Sequence[str]) -> Spoken:
        """Return languages with their stop words."""
        lists = tuple(map(stop_list, languages))
        return cls(tuple(languages), lists, lists)

    @property
    def stops(self) -> list[str]:
        """The stop words of all languages, sorted."""
        return sorted(frozenset[str]().union(*self.lists))

    def of_each(self, counts: sp.csr_array, terms: Sequence[str]) -> NDArray[np.int8]:
        """Return the number of each document's language; −1 where no word tells."""
        inside = _inside(self.lists, terms)
        weights = sp.csr_array(inside * (len(self.lists) - inside.sum(axis=1, keepdims=True)))  # 0 for what all list
        score = (counts @ weights).toarray()
        return np.where(score.any(axis=1), score.argmax(axis=1), -1).astype(np.int8)

    def occurrences(self, counts: sp.csr_array, terms: Sequence[str]) -> NDArray[np.int64]:
        """Count how often each of the stop words is in documents of each language."""
        of_entry = np.repeat(np.maximum(self.of_each(counts, terms), 0), np.diff(counts.indptr))
        number = {word: i for i, word in enumerate(self.stops)}
        row = np.array([number.get(term, -1) for term in terms], np.int64)[counts.indices]
        table = np.zeros((len(number), len(self.lists)), np.int64)
        np.add.at(table, (row[row >= 0], of_entry[row >= 0]), counts.data[row >= 0])
        return table

    def with_quotations(self, table: NDArray[np.int64], keep: frozenset[str] = frozenset()) -> Spoken:
        """Leave stop words out of documents in other languages, too, where these only quote; but none that is to stay.

        English in French documents: "the" is there about as often as any other English stop word, given how often it
        is in English. A word that is there far more often is a word of theirs: "die" in English, of all German ones.
        """
        stops, left_out = self.stops, [set(words) for words in self.lists]
        inside = _inside(self.lists, stops).astype(bool)
        for own, there in permutations(range(len(self.lists)), 2):
            asked = np.flatnonzero(inside[:, own] & ~inside[:, there] & (table[:, own] > 0))
            times = table[asked, own]
            share = table[asked, there] / times
            order = np.argsort(share, kind="stable")
            middle = np.searchsorted(np.cumsum(times[order]), times.sum() / 2)  # of all that is said, not of all words
            if len(asked):
                quoted = asked[share <= _QUOTED * share[order[middle]]]
                left_out[there] |= {stops[i] for i in quoted}
        return replace(self, left_out=tuple(frozenset(words - keep) for words in left_out))

    def without_stops(self, counts: sp.csr_array, terms: Sequence[str]) -> tuple[sp.csr_array, NDArray[np.int8]]:
        """Take from each document what its language leaves out, or the first where none was recognised; return both."""
        spoken = self.of_each(counts, terms)
        of_entry = np.repeat(np.maximum(spoken, 0), np.diff(counts.indptr))
        stays = _inside(self.left_out, terms)[counts.indices, of_entry] == 0
        ends = np.concatenate([[0], np.cumsum(stays)])[counts.indptr].astype(counts.indptr.dtype)
        return sp.csr_array((counts.data[stays], counts.indices[stays], ends), shape=counts.shape), spoken

    def state(self) -> list[list[Any]]:
        """Return it as plain data."""
        return [[code, sorted(own), sorted(out)] for code, own, out in zip(self.languages, self.lists, self.left_out)]

    @classmethod
    def restored(cls, state: list[list[Any]]) -> Spoken:
        """Take back what :meth:`state` gave."""
        words = [word for row in state if len(row) == 3 for word in (row[0], *row[1], *row[2])]
        if any(len(row) != 3 for row in state) or not all(isinstance(word, str) for word in words):
            raise TypeError("what is known of languages is not whole")
        codes, lists, left_out = zip(*state)
        return cls(tuple(map(str, codes)), tuple(map(frozenset, lists)), tuple(map(frozenset, left_out)))


def _inside(lists: Sequence[frozenset[str]], terms: Sequence[str]) -> NDArray[np.int64]:
    """Return which lists each term is in: terms × lists."""
    return np.array([[term in words for term in terms] for words in lists], np.int64).reshape(len(lists), -1).T


def only_used(counts: sp.csr_array, terms: list[str]) -> tuple[sp.csr_array, list[str]]:
    """Drop the terms that occur in no document."""
    used = np.bincount(counts.indices, minlength=len(terms)) > 0
    return columns_kept(counts, used), list(compress(terms, used))


def in_words(languages: Sequence[str], spoken: NDArray[Any]) -> str | None:
    """Say which share of the documents is in which language; None where no document was recognised."""
    sizes = np.bincount(spoken[spoken >= 0], minlength=len(languages))
    if not sizes.sum():
        return None
    order = np.argsort(-sizes, kind="stable")
    shares = ", ".join(f"{_percent(sizes[i] / sizes.sum())} {NAMES[languages[i]].title()}" for i in order if sizes[i])
    return f"Languages: {shares}; of each document the stop words of its own are left out."


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else "under 1%"
