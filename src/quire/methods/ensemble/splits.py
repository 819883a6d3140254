"""The documents of one topic parted in two by the default's own mixture, held against words dealt out anew."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.ensemble.embedding import without_topics
from quire.methods.ensemble.estimator import Ensemble, unit_of
from quire.methods.ensemble.halving import Halves, halves_of, mixture_of_parts
from quire.methods.ensemble.mixture import Reading, size_temper

_STARTS = 3  # of which the best is taken
_TRIES = 4  # times that documents are parted: what is tiny is set aside in between
_TINY = 0.02  # of the documents: a smaller part is no topic
_MORE = 3.0  # over √documents: by so much of it two topics must explain more than chance, or there is no structure,
_VARIES = 0.3  # and by this much over √documents: what is gained varies by about so much from document to document
_ALONE, _AWAY = 0.75, 4.0  # of what a document says hardly any other does; standard deviations above the mean
FEWEST = 5  # documents of a topic


class Split(NamedTuple):
    """How documents part: into two topics, and the tiny groups that were set aside before these were seen."""

    terms: NDArray[np.intp]
    """Those that the documents hold which it was learnt from."""
    logs: NDArray[Any]
    """log p(term | part) in the unit of the term (rows), the two topics first; last what a term counts as."""
    log_sizes: NDArray[np.float64]
    gain: float
    """What two topics explain more than one: log-likelihood, tempered, of a document on average."""
    chance: float
    """The same where words are dealt out anew."""
    documents: int
    """That it was learnt from."""
    reading: Reading

    @property
    def has_structure(self) -> bool:
        """Whether two topics explain more than chance would have it, which varies more where documents are few."""
        chance = max(self.chance, 0.0)
        return self.gain - chance > (_MORE * chance + _VARIES) / math.sqrt(self.documents)

    def of(self, X: sp.csr_array) -> NDArray[np.intp]:
        """Return the part of each document: 0 and 1 are topics, others are set aside."""
        logs = np.zeros((X.shape[1], self.logs.shape[1]))
        logs[self.terms] = self.logs
        products = X @ logs
        temper = self.reading.temper(products[:, -1])
        scores = products[:, :-1] * temper[:, None]
        scores += self.log_sizes * size_temper(temper, self.reading.prior)[:, None]
        return np.asarray(scores.argmax(axis=1))


def split_of(X: sp.csr_array, seed: int) -> Split | None:
    """Part documents, each of which holds a term; None where all that parts from the rest is tiny."""
    odd = unlike_the_rest(X)
    terms, unit = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) > 1), unit_of(X.data)
    words = sp.csr_array(X[:, terms].astype(np.float64) / unit)  # a word of one document says nothing of two parts
    reading = _reading()
    rest, aside = np.delete(np.arange(X.shape[0]), odd), [odd] if len(odd) else []
    for _ in range(_TRIES):
        inner = sp.csr_array(words[rest])
        found = parted(inner, reading, seed, _STARTS) if len(rest) >= 2 * FEWEST and inner.nnz else None
        if found is None:
            return None
        smaller = int(np.bincount(found.labels, minlength=2).argmin())
        tiny = rest[found.labels == smaller]
        if len(tiny) >= _least(X.shape[0]):
            parts = _with_aside(found.labels, rest, aside)
            return _described(words, terms, unit, parts, found.gain, _chance(inner, reading, seed), len(rest))
        aside.append(tiny)
        rest = rest[found.labels != smaller]
    return None


def unlike_the_rest(X: sp.csr_array) -> NDArray[np.intp]:
    """Return the documents of tiny groups: nearly all that they say is said by hardly any other."""
    spread = np.bincount(X.indices, minlength=X.shape[1])
    seldom = sp.csr_array((X.data * (spread[X.indices] <= _least(X.shape[0])), X.indices, X.indptr), X.shape)
    share = seldom.sum(axis=1, dtype=np.float64) / X.sum(axis=1, dtype=np.float64)
    odd = np.flatnonzero(share > max(_ALONE, share.mean() + _AWAY * share.std()))
    return odd if len(odd) <= _least(X.shape[0]) else odd[:0]


def _least(n: int) -> float:
    """Return how many of n documents are a topic at least."""
    return max(FEWEST, _TINY * n)


def parted(words: sp.csr_array, reading: Reading, seed: int, starts: int) -> Halves | None:
    """Return the two parts of documents in words; None where there is but one (benchmarks try another way here)."""
    return halves_of(words, reading, seed, starts)


def _chance(words: sp.csr_array, reading: Reading, seed: int) -> float:
    """Return what two topics explain more than one where words are dealt out anew."""
    found = parted(without_topics(words, np.random.RandomState(seed)), reading, seed, 1)
    return 0.0 if found is None else found.gain


def _with_aside(labels: NDArray[np.intp], rest: NDArray[np.intp], aside: list[NDArray[np.intp]]) -> NDArray[np.float64]:
    """Return which of the two topics each document is in, or which of the groups set aside: a column each."""
    shares = np.zeros((len(rest) + sum(map(len, aside)), 2 + len(aside)))
    shares[rest, labels] = 1
    for number, rows in enumerate(aside, 2):
        shares[rows, number] = 1
    return shares


def _described(
    words: sp.csr_array, terms: NDArray[np.intp], unit: float, parts: NDArray[np.float64], gain: float,
    chance: float, documents: int,
) -> Split:  # fmt: skip
    """Say how documents part, with what is set aside beside the two topics, and what that explains."""
    mixture = mixture_of_parts(words, parts)
    logs = np.column_stack([mixture.log_terms(), np.ones(len(terms))]) / unit
    return Split(terms, logs.astype(np.float32), mixture.log_sizes(), gain, chance, documents, _reading())


def _reading() -> Reading:
    return Ensemble(weigh=False)._reading_in(np.ones(0))
