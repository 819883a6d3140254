"""A mixture of multinomials on documents, fitted by EM: memberships that are probabilities.

Words of one document are not independent, so a long document would be far too sure. Its log-likelihood is
therefore multiplied by a temper below 1: document i counts as if it had fewer words than it has.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax

from quire.backends.matrix import Matrix
from quire.engine.trace import Step

_ENOUGH = 20_000  # documents to learn one number from
_SHARPEST = (0.1, 10.0)


@dataclass(frozen=True)
class Mixture:
    """Topics with a probability each, and a distribution over terms each."""

    terms: NDArray[Any]  # p(term | topic)
    sizes: NDArray[np.float64]  # p(topic)

    def scores(self, X: Matrix, temper: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return log p(topic) + temper · log p(document | topic), of every document and topic."""
        likelihood = X.array(X.product("W", X.factor(self.log_terms())), len(self.sizes)).astype(np.float64)
        likelihood *= (X.scale**2 * temper)[:, None]
        return likelihood + self.log_sizes()

    def log_terms(self) -> NDArray[Any]:
        """Return log p(term | topic), a row per term."""
        return np.ascontiguousarray(np.log(self.terms).T)

    def log_sizes(self) -> NDArray[np.float64]:
        """Return log p(topic)."""
        return np.asarray(np.log(np.maximum(self.sizes, np.finfo(np.float64).tiny)))

    def among(self, terms: NDArray[np.intp], n_terms: int) -> Mixture:
        """Return the mixture for a larger vocabulary, of which it knows these terms; others tell nothing."""
        wide = np.ones((len(self.sizes), n_terms))  # not a distribution any more: for scores only
        wide[:, terms] = self.terms
        return Mixture(wide, self.sizes)

    def posteriors(self, X: Matrix, temper: NDArray[np.float64], sharpness: float = 1.0) -> NDArray[Any]:
        """Return p(topic | document): rows sum to 1."""
        return np.asarray(softmax(sharpness * self.scores(X, temper), axis=1))


def length_temper(lengths: NDArray[Any], words: float, power: float) -> NDArray[np.float64]:
    """Return min(1, (words / length)^power): what a document's log-likelihood is multiplied by.

    But a document counts as one word at least: of one log count, 0.69, EM would believe less and less.
    """
    lengths = lengths.astype(np.float64)  # they may lie on a device
    temper = (words / np.maximum(lengths, words)) ** power
    few = (lengths > 0) & (lengths < 1)
    return np.where(few, 1 / np.where(few, lengths, np.float64(1)), temper)


def mixture_of(X: Matrix, memberships: NDArray[Any], smoothing: float) -> Mixture:
    """Return the mixture that documents with these memberships make (the M step).

    Every term is in every topic ``smoothing`` times to begin with.
    """
    terms = X.array(X.product("H", X.factor(memberships)), memberships.shape[1])
    if X.scale != 1:
        terms *= X.dtype.type(X.scale**2)
    return smoothed(terms, memberships.sum(axis=0, dtype=np.float64), smoothing)


def smoothed(terms: NDArray[Any], sizes: NDArray[np.float64], smoothing: float) -> Mixture:
    """Return the mixture of topics that hold each term (a row of ``terms``) so often, and documents."""
    found = terms.T.astype(np.float64)
    found += smoothing
    found /= found.sum(axis=1, keepdims=True)
    return Mixture(found, sizes / sizes.sum())


def expectation_maximization(
    X: Matrix,
    memberships: NDArray[Any],
    temper: NDArray[np.float64],
    smoothing: float,
    rounds: int,
    stopped: Callable[[Step], bool] = lambda step: False,
) -> tuple[Mixture, NDArray[np.float64], list[Step]]:
    """Go from memberships to a mixture and back, so many rounds; return both, and the trace.

    The objective of a step is −Σ log Σ exp(score), the negative tempered log-likelihood; its residual is the
    share of the memberships that moved.
    """
    trace: list[Step] = []
    part = memberships.sum(axis=1) > 0
    for number in range(rounds):
        began = time.perf_counter()
        found = mixture_of(X, memberships, smoothing)
        scores = found.scores(X, temper)
        new = softmax(scores, axis=1) * part[:, None]
        moved = float(np.abs(new - memberships).sum()) / max(2.0 * float(part.sum()), 1.0)
        objective = -float(logsumexp(scores[part], axis=1).sum())
        memberships = new
        trace.append(Step(number + 1, objective, moved, time.perf_counter() - began))
        if stopped(trace[-1]):
            break
    return found, memberships, trace


def sharpness_of(scores: NDArray[np.float64], votes: NDArray[Any]) -> float:
    """Return the number to multiply scores by, so that the shares they give are as sure as votes agree.

    It maximises the likelihood of the votes, Σ_i Σ_t v_it log share_it: a calibration that needs no labels.
    """
    rows = np.linspace(0, len(scores) - 1, min(len(scores), _ENOUGH)).astype(np.intp)
    scores, votes = scores[rows] - scores[rows].max(axis=1, keepdims=True), votes[rows]
    said = votes.sum(axis=1)

    def loss(power: float) -> float:
        by = math.exp(power)
        return float((said * logsumexp(by * scores, axis=1)).sum() - by * (votes * scores).sum())

    low, high = _SHARPEST
    return math.exp(minimize_scalar(loss, bounds=(math.log(low), math.log(high)), method="bounded").x)
