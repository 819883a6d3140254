"""What a run's documents are like, and what speaks for another one being unlike them all: five signs.

Of the run's own documents all is computed as if each were not in it: else they would be too much like it (as their
memberships are, which therefore say nothing here).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_PRIOR = 1000.0  # words of the whole run that every topic holds to begin with
_RARE = 0.1  # how often every term is there to begin with
_AT_ONCE = 500  # documents that are held beside all examples at a time
SIGNS = 5


class Heard(NamedTuple):
    """Documents as they are heard: how often each known term is in them, and how much there is of others."""

    counts: sp.csr_array
    unknown: NDArray[np.float64]  # Σ log(1 + how often)

    def at(self, rows: NDArray[Any]) -> Heard:
        """Return some of them."""
        return Heard(self.counts[rows], self.unknown[rows])


class Signs(NamedTuple):
    """What speaks for documents being new (columns), and how long they are, in log counts."""

    values: NDArray[np.float64]
    lengths: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Profile:
    """In how many documents of each topic each term is, and some documents as examples of these."""

    held: sp.csr_array  # topics × terms
    documents: NDArray[np.int64]  # of each topic
    examples: sp.csr_array  # documents × terms, how often
    whose: NDArray[np.int64]  # the topic of each example

    @cached_property
    def anywhere(self) -> NDArray[np.float64]:
        """In how many documents each term is."""
        return np.asarray(np.bincount(self.held.indices, self.held.data, self.held.shape[1]), np.float64)

    @cached_property
    def least(self) -> float:
        """In how many documents a term is at least, to be known: what counting dropped is in fewer."""
        return float(self.anywhere[self.anywhere > 0].min(initial=np.inf))

    def without(self, topic: int) -> Profile:
        """Return what was known if there had never been a topic."""
        rest, others = np.arange(len(self.documents)) != topic, self.whose != topic
        profile = Profile(self.held[rest], self.documents[rest], self.examples[others], self.whose[others])
        profile.__dict__["least"] = self.least
        return profile

    def signs(self, heard: Heard, own: int | None = None, example: NDArray[Any] | None = None) -> Signs:
        """Return the signs of documents; of the run's ``own`` ones of a topic, as if each were not in it yet.

        They are: words that the run does not know, words that tell little of any topic, or of two topics alike, few of
        a topic's usual words, and no example nearby. ``example``: which of the examples each of the ``own`` ones is,
        −1 for none.
        """
        n, (_, width) = int(self.documents.sum()), heard.counts.shape
        row = np.repeat(np.arange(len(heard.unknown)), np.diff(heard.counts.indptr))
        column, times = heard.counts.indices, np.log1p(heard.counts.data.astype(np.float64))

        def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(np.bincount(row, values, len(heard.unknown)), np.float64)

        def entries(values: NDArray[np.float64]) -> sp.csr_array:
            return sp.csr_array((values, column, heard.counts.indptr), heard.counts.shape)

        others = self.anywhere[column] - (own is not None)
        known = others >= self.least
        unknown = heard.unknown + sums(times * ~known)
        times = times * known
        lengths = sums(times) + unknown
        gain = (entries(times) @ self._gains).toarray() + sums(times)[:, None] * self._offsets
        rare = times * np.log((n + 1) / (np.maximum(others, 0) + 0.5))
        cosine = (entries(rare) @ self._directions).toarray()
        if own is not None:
            held = np.maximum(self.held[[own]].toarray()[0][column] - 1, 0)
            usual = (np.maximum(others, 0) + _RARE) / (self._sizes.sum() + _RARE * width)
            rest = np.maximum(self._sizes[own] - np.diff(heard.counts.indptr), 0)[row] + _PRIOR
            gain[:, own] = sums(times * np.log((held + _PRIOR * usual) / (rest * usual)))
            cosine[:, own] -= sums(rare * self._rarity[column]) / max(self._norms[own], np.finfo(float).tiny)
        norm = np.sqrt(sums(rare**2) + np.log(2) * unknown * np.log(n + 1) ** 2)
        nearest = self._nearest(entries(rare), example)
        of_words = (unknown, -gain.max(axis=1), -_lead(gain))
        of_rare_ones = (-cosine.max(axis=1), -nearest)
        signs = [*(ratio(one, lengths) for one in of_words), *(ratio(one, norm) for one in of_rare_ones)]
        return Signs(np.column_stack(signs), lengths)

    def _nearest(self, rare: sp.csr_array, example: NDArray[Any] | None) -> NDArray[np.float64]:
        """Return the largest product of each document with an example of unit length that it is not itself."""
        nearest = np.zeros(rare.shape[0])
        for at in range(0, len(nearest) if len(self.whose) else 0, _AT_ONCE):
            some = slice(at, at + _AT_ONCE)
            products = (rare[some] @ self._nearby).toarray()
            if example is not None:
                itself = np.flatnonzero(example[some] >= 0)
                products[itself, example[some][itself]] = 0
            nearest[some] = products.max(axis=1)
        return nearest

    @cached_property
    def _sizes(self) -> NDArray[np.float64]:
        return np.asarray(self.held.sum(axis=1, dtype=np.float64)).ravel()

    @cached_property
    def _rarity(self) -> NDArray[np.float64]:
        return np.asarray(np.log((self.documents.sum() + 1) / (self.anywhere + 0.5)))

    @cached_property
    def _gains(self) -> sp.csr_array:
        """What a term (row) says for a topic against all, log p(term | topic) / p(term), beyond ``_offsets``."""
        usual = (self.anywhere + _RARE) / (self._sizes.sum() + _RARE * self.held.shape[1])
        return sp.csr_array(self._like(np.log1p(self.held.data / (_PRIOR * usual[self.held.indices]))).T)

    @cached_property
    def _offsets(self) -> NDArray[np.float64]:
        return np.asarray(np.log(_PRIOR / (self._sizes + _PRIOR)))

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        squares = self._like((self.held.data * self._rarity[self.held.indices]) ** 2)
        return np.asarray(np.sqrt(squares.sum(axis=1))).ravel()

    @cached_property
    def _directions(self) -> sp.csr_array:
        """The topics' usual terms (rows), rare ones counting more, of unit length."""
        by = np.repeat(ratio(np.ones(len(self._norms)), self._norms), np.diff(self.held.indptr))
        return sp.csr_array(self._like(self.held.data * self._rarity[self.held.indices] * by).T)

    @cached_property
    def _nearby(self) -> sp.csr_array:
        """The examples' terms (rows), rare ones counting more, of unit length."""
        some = self.examples
        values = np.log1p(some.data.astype(np.float64)) * self._rarity[some.indices] * (self.anywhere[some.indices] > 0)
        row = np.repeat(np.arange(some.shape[0]), np.diff(some.indptr))
        norms = np.sqrt(np.bincount(row, values**2, some.shape[0]))
        by = ratio(np.ones(len(norms)), norms)[row]
        return sp.csr_array(sp.csr_array((values * by, some.indices, some.indptr), some.shape).T)

    def _like(self, values: NDArray[np.float64]) -> sp.csr_array:
        return sp.csr_array((values, self.held.indices, self.held.indptr), self.held.shape)


def _lead(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the largest of each row exceeds the next; 0 where there is but one."""
    if gain.shape[1] < 2:
        return np.zeros(len(gain))
    ranked = np.partition(gain, -2, axis=1)
    return np.asarray(ranked[:, -1] - ranked[:, -2])


def ratio(values: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values divided by others; 0 where these are."""
    return np.divide(values, by, out=np.zeros(len(values)), where=by > 0)
