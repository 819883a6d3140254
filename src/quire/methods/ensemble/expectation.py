"""Expectation maximization: from memberships to a mixture, and back, wherever a back end keeps them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from quire.backends.kernels.compiled import compiled
from quire.backends.kernels.layout import WIDTH
from quire.backends.matrix import Factor, Matrix, Progress
from quire.engine.loop import Keeper
from quire.engine.trace import Step
from quire.methods.ensemble.mixture import Mixture, Reading, length_temper, logs_of, size_temper
from quire.places.machine import in_pieces, in_ranges

_TERMS = 2048  # that are added up together, by one thread


class Holdings(NamedTuple):
    """What topics hold: words (topics × terms), and documents."""

    words: NDArray[np.float64]
    documents: NDArray[np.float64]


def holdings_of(X: Matrix, shares: Factor, k: int, unit: NDArray[np.float64]) -> Holdings:
    """Return what documents with these memberships bring their topics; ``unit``: what a word is in X."""
    words = X.array(X.product("H", shares), k).T.astype(np.float64)
    words *= X.scale / unit
    return Holdings(words, X.column_sums(shares)[:k])


@dataclass(frozen=True, eq=False)
class MStep:
    """What the M step comes to, looked at a few terms at a time: an array of all is read slower than it is made."""

    given: Any  # of each term (rows), what the documents of each topic hold, and padding
    by: Any  # what makes words of that, for each term
    held: Any  # words of every term in every topic before any document: a number, or a row per term
    documents: NDArray[np.float64]  # of each topic
    totals: Any = field(init=False)  # the words of each topic: found out at once, before threads ask for it

    def __post_init__(self) -> None:
        object.__setattr__(self, "totals", self._added_up())

    def _added_up(self) -> Any:
        n, k = len(self.given), len(self.documents)
        if self._by_kernels:
            bounds = np.append(np.arange(0, n, _TERMS), n)
            report = np.empty((len(bounds) - 1, k))
            run = compiled("share_sums", self.given.dtype).on(
                self.given, self._factors(self.by), k, self.held, report, bounds
            )
            in_ranges(run, len(report), 1)
            return report.sum(axis=0)
        sums: dict[int, Any] = {}

        def add(some: slice) -> None:
            sums[some.start] = self._words(some).sum(axis=0)

        in_pieces(add, self.given)
        return sum(sums[at] for at in sorted(sums))

    @property
    def like(self) -> Any:
        """An array with a row per term."""
        return self.given

    @property
    def sizes(self) -> NDArray[np.float64]:
        """Return p(topic)."""
        return np.asarray(self.documents / self.documents.sum())

    def log_sizes(self) -> NDArray[np.float64]:
        """Return log p(topic)."""
        return logs_of(self.sizes)

    def rows(self, some: slice) -> Any:
        """Return p(term | topic) of some terms, a row each."""
        terms = self._words(some)
        terms /= self.totals
        return terms

    def logs(self, unit: NDArray[np.float64], dtype: Any) -> Any:
        """Return log p(term | topic) / unit, a row per term, and 1 / unit in a last column."""
        if not self._by_kernels:
            return _logs(self, unit, dtype)
        k, logs = len(self.documents), np.empty_like(self.given)
        totals = np.append(self.totals, np.ones(logs.shape[1] - k))
        run = compiled("share_logs", logs.dtype).on(
            self.given, self._factors(self.by, unit), totals, k, self.held, logs
        )
        in_ranges(run, len(logs), _TERMS)
        return logs[:, : k + 1]

    def whole(self) -> Mixture:
        """Write it down."""
        terms = np.empty((len(self.given), len(self.documents)), like=self.given)

        def write(some: slice) -> None:
            terms[some] = self.rows(some)

        in_pieces(write, self.given)
        return Mixture(terms.T, self.sizes)

    @property
    def _by_kernels(self) -> bool:
        """Whether compiled code can do it, which asks for the GIL once: several runs at a time would wait for it."""
        given = self.given
        padded = isinstance(given, np.ndarray) and given.flags.c_contiguous and given.shape[1] % WIDTH == 0
        return padded and isinstance(self.held, float) and self.held > 0

    def _factors(self, *of_terms: Any) -> NDArray[np.float64]:
        return np.column_stack([np.asarray(one, np.float64) for one in of_terms])

    def _words(self, some: slice) -> Any:
        terms = self.given[some, : len(self.documents)] * self.by[some, None]
        terms += self.held if isinstance(self.held, float) else self.held[some]
        return terms


def mixture_of(X: Matrix, shares: Factor, k: int, smoothing: float | Holdings, unit: NDArray[np.float64]) -> Mixture:
    """Return the mixture that documents with these memberships make (the M step).

    Every term is in every topic ``smoothing`` times to begin with, or topics hold something of their own.
    """
    return _m_step(X, shares, X.column_sums(shares)[:k], smoothing, unit).whole()


def _m_step(
    X: Matrix, shares: Factor, documents: NDArray[Any], smoothing: float | Holdings, unit: NDArray[np.float64]
) -> MStep:
    product = X.product("H", shares)
    given: Any = getattr(product, "whole", product)  # a row per term, as they lie there
    by = np.asarray(X.scale**2 / unit, like=given)
    if not isinstance(smoothing, Holdings):
        return MStep(given, by, float(smoothing), documents)
    documents = documents + np.asarray(smoothing.documents, like=documents)
    return MStep(given, by, np.asarray(smoothing.words.T, like=given), documents)


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
        k = len(start.sizes)
        shares = X.factor(np.broadcast_to(np.zeros((1, 1), X.dtype), (X.shape[0], k + 1)))
        _share(X, shares, start, reading)
    else:
        k, shares = start.shape[1], shares_of(X, start)
    trace, step = list(before), cast(MStep | None, None)
    for number in range(len(trace), rounds):
        began = time.perf_counter()
        *documents, part = X.column_sums(shares)[: k + 1]
        step = _m_step(X, shares, np.array(documents), smoothing, reading.unit)
        objective, moved = _share(X, shares, step, reading)
        seconds = time.perf_counter() - began
        trace.append(Step(number + 1, objective, moved / max(2.0 * float(part), 1.0), seconds))
        if stopped(trace[-1]):
            break
        if keeper is not None:
            keeper.save((step.whole().here(), trace))
    mixture = cast(Mixture, start) if step is None else step.whole()
    return Fitted(mixture.here(), shares, trace)


def lengths_by_topic(X: Matrix, mixture: Mixture, reading: Reading, sharpness: float) -> NDArray[Any]:
    """Return the documents' lengths, in words, × their memberships."""
    n, k = X.shape[0], len(mixture.sizes)
    F = X.factor(np.broadcast_to(np.zeros((1, 1), X.dtype), (n, k + 1)))
    _share(X, F, mixture, reading, sharpness, times_length=True)
    return np.asarray(X.array(F, k) / X.dtype.type(X.scale))


def _share(
    X: Matrix, shares: Factor, mixture: Mixture | MStep, reading: Reading, sharpness: float = 1.0,
    times_length: bool = False,
) -> Progress:  # fmt: skip
    """Set the memberships to the posteriors (the E step); the last column says who takes part."""
    told = reading.unit, X.dtype
    logs = mixture.logs(*told) if isinstance(mixture, MStep) else _logs(mixture, *told)
    read = (reading.words, reading.power, reading.least, reading.prior)
    step = Posteriors(mixture.log_sizes(), *read, X.scale**3, sharpness, times_length)
    return X.by_rows(shares, X.product("W", X.factor(logs)), logs.shape[1], step)


def _logs(mixture: Mixture | MStep, unit: NDArray[np.float64], dtype: Any) -> Any:
    """Return log p(term | topic) / unit, a row per term, and 1 / unit in a last column."""
    by = np.asarray(unit, like=mixture.like)
    logs = np.empty((len(by), len(mixture.sizes) + 1), dtype, like=mixture.like)

    def write(rows: slice) -> None:
        held = np.log(mixture.rows(rows))
        held /= by[rows, None]
        logs[rows, :-1] = held

    in_pieces(write, logs)
    logs[:, -1] = 1 / by
    return logs


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
