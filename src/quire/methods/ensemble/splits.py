"""The documents of one topic parted in two by the default's own mixture, held against words dealt out anew."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp

from quire.backends.backend import as_matrix
from quire.backends.check import silent_rows
from quire.methods.ensemble.embedding import without_topics
from quire.methods.ensemble.estimator import Ensemble, unit_of
from quire.methods.ensemble.mixture import Mixture, Reading, mixture_of, shares_of, size_temper

_RUNS, _DIMENSIONS = 3, 20  # of the default, for two parts
_TRIES = 4  # times that documents are parted: what is tiny is set aside in between
_TINY = 0.02  # of the documents: a smaller part is no topic
_MORE = 3.0  # over √documents: by so much of it two topics must explain more than chance, or there is no structure
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
        return self.gain > (1 + _MORE / math.sqrt(self.documents)) * max(self.chance, 0.0)

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
    terms = np.unique(X.indices)
    X = sp.csr_array(X[:, terms])
    odd = unlike_the_rest(X)
    rest, aside = np.delete(np.arange(X.shape[0]), odd), [odd] if len(odd) else []
    for _ in range(_TRIES):
        found = parted(sp.csr_array(X[rest]), seed, _RUNS) if len(rest) >= 2 * FEWEST else None
        if found is None:
            return None
        smaller = int(np.bincount(found, minlength=2).argmin())
        tiny = rest[found == smaller]
        if len(tiny) >= _least(X.shape[0]):
            return _described(X, terms, found, rest, aside, seed)
        aside.append(tiny)
        rest = rest[found != smaller]
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


def parted(X: sp.csr_array, seed: int, runs: int) -> NDArray[Any] | None:
    """Return the part of each document, 0 or 1, by the default; None where there is but one."""
    # Its weights of terms are left out: of two parts they tell little more, and take half of the time.
    model = Ensemble(2, n_init=runs, dimensions=_DIMENSIONS, weigh=False, coarse=False, random_state=seed, n_jobs=1)
    model.fit(X)
    return np.asarray(model.labels_) if model.n_components_ == 2 else None


def _described(
    X: sp.csr_array, terms: NDArray[np.intp], found: NDArray[Any], rest: NDArray[np.intp],
    aside: list[NDArray[np.intp]], seed: int,
) -> Split:  # fmt: skip
    """Say how documents part, with what is set aside beside the two topics, and what that explains."""
    parts = np.empty(X.shape[0], np.intp)
    parts[rest] = found
    for number, rows in enumerate(aside, 2):
        parts[rows] = number
    mixture, _ = _explained(X, parts, 2 + len(aside))
    logs = np.column_stack([np.log(mixture.terms).T, np.ones(X.shape[1])]) / unit_of(X.data)
    inner = sp.csr_array(X[rest])
    dealt = without_topics(inner, np.random.RandomState(seed))
    dealt = sp.csr_array(dealt[~silent_rows(dealt)])
    other = parted(dealt, seed, 1)
    chance = 0.0 if other is None else _gain(dealt, other)
    reading = _reading(np.ones(0))
    return Split(terms, logs.astype(np.float32), mixture.log_sizes(), _gain(inner, found), chance, len(rest), reading)


def _gain(X: sp.csr_array, parts: NDArray[Any]) -> float:
    """Return what two topics of documents explain more than one does, of a document on average."""
    two, one = (_explained(X, own, k)[1] for own, k in ((parts, 2), (0 * parts, 1)))
    return (two - one) / float(X.shape[0])


def _explained(X: sp.csr_array, parts: NDArray[Any], k: int) -> tuple[Mixture, float]:
    """Return the mixture that parts make, and the tempered log-likelihood of all documents."""
    reading = _reading(np.full(X.shape[1], unit_of(X.data)))
    words, own = reading.in_words(X), reading.of_words(X.shape[1])
    memberships = np.zeros((len(parts), k), X.dtype)
    memberships[np.arange(len(parts)), parts] = 1
    with as_matrix(words, 1) as matrix:
        mixture = mixture_of(matrix, shares_of(matrix, memberships), k, Ensemble.smoothing, own.unit)
        scores = mixture.scores(matrix, own, own.temper(words.sum(axis=1, dtype=np.float64)))
    return mixture, float(logsumexp(scores, axis=1).sum())


def _reading(unit: NDArray[np.float64]) -> Reading:
    return Ensemble(weigh=False)._reading_in(unit)
