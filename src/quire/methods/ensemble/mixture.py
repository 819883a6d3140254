"""A mixture of multinomials on documents, fitted by EM: memberships that are probabilities.

Words of one document are not independent, so a long document would be far too sure. Its log-likelihood is
therefore multiplied by a temper below 1: document i counts as if it had fewer words than it has.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp

from quire.backends.gpu.device import on_host
from quire.backends.kernels.compiled import compiled
from quire.backends.matrix import Factor, Matrix, Progress
from quire.backends.opening import Holding
from quire.engine.loop import Keeper
from quire.engine.trace import Step
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

    def log_terms(self) -> Any:
        """Return log p(term | topic), a row per term, where the terms are."""
        return np.log(self.terms.T)

    def log_sizes(self) -> NDArray[np.float64]:
        """Return log p(topic)."""
        return np.asarray(np.log(np.maximum(self.sizes, np.finfo(np.float64).tiny)))

    def among(self, terms: NDArray[np.intp], n_terms: int) -> Mixture:
        """Return the mixture for a larger vocabulary, of which it knows these terms; others tell nothing."""
        wide = np.ones((len(self.sizes), n_terms))  # not a distribution any more: for scores only
        wide[:, terms] = on_host(self.terms)
        return Mixture(wide, self.sizes)


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


class Holdings(NamedTuple):
    """What topics hold: words (topics × terms), and documents."""

    words: NDArray[np.float64]
    documents: NDArray[np.float64]


def holdings_of(X: Matrix, shares: Factor, k: int, unit: NDArray[np.float64]) -> Holdings:
    """Return what documents with these memberships bring their topics; ``unit``: what a word is in X."""
    words = X.array(X.product("H", shares), k).T.astype(np.float64)
    words *= X.scale / unit
    return Holdings(words, X.column_sums(shares)[:k])


def mixture_of(X: Matrix, shares: Factor, k: int, smoothing: float | Holdings, unit: NDArray[np.float64]) -> Mixture:
    """Return the mixture that documents with these memberships make (the M step).

    Every term is in every topic ``smoothing`` times to begin with, or topics hold something of their own.
    """
    sizes, product = X.column_sums(shares)[:k], X.product("H", shares)
    held: Any = smoothing
    given: Any = getattr(product, "whole", product)  # a row per term, as they lie there
    terms = np.empty((len(given), k), like=given)
    by = np.asarray(X.scale**2 / unit, like=given)[:, None]
    if isinstance(smoothing, Holdings):
        sizes, held = sizes + np.asarray(smoothing.documents, like=sizes), np.asarray(smoothing.words.T, like=given)

    def weighed(rows: slice) -> None:
        np.multiply(given[rows, :k], by[rows], out=terms[rows])
        terms[rows] += held[rows] if isinstance(smoothing, Holdings) else held

    in_pieces(weighed, terms)
    totals = terms.sum(axis=0)
    in_pieces(lambda rows: np.divide(terms[rows], totals, out=terms[rows]), terms)
    return Mixture(terms.T, sizes / sizes.sum())


def shares_of(X: Matrix, memberships: NDArray[Any]) -> Factor:
    """Return memberships as a factor, with a last column that says who takes part."""
    part = memberships.any(axis=1)
    return X.factor(np.column_stack([memberships, part]) * X.dtype.type(X.scale))


class Fitted(NamedTuple):
    """What EM came to."""

    mixture: Mixture
    shares: Factor
    """The memberships as a factor, in no unit, and a last column that says who takes part."""
    trace: list[Step]


def expectation_maximization(
    X: Matrix,
    start: Mixture | NDArray[Any],
    reading: Reading,
    smoothing: float | Holdings,
    rounds: int,
    stopped: Callable[[Step], bool] = lambda step: False,
    before: Sequence[Step] = (),
    keeper: Keeper | None = None,
) -> Fitted:
    """Go from a mixture, or from memberships, to a mixture and back, so many rounds.

    Memberships stay where the back end keeps factors, so that documents may be in row blocks. The objective
    of a step is −Σ log Σ exp(score), the negative tempered log-likelihood; its residual is the share of the
    memberships that moved.
    """
    if isinstance(start, Mixture):
        mixture, k = start, len(start.sizes)
        shares = X.factor(np.broadcast_to(np.zeros((1, 1), X.dtype), (X.shape[0], k + 1)))
        _share(X, shares, start, reading)
    else:
        k, shares = start.shape[1], shares_of(X, start)
    trace = list(before)
    for number in range(len(trace), rounds):
        began = time.perf_counter()
        mixture = mixture_of(X, shares, k, smoothing, reading.unit)
        part = float(X.column_sums(shares)[k])
        objective, moved = _share(X, shares, mixture, reading)
        seconds = time.perf_counter() - began
        trace.append(Step(number + 1, objective, moved / max(2.0 * part, 1.0), seconds))
        if stopped(trace[-1]):
            break
        if keeper is not None:
            keeper.save((mixture.here(), trace))
    return Fitted(mixture.here(), shares, trace)


def lengths_by_topic(X: Matrix, mixture: Mixture, reading: Reading, sharpness: float) -> NDArray[Any]:
    """Return the documents' lengths, in words, × their memberships."""
    n, k = X.shape[0], len(mixture.sizes)
    F = X.factor(np.broadcast_to(np.zeros((1, 1), X.dtype), (n, k + 1)))
    _share(X, F, mixture, reading, sharpness, times_length=True)
    return np.asarray(X.array(F, k) / X.dtype.type(X.scale))


def _share(
    X: Matrix, shares: Factor, mixture: Mixture, reading: Reading, sharpness: float = 1.0, times_length: bool = False
) -> Progress:
    """Set the memberships to the posteriors (the E step); the last column says who takes part."""
    by = np.asarray(reading.unit, like=mixture.terms)
    logs = np.empty((X.shape[1], len(mixture.sizes) + 1), X.dtype, like=mixture.terms)
    terms = mixture.terms.T

    def logarithms(rows: slice) -> None:
        held = np.log(terms[rows])
        held /= by[rows, None]
        logs[rows, :-1] = held

    in_pieces(logarithms, logs)
    logs[:, -1] = 1 / by
    read = (reading.words, reading.power, reading.least, reading.prior)
    step = Posteriors(mixture.log_sizes(), *read, X.scale**3, sharpness, times_length)
    return X.by_rows(shares, X.product("W", X.factor(logs)), logs.shape[1], step)


@dataclass(frozen=True)
class Posteriors:
    """Turns X · log p(term | topic), with the documents' lengths beside it, into memberships."""

    log_sizes: NDArray[np.float64]
    words: float
    power: float
    least: float
    prior: float
    unit: float
    sharpness: float = 1.0
    times_length: bool = False
    tells: ClassVar[str] = "sums"  # what the M step asks for next, where X is in blocks

    def __call__(self, F: NDArray[Any], P: NDArray[Any]) -> tuple[float, float]:
        """Return the negative log-likelihood, and how much moved. The arrays may lie on a device."""
        lengths, temper = self._read(P[:, -1])
        scores = P[:, :-1].astype(np.float64) * (self.unit * temper)[:, None]
        scores += np.asarray(self.log_sizes, like=P) * size_temper(temper, self.prior)[:, None]
        if self.sharpness != 1:
            scores *= self.sharpness
        part, top = lengths > 0, scores.max(axis=1)
        scores -= top[:, None]
        np.exp(scores, out=scores)
        total = scores.sum(axis=1)
        scores *= ((lengths if self.times_length else part) / total)[:, None]
        moved = float(np.abs(scores - F[:, :-1]).sum())
        F[:, :-1] = scores
        F[:, -1] = part
        return -float((part * (top + np.log(total))).sum()), moved

    def compiled(self, F: NDArray[Any], P: NDArray[Any], block: int) -> list[tuple[float, float]]:
        """Do the same to rows in memory that have their padding, by the kernel; tell of each ``block`` of them."""
        k, n = len(self.log_sizes), len(F)
        lengths, temper = self._read(P[:, k])
        part = lengths > 0
        by = np.column_stack(
            [self.unit * temper, size_temper(temper, self.prior), lengths if self.times_length else part]
        )
        logs, report, work = np.zeros(F.shape[1]), np.empty((n, 3)), np.empty((1, F.shape[1]))
        logs[:k] = self.log_sizes
        compiled("posteriors", F.dtype)(P, F, by, logs, k, self.sharpness, work, report, 0, n)
        top, total, moved = report.T
        likely, blocks = part * (top + np.log(total)), [slice(at, at + block) for at in range(0, n, block)]
        return [(-float(likely[at].sum()), float(moved[at].sum())) for at in blocks]

    def _read(self, column: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the documents' lengths, and what their log-likelihoods are multiplied by."""
        lengths = self.unit * column.astype(np.float64)
        return lengths, length_temper(lengths, self.words, self.power, self.least)


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
