"""How many topics: the numbers at which topics come back when they are learnt from other documents."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.backend import as_matrix
from quire.methods.ensemble.consensus import Runs
from quire.methods.ensemble.mixture import Reading
from quire.methods.ensemble.weights import weighted

_SPLITS = 2  # times that documents are cut into halves
_FEWEST, _EACH, _ALWAYS = 40, 12, 8  # documents to cut in halves; those of a topic, but so many topics are tried anyway
_MOST, _EVERY, _STEPS = 68, 12, 17  # topics to be found by themselves; all numbers up to that are tried; then fewer
_USUAL, _PULL = 8, 0.3  # the middle of what people sort documents into, and what it weighs against agreement
_FINER = 5.0  # times as many, at most, are usual among passages
_RISE = 0.8  # the power of log k by which agreement is expected to fall
_BLUR = 0.08  # of log k: neighbours vouch for each other, since agreement at one number is partly chance
_REACH = 0.23  # of log k: among these numbers the best one is taken, be it 4 or 5
_FILLED = 0.95  # of the topics that must hold a document
_NONE = 0.1  # agreement below which there are no topics to count
_OFFERED, _APART, _AS_GOOD = 3, 1.5, 0.5  # cuts, how many times the next one is, and what it has of the best agreement

WeightsAndPlaces = Callable[[sp.csr_array, int], tuple[NDArray[np.float64], NDArray[Any]]]


class Cut(NamedTuple):
    """A number of topics and what speaks for it."""

    k: int
    agreement: float
    """Adjusted Rand index of topics learnt from different documents, 1 where they are the same."""
    support: float
    """What agreement is worth at this number, less what lies far from the usual one."""


class Passages(NamedTuple):
    """The document that each row is a passage of, and how many passages documents have on average."""

    document: NDArray[np.intp]
    mean: float

    @classmethod
    def of(cls, passages: NDArray[np.int64]) -> Passages:
        """Return them from the number of passages of each document, one after the other."""
        return cls(np.repeat(np.arange(len(passages)), passages), float(passages.sum()) / max(len(passages), 1))

    @property
    def too_few(self) -> bool:
        """Whether there are too few documents to cut in halves, as in one book."""
        return len(np.unique(self.document)) < _FEWEST

    @property
    def usual(self) -> float:
        """The middle of what people sort passages into.

        Who splits documents asks for the subjects within them, which are more than those that whole documents are
        sorted into: by the root of how many passages a document has, as different words grow with a text.
        """
        return _USUAL * min(math.sqrt(self.mean), _FINER)


@dataclass(frozen=True)
class Halves:
    """Learns topics from halves of the documents, and looks at where all documents then are."""

    runs: Runs
    reading: Reading
    weights_and_places: WeightsAndPlaces
    dimensions: int = 20  # that weights of terms are learnt in, for every number of topics alike

    def cuts(self, X: sp.csr_array, lowest: int, highest: int | None, of: Passages | None = None) -> list[Cut]:
        """Return up to three numbers of topics, the best supported one first; none where nothing can be said.

        X is in words, and every document holds one. Where rows are passages, those of one document are in one half:
        they are near each other whatever they speak of.
        """
        ks = numbers_to_try(X.shape, lowest, highest)
        if not len(ks):
            return []
        rng = np.random.RandomState(0)  # the same for every seed: this is no part of what is drawn
        topics = []
        whole = np.arange(X.shape[0]) if of is None or of.too_few else of.document
        for _ in range(_SPLITS):
            order = rng.permutation(np.unique(whole))
            halves = (np.flatnonzero(np.isin(whole, half)) for half in np.array_split(order, 2))
            topics += [self._topics(X, half, ks, rng) for half in halves]
        by_number = [np.array(labels) for labels in zip(*topics, strict=True)]
        held = np.array([np.mean([len(np.unique(one)) for one in labels]) for labels in by_number])
        filled = held >= _FILLED * ks  # where topics stay empty, fewer are enough
        agreement = np.array([mean_agreement(labels) for labels in by_number])
        return supported(ks[filled], agreement[filled], _USUAL if of is None else of.usual)

    def _topics(
        self, X: sp.csr_array, half: NDArray[np.intp], ks: NDArray[np.intp], rng: np.random.RandomState
    ) -> list[NDArray[np.intp]]:
        """Learn k topics from half of the documents, for each k; return the topics of all documents."""
        part = sp.csr_array(X[half])
        weights, places = self.weights_and_places(part, min(self.dimensions, *part.shape))
        everything = weighted(X, weights)
        temper = self.reading.temper(np.asarray(everything.sum(axis=1, dtype=np.float64)).ravel())
        how = (self.runs.n_jobs, self.runs.device)
        with (
            as_matrix(weighted(part, weights), how[0], device=how[1]) as learnt,
            as_matrix(everything, how[0], device=how[1]) as seen,
        ):
            starts = (self.runs.starts.of(places, part, int(k)) for k in ks)
            mixtures = (self.runs.consensus(start, learnt, self.reading, rng).mixture for start in starts)
            return [mixture.scores(seen, self.reading, temper).argmax(axis=1) for mixture in mixtures]


def numbers_to_try(shape: tuple[int, int], lowest: int, highest: int | None) -> NDArray[np.intp]:
    """Return numbers of topics between two, each about a quarter larger than the last but for small ones."""
    documents, terms = shape
    if documents < _FEWEST:
        return np.empty(0, np.intp)
    low, high = max(lowest, 2), min(highest or _MOST, max(documents // _EACH, _ALWAYS), terms)
    if high < low:
        return np.empty(0, np.intp)
    apart = np.geomspace(low, high, _STEPS).round().astype(np.intp)
    return np.unique(np.concatenate([np.arange(low, min(high, _EVERY) + 1), apart]))


def mean_agreement(topics: NDArray[np.intp]) -> float:
    """Return the mean adjusted Rand index of any two of some partitions (rows); 0 for one that parts nothing."""
    from sklearn.metrics import adjusted_rand_score

    values = [
        float(adjusted_rand_score(one, other)) if np.ptp(one) and np.ptp(other) else 0.0
        for one, other in combinations(topics, 2)
    ]
    return float(np.mean(values))


def supported(ks: NDArray[np.intp], agreement: NDArray[np.float64], usual: float = _USUAL) -> list[Cut]:
    """Return the numbers with most support, each 1.5 times another or more; none where nothing agrees."""
    logs = np.log(ks)
    near = np.exp(-0.5 * np.square((logs[:, None] - logs) / _BLUR))
    around, own = (_support(logs, of, usual) for of in (near @ agreement / near.sum(axis=1), agreement))
    left, cuts = np.ones(len(ks), bool), list[Cut]()
    while left.any() and len(cuts) < _OFFERED:
        where = logs[np.where(left, around, -np.inf).argmax()]  # about so many; the number itself is the best there
        best = int(np.where(left & (np.abs(logs - where) <= _REACH), own, -np.inf).argmax())
        if agreement[best] < max(_NONE, _AS_GOOD * cuts[0].agreement if cuts else 0.0):
            break
        cuts.append(Cut(int(ks[best]), float(agreement[best]), float(own[best])))
        left &= np.abs(logs - logs[best]) >= math.log(_APART)
    return cuts


def _support(logs: NDArray[np.float64], agreement: NDArray[np.float64], usual: float) -> NDArray[np.float64]:
    """Return what agreement is worth at numbers of topics whose logarithms these are."""
    # Agreement falls with k by itself, since more topics can be found in more ways: a power of log k makes up for
    # it. Its logarithm counts, −log(1.1 − a), since 0.98 and 0.9 are further apart than 0.6 and 0.52. Numbers
    # were set by labelled corpora (docs/cluster.md).
    worth = -np.log(1 + _NONE - agreement) * logs**_RISE
    return np.asarray(worth - _PULL * np.square(logs - math.log(usual)))
