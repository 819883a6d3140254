"""Where runs begin: clusters of documents, by their places, or by the topics of a short NMF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.engine.points import cluster_points
from quire.methods.ensemble.embedding import balanced_weights
from quire.methods.guide import Guide
from quire.methods.means import KMeans
from quire.methods.nmf import NMF
from quire.methods.output import giving_arrays

_ENOUGH, _ENOUGH_OF_NMF = 30, 20  # iterations: EM makes the same of topics that settle by the last digits
_LEFT_OUT = 0.3  # of the documents that seeds speak for, in a run: what hangs on a few of them is then unsure
_EACH = 5  # documents at least, of a cluster of which it is asked whether it is like a seed
_FEW = 0.5  # of an equal share of the documents: a seed that speaks for fewer leaves most of its own to their likeness
_FEWEST = 40  # documents: of a handful NMF says nothing that k-means does not


@dataclass(frozen=True)
class Starts:
    """How runs begin (:class:`quire.Ensemble` says what the parameters mean)."""

    tau: float
    nmf_every: int
    n_jobs: int | None
    device: str
    of_kmeans: int = 1  # the best of so many is taken

    def of(self, places: NDArray[Any], words: sp.csr_array, k: int) -> Start:
        """Return what begins runs of k topics on documents of which each has a term."""
        factorizes = self.nmf_every and words.shape[0] >= _FEWEST
        balanced = balanced_weights(words, self.tau) if factorizes else None
        return Start(self, places, balanced, k)

    def guided(
        self, guide: Guide, places: NDArray[Any], X: sp.csr_array, rows: NDArray[np.intp], k: int
    ) -> GuidedStart:
        """Return what begins runs of k topics of which the first have seeds; X holds these rows of all."""
        begun = guide.begun(X, rows)
        free = guide.unclaimed(X, begun, k - len(guide)) if k > len(guide) else np.empty(0, np.intp)
        return GuidedStart(self, places, None, k, begun, free, k - len(guide))

    def clusters(self, points: Any, k: int, seed: int, of_kmeans: int) -> NDArray[np.intp]:
        """Return the clusters of points by k-means."""
        if isinstance(points, np.ndarray):
            return cluster_points(points, k, seed, of_kmeans, _ENOUGH, self.n_jobs, self.device)
        model = KMeans(
            k, n_init=of_kmeans, random_state=seed, n_jobs=self.n_jobs, device=self.device, max_iter=_ENOUGH, tol=0
        )
        return np.asarray(model.fit(points).labels_)


@dataclass(frozen=True)
class Start:
    """Documents in which runs begin."""

    how: Starts
    points: NDArray[Any]
    balanced: sp.csr_array | None
    """X as its singular vectors are taken from; None where no run begins with NMF."""
    k: int

    def clusters(self, run: int, seed: int) -> NDArray[np.intp]:
        """Return the clusters in which a run begins.

        k-means likes clusters of one size, NMF those that have words of their own: where only one of the two
        errs, the runs outvote it.
        """
        if not self.factorizes(run):
            return self.how.clusters(self.points, self.k, seed, self.how.of_kmeans)
        model = NMF(
            self.k, init="random", random_state=seed, n_jobs=self.how.n_jobs, device=self.how.device,
            max_iter=_ENOUGH_OF_NMF, tol=0,
        )  # fmt: skip
        return np.maximum(giving_arrays(model).fit(self.balanced).labels_, 0)

    def factorizes(self, run: int) -> bool:
        """Say whether a run begins with NMF."""
        return self.balanced is not None and (run + 1) % self.how.nmf_every == 0


@dataclass(frozen=True)
class GuidedStart(Start):
    """Documents in which guided runs begin: those that seeds speak for in the topics of these."""

    begun: NDArray[np.intp]
    """The seeded topic of each document, −1 for none."""
    free: NDArray[np.intp]
    """Documents that topics without seeds begin with."""
    n_free: int

    def clusters(self, run: int, seed: int) -> NDArray[np.intp]:
        """Return the clusters in which a run begins, −1 for documents that wait; each run leaves out some of them."""
        rng = np.random.RandomState(seed)
        labels = np.where(rng.random_sample(len(self.begun)) < _LEFT_OUT, -1, self.begun)
        if self.n_free:
            labels[self.free] = self._free_topics(seed)
        return labels

    def _free_topics(self, seed: int) -> NDArray[np.intp]:
        """Return the topics that free documents begin in, where some are like those of a seed but lack its words.

        A topic without seeds would begin with such documents, and take those of the seeded one. So there are clusters
        for seeds too: their documents wait, or join a seed that speaks for few and that they are more like than others.
        """
        from scipy.optimize import linear_sum_assignment

        points, first = self.points[self.free], self.k - self.n_free
        spoken_for = np.bincount(self.begun[self.begun >= 0], minlength=first)
        seeds = np.flatnonzero(spoken_for)
        k = self.n_free + len(seeds)
        if not len(seeds) or len(self.free) < _EACH * k:  # no seed speaks for any of a sample, or for nearly all
            return first + self.how.clusters(points, self.n_free, seed, self.how.of_kmeans)
        found = self.how.clusters(points, k, seed, self.how.of_kmeans)
        centres = _directions([points[found == one].sum(axis=0) for one in range(k)])
        alike = _directions([self.points[self.begun == one].sum(axis=0) for one in seeds]) @ centres.T
        among = (centres @ centres.T - 2 * np.eye(k)).max(axis=1)
        rows, columns = linear_sum_assignment(-alike)
        topics = first - 1 + np.cumsum(~np.isin(np.arange(k), columns))
        joins = (alike[rows, columns] > among[columns]) & (spoken_for[seeds] < _FEW * len(self.begun) / self.k)
        topics[columns] = np.where(joins, seeds[rows], -1)
        return np.asarray(topics[found], np.intp)


def _directions(vectors: list[NDArray[Any]]) -> NDArray[np.float64]:
    """Return vectors at length 1."""
    rows = np.array(vectors, np.float64)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))
