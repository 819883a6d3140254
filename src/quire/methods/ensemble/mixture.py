"""A mixture of multinomials on documents, fitted by EM: memberships that are probabilities.

Words of one document are not independent, so a long document would be far too sure. Its log-likelihood is
therefore multiplied by a temper below 1: document i counts as if it had fewer words than it has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp

from quire.backends.gpu.device import on_host
from quire.backends.matrix import Matrix
from quire.backends.opening import Holding
from quire.places.codec import storable
from quire.places.machine import in_pieces

_ENOUGH = 20_000  # documents to learn one number from
_SHARPEST = (0.1, 10.0)


@storable
@dataclass(frozen=True)
class Mixture:
    """Topics with a probability each, and a distribution over terms each."""

    terms: Any  # p(term | topic): an array, on a device while it is learnt there
    sizes: NDArray[np.float64]  # p(topic)

    def here(self) -> Mixture:
        """Return it in memory."""
        return Mixture(on_host(self.terms), self.sizes)

    def scores(self, X: Matrix, reading: Reading, temper: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return temper^prior · log p(topic) + temper · log p(document | topic), of every document and topic.

        Were the topics' sizes not tempered where the words are, large topics would swallow whatever is unsure.
        """
        likelihood = X.array(X.product("W", X.factor(self.log_terms())), len(self.sizes)).astype(np.float64)
        likelihood *= (X.scale**2 * temper)[:, None]
        return likelihood + self.log_sizes() * size_temper(temper, reading.prior)[:, None]

    @property
    def like(self) -> Any:
        """Return an array with a row per term."""
        return self.terms.T

    def rows(self, some: slice) -> Any:
        """Return p(term | topic) of some terms, a row each."""
        return self.terms.T[some]

    def log_terms(self) -> Any:
        """Return log p(term | topic), a row per term, where the terms are."""
        return np.log(self.terms.T)

    def log_sizes(self) -> NDArray[np.float64]:
        """Return log p(topic)."""
        return logs_of(self.sizes)

    def among(self, terms: NDArray[np.intp], n_terms: int) -> Mixture:
        """Return the mixture for a larger vocabulary, of which it knows these terms; others tell nothing."""
        wide = np.ones((len(self.sizes), n_terms))  # not a distribution any more: for scores only
        wide[:, terms] = on_host(self.terms)
        return Mixture(wide, self.sizes)


def logs_of(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logs of topics' sizes; that of an empty one is finite."""
    return np.asarray(np.log(np.maximum(sizes, np.finfo(np.float64).tiny)))


def length_temper(lengths: NDArray[Any], words: float, power: float, least: float = 1.0) -> NDArray[np.float64]:
    """Return min(1, (words / length)^power): what a document's log-likelihood is multiplied by.

    But a document counts as ``least`` words at least: of one log count, 0.69, EM would believe less and less.
    """
    lengths = lengths.astype(np.float64)  # they may lie on a device
    temper = (words / np.maximum(lengths, words)) ** power
    few = (lengths > 0) & (lengths < least)
    return np.where(few, least / np.where(few, lengths, np.float64(1)), temper)


def size_temper(temper: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
    """Return what the log of the topics' sizes is multiplied by, which is never more than 1."""
    return np.minimum(temper, 1.0) ** prior


@dataclass(frozen=True)
class Reading:
    """How documents are read."""

    unit: NDArray[np.float64]  # what a word is in X, for each term
    words: float  # as for :func:`length_temper`
    power: float
    least: float = 1.0
    prior: float = 0.0  # the power of the temper that the log of the topics' sizes is multiplied by
    n_jobs: int | None = None  # threads

    def in_words(self, X: sp.csr_array) -> sp.csr_array:
        """Return X in the unit in which a word that occurs once is log 2, as among log counts."""
        words = np.empty_like(X.data)

        def read(some: slice) -> None:
            words[some] = X.data[some] / self.unit[X.indices[some]]

        in_pieces(read, words)
        return sp.csr_array((words, X.indices, X.indptr), X.shape)

    def of_words(self, n_terms: int) -> Reading:
        """Return how documents are read that are in words already."""
        return replace(self, unit=np.ones(n_terms))

    def temper(self, lengths: NDArray[Any]) -> NDArray[np.float64]:
        """Return what the documents' log-likelihoods are multiplied by."""
        return length_temper(lengths, self.words, self.power, self.least)

    def open(self, block: sp.csr_array, device: str) -> Matrix:
        """Return a block that is in words in the hands of a back end."""
        return Holding(self.n_jobs, device).open(block)


def sharpness_of(scores: NDArray[np.float64], votes: NDArray[Any]) -> float:
    """Return the number to multiply scores by, so that the shares they give are as sure as votes agree.

    It maximises the likelihood of the votes, Σ_i Σ_t v_it log share_it: a calibration that needs no labels.
    """
    from scipy.optimize import minimize_scalar  # here: other methods do without, and it takes long to import

    rows = np.linspace(0, len(scores) - 1, min(len(scores), _ENOUGH)).astype(np.intp)
    scores, votes = scores[rows] - scores[rows].max(axis=1, keepdims=True), votes[rows]
    n_votes = votes.sum(axis=1)

    def loss(power: float) -> float:
        by = math.exp(power)
        return float((n_votes * logsumexp(by * scores, axis=1)).sum() - by * (votes * scores).sum())

    low, high = _SHARPEST
    return math.exp(minimize_scalar(loss, bounds=(math.log(low), math.log(high)), method="bounded").x)
