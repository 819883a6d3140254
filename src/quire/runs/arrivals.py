"""Documents that came to a run and that its topics cannot explain: whether these are new topics, and how many.

Most documents that are unlike a run are only that: one in twenty of any. They are a topic where it comes back: one that
is learnt from half of them has most of the other half. Such a topic is as fine as those of the run: it is two where
its halves are further apart than neighbours among these are.

Documents that say nothing unusual one by one may still be new together: where the documents of a topic, those before
and those that came, part in two, and one part is mostly of those that came, the topic hardly held their like.
"""

from __future__ import annotations

import math
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
from quire.methods.ensemble.halving import halves_of
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
_LOOKED_AT, _STARTS = 500, 3  # documents of a topic, before and since, that are parted; from so many starts
_MOSTLY, _SURELY = 0.8, 4.0  # of a part that is new; times √documents by which it has more that came than from before


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
            return self._with_strangers(self._found(self._unusual))
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

    def _with_strangers(self, groups: list[NDArray[np.intp]]) -> list[NDArray[np.intp]]:
        """Return groups and what came to old topics that never held its like: it joins a group, or is one."""
        known, model = self.model.n_components_, self.grown(groups, rounds=1)
        topics = model.assign(model.transform(self.came))[0]
        for topic in range(known):
            rows = self._strangers(np.flatnonzero(topics == topic), np.flatnonzero(self.topics == topic))
            if len(rows) < self._fewest:
                continue
            near = next((i for i, group in enumerate(groups) if not self._are_two([group, rows])), None)
            if near is not None:
                groups[near] = np.union1d(groups[near], rows)
            elif self._comes_back(rows):
                groups.append(rows)
        return groups

    def _strangers(self, rows: NDArray[np.intp], held: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some documents that came to a topic which are a part of it with hardly any from before."""
        size = min(len(rows), len(held), _LOOKED_AT)
        if size < self._fewest:
            return rows[:0]
        rows, held = (one[np.linspace(0, len(one) - 1, size).astype(np.intp)] for one in (rows, held))
        X = sp.csr_array(sp.vstack([brought(self.before, held), brought(self.came, rows)]))
        found = halves_of(self._in_words(X), Ensemble()._reading_in(np.ones(0)), 0, _STARTS)
        if found is None:
            return rows[:0]
        before, since = (np.bincount(labels, minlength=2) for labels in np.split(found.labels, 2))
        part = int((since - before).argmax())
        old, new, own = int(before[part]), int(since[part]), found.labels[size:] == part
        mostly = new >= _MOSTLY * (old + new) and old <= (1 - _MOSTLY) * size
        return rows[own] if mostly and new - old >= _SURELY * math.sqrt(old + new) else rows[:0]

    def _in_words(self, X: sp.csr_array) -> sp.csr_array:
        """Return documents in words, of terms that two of them hold or more."""
        terms = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) > 1)
        return sp.csr_array(X[:, terms].astype(np.float64) * self._worth(X.shape[1])[terms])

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
        words = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() * self._worth(X.shape[1]) + _SMOOTHING
        return np.asarray(words / words.sum())

    def _worth(self, n_terms: int) -> NDArray[np.float64]:
        """Return what a 1 of each term counts as; a new one counts as it is."""
        worth = np.ones(n_terms)
        own = self.model.worth
        worth[: len(own)] = own
        return worth


def _hellinger(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return 1.0 - float(np.sqrt(one * other).sum())
