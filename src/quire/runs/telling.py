"""How telling a term is for a topic: in many of its documents, and in few others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.kernels.compiled import compiled
from quire.methods.assignment import largest
from quire.places.parts import over_rows
from quire.text.phrases import Phrases

_ERRORS = 2.0  # standard errors by which a number of documents must be above chance
_UNSURE = 1e-4  # what a term counts for that is not above chance by so much
_RARE = 1e-3  # the same for terms in hardly any document at all
_AS_COMMON = 0.5  # the share of p from which a term is as common in another topic
_DENSE = 1 << 23  # counts of topics × terms up to which there is one for each, also where that is 0
_FEWEST = 5  # documents that a term must be in not to be rare; fewer for a small corpus


class Leading(NamedTuple):
    """The most telling terms of a topic, the first one most."""

    columns: NDArray[np.intp]
    documents: NDArray[np.float64]  # of the topic, that hold each
    values: NDArray[np.float64]  # how telling each is

    def at(self, places: NDArray[Any]) -> Leading:
        """Return some of them."""
        return Leading(self.columns[places], self.documents[places], self.values[places])


class Held(NamedTuple):
    """How many documents hold each term, words first and then phrases; how many documents there are."""

    inside: sp.csr_array  # topics × terms
    by_term: sp.csc_array  # the same
    anywhere: NDArray[np.float64]
    sizes: NDArray[np.float64]  # topics × 2: the documents in which words are looked for, and phrases
    n: NDArray[np.float64]  # the same of all topics
    n_words: int

    @property
    def words(self) -> sp.csr_array:
        """How many documents of each topic hold each word."""
        return sp.csr_array(self.inside[:, : self.n_words])

    @classmethod
    def by_topics(cls, counts: Any, labels: NDArray[Any], k: int, phrases: Phrases) -> Held:
        """Count the documents of each topic that hold each term."""
        inside, anywhere = holding(counts, labels, k)
        sizes, n = [np.bincount(labels[labels >= 0], minlength=k)] * 2, [counts.shape[0]] * 2
        if phrases.words:
            some = labels[phrases.rows]
            more, more_anywhere = holding(phrases.present, some, k)
            inside, anywhere = sp.hstack([inside, more], "csr"), np.concatenate([anywhere, more_anywhere])
            sizes[1], n[1] = np.bincount(some[some >= 0], minlength=k), len(some)
        return cls(
            inside,
            sp.csc_array(inside),
            anywhere,
            np.column_stack(sizes).astype(float),
            np.array(n, float),
            counts.shape[1],
        )

    def leading(self, topic: int, n: int) -> Leading:
        """Return the most telling terms of a topic."""
        own = slice(self.inside.indptr[topic], self.inside.indptr[topic + 1])
        columns, documents = self.inside.indices[own].astype(np.intp), self.inside.data[own]
        values = self.values(topic, columns, documents)
        best = largest(values, n)
        return Leading(columns, documents, values).at(best[values[best] > 0])

    def values(
        self, topic: int, columns: NDArray[np.intp], documents: NDArray[np.float64], alone: Any = 1.0
    ) -> NDArray[np.float64]:
        """Return how telling terms are: p · log(p / q), where a share of the documents that hold them counts.

        p is the share of the topic's documents, lowered by two standard errors, q that of the others.
        """
        phrase = (columns >= self.n_words).astype(int)
        own, n, times = self.sizes[topic, phrase], self.n[phrase], documents * alone
        other, rest = n - own, self.anywhere[columns] - documents
        surely = np.maximum(times - _ERRORS * np.sqrt(times), 0) / own
        outside = (rest + 0.5) / (other + 1)
        value = np.maximum(_gain(surely, outside), _UNSURE * _gain(times / own, outside))
        value[documents + rest < np.minimum(_FEWEST, 1 + n // 100)] *= _RARE
        value[(other == 0) | (documents * other <= rest * own)] = 0  # no rounding: shares may be equal
        return value

    def spread(self, topic: int, columns: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return in how many other topics terms are about as common, at least 1: what many share speaks for none."""
        phrase = (columns >= self.n_words).astype(int)
        shares = self.by_term[:, columns].toarray() / np.maximum(self.sizes[:, phrase], 1)
        return np.asarray(np.maximum((shares >= _AS_COMMON * shares[topic]).sum(axis=0) - 1, 1.0))

    def shares(self, topic: int, columns: NDArray[np.intp], documents: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of the topic's documents that hold each term."""
        return np.asarray(documents / np.maximum(self.sizes[topic, (columns >= self.n_words).astype(int)], 1))


def holding(counts: Any, topic: NDArray[Any], k: int) -> tuple[sp.csr_array, NDArray[np.float64]]:
    """Count the documents that hold each term: of every topic (rows), and of all."""
    inside, anywhere = over_rows(documents_holding, counts, topic, args=(k,))[1]
    inside = sp.csr_array(inside, dtype=np.float64)
    inside.sort_indices()
    return inside, anywhere.astype(np.float64)


def documents_holding(counts: sp.csr_array, topic: NDArray[Any], k: int) -> tuple[None, tuple[Any, NDArray[Any]]]:
    """Tell how many documents of a block hold each term: of every topic, and of all."""
    if (counts.data <= 0).any():
        counts = counts.copy()
        counts.eliminate_zeros()
    n, d = counts.shape
    anywhere = np.bincount(counts.indices, minlength=d)
    known = np.flatnonzero(topic >= 0)
    if k * d > _DENSE:
        members = sp.csr_array((np.ones(len(known), np.int32), (topic[known], known)), shape=(k, n))
        ones = np.ones(counts.nnz, np.int32)
        return None, (sp.csr_array(members @ sp.csr_array((ones, counts.indices, counts.indptr), (n, d))), anywhere)
    inside = np.zeros((k, d), np.int32)
    run = compiled("tally", index=counts.indices.dtype)
    run(counts.indptr.astype(np.int64), counts.indices, topic.astype(np.int32), inside, 0, n)
    return None, (inside, anywhere)


def _gain(share: NDArray[np.float64], outside: NDArray[np.float64]) -> NDArray[np.float64]:
    return share * np.log(np.maximum(share / outside, 1.0))
