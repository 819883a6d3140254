"""Several runs on documents in memory, and the consensus of them: what the default method learns from."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.backend import as_matrix
from quire.backends.matrix import Matrix
from quire.backends.opening import for_thread
from quire.engine.loop import Keeper
from quire.engine.trace import Step
from quire.methods.ensemble.expectation import Fitted, Holdings, expectation_maximization, mixture_of, shares_of
from quire.methods.ensemble.groups import Groups
from quire.methods.ensemble.membership import MOST, topics_in_runs
from quire.methods.ensemble.mixture import Mixture, Reading, sharpness_of
from quire.methods.ensemble.starts import Start, Starts
from quire.methods.ensemble.votes import summed, votes
from quire.methods.guide import Guide
from quire.places.codec import storable
from quire.places.machine import allowed_threads, in_order
from quire.places.memory import in_blocks

_ON_DEVICE = 4  # runs at a time: what one does in Python, another's kernels run beside
_STARTS = 3  # of k-means, where runs are compared
_SLIGHT = 1e-3  # memberships that do not count when runs are compared
_MOST = 0.75  # share of the topics that must be left with documents when EM has settled
_SEEDS = 0.2  # words that seeds of strength 1 hold, beside those of a topic of usual size
_NARROW = 8  # memberships of a document, in all runs together, of which most are above 0: as where a leaf is parted
_FEWEST = 3  # documents for each group that the consensus merges
_ASTRAY = 0.01  # of the objective, by which runs that NMF began end above the others: NMF does not suit such documents


class Watch:
    """Sees the steps of a fit and knows when to end it."""

    def __init__(self, report: Callable[[Step], Any], tol: float, max_time: float | None) -> None:
        self.report, self.tol, self.max_time = report, tol, max_time
        self.began, self.ended = time.perf_counter(), ""
        self._lock = threading.Lock()  # runs are made side by side, and whoever hears of steps need not know

    def abandon(self) -> None:
        """End all runs that are under way: one of them failed, or Ctrl-C was pressed."""
        self.ended = "interrupted"

    def late(self) -> bool:
        """Say whether the time is over."""
        return self.max_time is not None and time.perf_counter() - self.began >= self.max_time

    def ends(self, step: Step) -> bool:
        """Hear of a step; say whether to end the run."""
        with self._lock:
            if not self.ended and self.report(step):
                self.ended = "callback"
        return bool(self.ended) or step.residual <= self.tol

    def ends_in_time(self, step: Step) -> bool:
        """Hear of a step of the last run, which may be cut short too."""
        return self.ends(step) or self.late()


@storable
class Consensus(NamedTuple):
    """What the runs agree on."""

    mixture: Mixture
    trace: list[Step]
    labels: NDArray[np.intp]
    """The topic of every document (columns) in every run (rows)."""
    roots: list[sp.csr_array]
    """Square roots of the memberships in every run."""
    groups: Groups | None = None
    """What was merged; None where only one run was made."""

    def sharpness(self, mixture: Mixture, X: Matrix, reading: Reading, temper: NDArray[np.float64]) -> float:
        """Return what makes a mixture as sure as the runs agree; 1 where only one was made."""
        if len(self.labels) == 1:
            return 1.0
        scores = mixture.scores(X, reading, temper)
        return sharpness_of(scores, votes(self.labels, scores.argmax(axis=1), len(mixture.sizes)))


class OneRun(NamedTuple):
    """What a run came to."""

    mixture: Mixture
    trace: list[Step]
    labels: NDArray[np.intp]
    roots: sp.csr_array
    """Square roots of the memberships."""


class Made(NamedTuple):
    """The runs of a fit: what it takes to cut their groups at another number of topics."""

    k: int
    """Topics of each run."""
    rows: NDArray[np.intp]
    """The documents that were learnt from."""
    unit: NDArray[np.float64]
    labels: NDArray[np.intp]
    """Their topics in every run (rows)."""
    topics: NDArray[Any]
    """The same of all documents, where they were learnt from a part."""
    roots: list[sp.csr_array]
    groups: Groups
    sharpness: float

    @property
    def finest(self) -> int:
        """The most topics that they can be cut at: each begins with a few documents."""
        return max(self.k, len(self.rows) // _FEWEST)


class EnsembleFit(NamedTuple):
    """What the runs on a part of the documents say of all of them."""

    mixture: Mixture
    trace: list[Step]
    topics: NDArray[Any]
    """The topic of every document (columns) in every run (rows), −1 for none."""
    sharpness: float
    agreed: Consensus


@dataclass(frozen=True)
class Runs:
    """How runs are made (:class:`quire.Ensemble` says what the parameters mean)."""

    n_init: int
    max_iter: int
    last_iter: int
    smoothing: float
    groups: int
    sketch: int
    n_jobs: int | None
    device: str
    watch: Watch
    starts: Starts
    guide: Guide | None = None
    n_words: float = 0.0  # of all documents, where there is a guide

    def _before(self, k: int, n_terms: int) -> float | Holdings:
        """Return what topics hold before any document: a little of every word, and their seeds."""
        if self.guide is None:
            return self.smoothing
        words = np.full((k, n_terms), self.smoothing)
        words[: len(self.guide)] += _SEEDS * self.guide.strength * self.n_words / k * self.guide.words(n_terms)
        return Holdings(words, np.zeros(k))

    def consensus(self, start: Start, matrix: Matrix, reading: Reading, rng: np.random.RandomState) -> Consensus:
        """Make the runs, side by side, and their consensus, on documents of which each has a term."""
        k, jobs = start.k, {run: int(rng.randint(2**31)) for run in range(self.n_init)}
        runs = self._made(start, matrix, reading, jobs)
        if (factorized := astray(start, runs)) and not self.watch.ended:
            by_places = replace(start, balanced=None)
            runs |= self._made(by_places, matrix, reading, {run: jobs[run] for run in factorized})
        made = list(runs.values())[: 1 if self.watch.ended else None]  # others were cut short
        labels, roots = np.array([one.labels for one in made]), [one.roots for one in made]
        if len(made) == 1:
            return Consensus(made[0].mixture, made[0].trace, labels, roots)
        if self.guide is not None:
            shares = summed([np.square(one.toarray()) for one in roots], len(self.guide))
            mixture, trace = self._settled(matrix, shares.argmax(axis=1), k, reading)
            return Consensus(mixture, trace, labels, roots)
        groups = self._common_groups(sp.csr_array(sp.hstack(roots)), k, rng)
        mixture, trace = self._settled(matrix, groups.merged(k), k, reading)
        return Consensus(mixture, trace, labels, roots, groups)

    @property
    def _threads(self) -> int:
        """How many things may be made side by side: a few keep a GPU at work."""
        return allowed_threads(self.n_jobs) if self.device == "cpu" else _ON_DEVICE

    def _made(self, start: Start, matrix: Matrix, reading: Reading, seeds: dict[int, int]) -> dict[int, OneRun]:
        """Make runs, by their numbers, side by side; those for which there was no time are left out."""
        run = partial(self._run, start, matrix, reading)
        runs = in_order(run, list(seeds.items()), min(self._threads, len(seeds)), self.watch.abandon)
        return {number: one for number, one in zip(seeds, runs, strict=True) if one is not None}

    def _run(self, start: Start, matrix: Matrix, reading: Reading, number: int, seed: int) -> OneRun | None:
        """Make a run; None where there is no time for another, or no wish."""
        if number and (self.watch.ended or self.watch.late()):
            return None
        begun, matrix = start.clusters(number, seed), for_thread(matrix)
        mixture, shares, trace = self._improved(matrix, begun, start.k, reading, self.max_iter)
        memberships = matrix.array(shares, start.k) / matrix.dtype.type(matrix.scale)
        return OneRun(mixture, trace, memberships.argmax(axis=1), _roots(memberships, matrix.dtype))

    def cut(self, made: Made, matrix: Matrix, k: int, reading: Reading, rng: np.random.RandomState) -> Consensus:
        """Merge groups until k are left, and improve that: the same runs, whatever k is.

        For many more topics than the runs had, documents are gathered into more groups first.
        """
        groups = made.groups
        if k > made.k and not groups.are_enough(k):
            groups = replace(self, groups=2)._common_groups(sp.csr_array(sp.hstack(made.roots)), k, rng, 1)
        settled = self if k <= made.k else replace(self, last_iter=self.max_iter)  # of finer topics runs say little
        mixture, trace = settled._settled(matrix, groups.merged(k), k, reading)
        return Consensus(mixture, trace, made.labels, made.roots, groups)

    def _settled(
        self, matrix: Matrix, labels: NDArray[np.intp], k: int, reading: Reading
    ) -> tuple[Mixture, list[Step]]:
        """Improve clusters by EM, by fewer steps where so many lose most topics: few documents say too little."""
        for rounds in (self.last_iter, 1):
            mixture, shares, trace = self._improved(matrix, labels, k, reading, rounds)
            held = np.unique(matrix.array(shares, k).argmax(axis=1))
            if len(held) >= _MOST * k or self.watch.ended:
                break
        return mixture, trace

    def consensus_on_all(
        self, X: Any, part: sp.csr_array, start: Start | None, k: int, reading: Reading,
        rng: np.random.RandomState, keeper: Keeper | None = None, made: Made | None = None,
    ) -> EnsembleFit:  # fmt: skip
        """Make the runs and their consensus on a part of the documents, then improve that on all.

        Where runs were ``made`` for another number of topics, their groups are merged to this one.
        """
        terms, n_terms = np.unique(part.indices), X.shape[1]
        part = sp.csr_array(part[:, terms])
        here = self if self.guide is None else replace(self, guide=self.guide.among(terms))
        own = reading.of_words(len(terms))
        temper = reading.temper(part.sum(axis=1, dtype=np.float64))
        with as_matrix(part, self.n_jobs, device=self.device) as matrix:
            agreed: Consensus
            if made is not None:
                agreed = self.cut(made, matrix, k, own, rng)
            else:
                assert start is not None
                agreed = _taken(keeper, "agreed") or here.consensus(start, matrix, own, rng)

            def run(roots: sp.csr_array) -> Mixture:
                mine = for_thread(matrix)
                shares = shares_of(mine, np.square(roots.toarray()))
                return mixture_of(mine, shares, k, here._before(k, len(terms)), own.unit).among(terms, n_terms)

            topics = _taken(keeper, "topics") if made is None else made.topics
            if topics is None:
                runs = [partial(run, roots) for roots in agreed.roots]
                threads = max(1, min(self._threads, MOST // (k * n_terms)))
                topics = topics_in_runs(in_blocks(X, self.device, n_jobs=self.n_jobs), runs, reading, threads)
            if keeper is not None:
                keeper.around(agreed=agreed, topics=topics)
            begun, before = _taken(keeper, "loop") or (agreed.mixture.among(terms, n_terms), [])
            rounds, ends = self.last_iter, self.watch.ends_in_time
            held = self._with_words_of(X, reading)._before(k, n_terms)
            with as_matrix(X, self.n_jobs, device=self.device) as all_of_it:
                mixture, _, trace = expectation_maximization(
                    all_of_it, begun, reading, held, rounds, ends, before, keeper
                )
            sharpness = agreed.sharpness(Mixture(mixture.terms[:, terms], mixture.sizes), matrix, own, temper)
        return EnsembleFit(mixture, trace, topics, sharpness, agreed)

    def _with_words_of(self, X: Any, reading: Reading) -> Runs:
        """Return the same for all documents: seeds hold as much as they did beside a part of them."""
        if self.guide is None:
            return self
        return replace(self, n_words=float((X.sum(axis=0, dtype=np.float64) / reading.unit).sum()))

    def _improved(self, matrix: Matrix, labels: NDArray[np.intp], k: int, reading: Reading, rounds: int) -> Fitted:
        start = np.zeros((len(labels), k), matrix.dtype)
        placed = np.flatnonzero(labels >= 0)
        start[placed, labels[placed]] = 1
        before = self._before(k, matrix.shape[1])
        return expectation_maximization(matrix, start, reading, before, rounds, self.watch.ends)

    def _common_groups(
        self, stacked: sp.csr_array, k: int, rng: np.random.RandomState, starts: int = _STARTS
    ) -> Groups:
        """Return the groups in which all runs' memberships are alike, several for each topic."""
        n_groups = max(k, min(self.groups * k, stacked.shape[0] // _FEWEST))
        group = self.starts.clusters(self._sketched(stacked, rng), n_groups, rng.randint(2**31), starts)
        sizes = np.bincount(group, minlength=n_groups)
        members = sp.csr_array((np.ones(len(group)), (group, np.arange(len(group)))), (n_groups, len(group)))
        centres = (members @ stacked).toarray() / np.maximum(sizes, 1)[:, None]
        return Groups(group, centres, sizes)

    def _sketched(self, stacked: sp.csr_array, rng: np.random.RandomState) -> Any:
        """Return points as far from each other as memberships in all runs, in few dimensions: grouping takes less time.

        A random projection keeps distances (Johnson and Lindenstrauss 1984).
        """
        if stacked.shape[1] <= _NARROW:
            return stacked.toarray()
        if not 0 < self.sketch < stacked.shape[1]:
            return stacked
        signs = rng.randint(0, 2, (stacked.shape[1], self.sketch)) * 2 - 1
        return np.asarray(stacked @ (signs / math.sqrt(self.sketch)).astype(stacked.dtype))


def astray(start: Start, runs: dict[int, OneRun]) -> list[int]:
    """Return the runs that NMF began, where they are far less likely than the others; else none.

    Posts of many even groups are an example: each run of NMF joins some of them and parts others, and as they do not
    err alike, they are outvoted only in part. Such runs are better begun by k-means.
    """
    ends = {number: one.trace[-1].objective for number, one in runs.items() if one.trace}
    factorized = [number for number in ends if start.factorizes(number)]
    others = [end for number, end in ends.items() if number not in factorized]
    if not factorized or not others:
        return []
    usual = float(np.median(others))
    return factorized if np.median([ends[number] for number in factorized]) - usual > _ASTRAY * abs(usual) else []


def _taken(keeper: Keeper | None, name: str) -> Any:
    return None if keeper is None else keeper.take(name)


def _roots(memberships: NDArray[np.float64], dtype: Any) -> sp.csr_array:
    """Return square roots, whose distances are those of distributions (Hellinger); most are as good as 0."""
    least = min(_SLIGHT, 0.5 / memberships.shape[1])
    return sp.csr_array(np.sqrt(np.where(memberships > least, memberships, 0)).astype(dtype))
