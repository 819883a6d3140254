"""Documents that came to a run and that its topics cannot explain: whether these are new topics, and how many.

Most documents that are unlike a run are only that: one in twenty of any. They are a topic where it comes back: one that
is learnt from half of them has most of the other half. Such a topic is as fine as those of the run: it is two where
its halves are further apart than neighbours among these are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire.messages import counted
from quire.methods.ensemble.estimator import Ensemble
from quire.methods.estimator import TopicEstimator
from quire.places.parts import Blocks, brought

UNUSUAL = 0.95  # of the run's own documents one in twenty is above
_COMES_BACK = 0.5  # the share of the other half that a topic learnt from one half must have
_APART = 1.1  # times as far apart as neighbours are that halves of a new topic must be to be two,
_DISJOINT, _ABOUT = 0.6, 0.98  # but for topics with hardly a word in common, which cannot be much further apart
_FEWEST, _OF_USUAL = 8, 0.2  # documents of a new topic; and what it has of the usual size of a topic
_MOST, _OF_TOPIC = 5000, 200  # documents that are looked at, of those that came and of each topic
_SMOOTHING = 0.1
_RUNS = 5  # that say how a group is split


@dataclass(frozen=True, eq=False)
class Arrivals:
    """A model, the documents that it was learnt from, with their topics, and those that came."""

    model: TopicEstimator
    grown: Callable[..., TopicEstimator]  # as :meth:`TopicEstimator.growth` returned it
    before: Blocks
    topics: NDArray[Any]  # of the documents before
    came: Blocks
    novelty: NDArray[np.float64]  # of those that came
    n_jobs: int | None = None

    def groups(self, wanted: int | str) -> list[NDArray[np.intp]]:
        """Return the documents that begin each new topic: as many as are wanted, or as there are."""
        if wanted == "auto":
            return [] if len(self._unusual) < self._fewest else self._found(self._unusual)
        n = int(wanted)
        if n == 0:
            return []
        most = max(len(self._unusual), n * self._fewest)
        rows = np.sort(np.argsort(-np.nan_to_num(self.novelty, nan=-1.0), kind="stable")[:most])
        rows = rows[self.came.row_sums[rows] > 0]
        if len(rows) < n:
            came = counted(len(rows), "document")
            raise ValueError(f"{n} new topics cannot be found in {came} that came: ask for fewer.")
        return self._split(rows, n)

    @property
    def _fewest(self) -> int:
        return max(_FEWEST, int(_OF_USUAL * self.came.shape[0] / self.model.n_components_))

    @property
    def _unusual(self) -> NDArray[np.intp]:
        rows = np.flatnonzero(np.nan_to_num(self.novelty, nan=0.0) > UNUSUAL)
        rows = rows[self.came.row_sums[rows] > 0]
        return rows[:: max(1, -(-len(rows) // _MOST))]

    def _found(self, rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """Return the groups that are topics, among documents that may be none."""
        if len(rows) < self._fewest:
            return []
        halves, returns = self._split(rows, 2), self._comes_back(rows)
        if len(halves) < 2 or (returns and not self._are_two(halves)):
            return [rows] * returns
        return [group for half in halves for group in self._found(half)] or [rows] * returns

    def _comes_back(self, rows: NDArray[np.intp]) -> bool:
        """Say whether a topic that is learnt from every other one of these documents has most of the rest."""
        model = self.grown([rows[::2]], rounds=1)
        X = brought(self.came, rows[1::2])
        topics = model.assign(np.asarray(model.transform(X)))[0]
        return bool((topics == self.model.n_components_).mean() >= _COMES_BACK)

    def _split(self, rows: NDArray[np.intp], n: int) -> list[NDArray[np.intp]]:
        """Return documents in groups of like ones, the largest first."""
        if n == 1:
            return [rows]
        X = sp.csr_array(brought(self.came, rows))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # that one is left of two, which is then no split
            labels = Ensemble(n, n_init=_RUNS, random_state=0, n_jobs=self.n_jobs).fit(X).labels_
        groups = [rows[labels == topic] for topic in range(n)]
        return sorted((group for group in groups if len(group)), key=lambda group: (-len(group), group[0]))

    def _are_two(self, halves: list[NDArray[np.intp]]) -> bool:
        """Say whether halves of a topic are further apart than neighbours are."""
        apart = _hellinger(*(self._words(brought(self.came, rows)) for rows in halves))
        usual = self._neighbours(sum(map(len, halves)) // 2)
        return apart > min(_APART * usual, max(_DISJOINT, _ABOUT * usual))

    def _neighbours(self, size: int) -> float:
        """Return how far apart neighbours among the topics are, seen in so many documents of each."""
        size = min(max(size, _FEWEST), _OF_TOPIC)
        held = [np.flatnonzero(self.topics == topic)[:size] for topic in range(self.model.n_components_)]
        words = [self._words(brought(self.before, rows)) for rows in held if len(rows) >= _FEWEST]
        if len(words) < 2:
            return 1.0
        apart = np.array([[_hellinger(one, other) for other in words] for one in words])
        np.fill_diagonal(apart, np.inf)
        return float(np.median(apart.min(axis=1)))

    def _words(self, X: Any) -> NDArray[np.float64]:
        worth = np.ones(X.shape[1])
        own = self.model.worth
        worth[: len(own)] = own
        words = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() * worth + _SMOOTHING
        return np.asarray(words / words.sum())


def _hellinger(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return 1.0 - float(np.sqrt(one * other).sum())
