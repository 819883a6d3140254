"""k-means of points in few dimensions: where documents lie, rather than what they hold."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.backends.gpu.device import on_host
from quire.backends.kernels.compiled import compiled
from quire.backends.kernels.layout import CHAINS, LEAP, WIDTH
from quire.messages import counted
from quire.places.machine import Team, allowed_threads, in_order, single_threaded_blas

_BLOCK = 2048  # points that are looked at together: fixed, so that threads change no bit


class Draws(NamedTuple):
    """Random numbers by which points are chosen: the first one, and for each other one several on [0, 1)."""

    first: int
    others: NDArray[np.float64]


class Points:
    """Points in memory or on a GPU, in plain array operations: what the compiled twin has to come to."""

    def __init__(self, points: Any) -> None:
        self.points, self.n = points, len(points)
        self._squares = (points * points).sum(axis=1)

    def seeds(self, draws: Draws) -> NDArray[np.intp]:
        """Choose points far from each other (:func:`seeds_apart`)."""
        chosen = np.array([draws.first, *[0] * len(draws.others)], np.intp)
        far = np.full(self.n, np.inf, self.points.dtype)
        closest = self._closer(chosen[:1], np.asarray(far, like=self.points))[0]
        for c, drawn in enumerate(draws.others, 1):
            sums = closest.astype(np.float64).cumsum()
            goals = np.asarray(drawn * float(sums[-1]), like=sums)
            candidates = np.minimum(on_host(np.searchsorted(sums, goals)), self.n - 1)
            away = self._closer(candidates, closest)
            best = int(away.sum(axis=1, dtype=np.float64).argmin())
            chosen[c], closest = candidates[best], away[best]
        return chosen

    def _closer(self, candidates: NDArray[np.intp], closest: Any) -> Any:
        """Return squared distances to candidates (rows), or what is given where that is less."""
        there = self.points[candidates]
        away = self._squares[candidates][:, None] + self._squares - 2 * (there @ self.points.T)
        return np.minimum(np.maximum(away, 0), closest)

    def nearest(self, centres: Any) -> tuple[Any, Any]:
        """Return the nearest centre of every point, and the squared distance less the point's own square."""
        scores = self.points @ centres.T - 0.5 * (centres * centres).sum(axis=1)
        return scores.argmax(axis=1), -2 * scores.max(axis=1)

    def sums(self, labels: Any, k: int) -> Any:
        """Return the sum of the points of every cluster."""
        held = labels[:, None] == np.arange(k, like=labels)
        return held.astype(self.points.dtype).T @ self.points


class CpuPoints(Points):
    """Points in memory, worked on by a team of threads."""

    def __init__(self, points: NDArray[Any], team: Team) -> None:
        self.points, self.n, self._team = np.ascontiguousarray(points), len(points), team
        self._padded = np.pad(self.points, ((0, 0), (0, -points.shape[1] % (CHAINS * WIDTH))))
        self._starts = range(0, self.n, _BLOCK)

    def seeds(self, draws: Draws) -> NDArray[np.intp]:
        """Choose them on one core: that it takes hardly any distances, others would only be in the way."""
        chosen = np.array([draws.first, *[0] * len(draws.others)], np.int64)
        whose, away = np.empty(self.n, np.int32), np.empty((1 + draws.others.shape[1], self.n), self.points.dtype)
        room = np.empty((2, max(len(chosen), -(-self.n // LEAP))))
        compiled("spread_out", self.points.dtype)(self._padded, draws.others, chosen, whose, away, room)
        return chosen.astype(np.intp)

    def nearest(self, centres: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Compute blocks of points by BLAS."""
        labels, away = np.empty(self.n, np.int64), np.empty(self.n, self.points.dtype)
        turned, half = np.ascontiguousarray(centres.T), 0.5 * (centres * centres).sum(axis=1)

        run = compiled("nearest_centres", self.points.dtype)

        def part(c: int) -> None:
            run(self.points[self._starts[c] : self._starts[c] + _BLOCK] @ turned, half, labels, away, self._starts[c])

        self._team.run(part, len(self._starts))
        return labels, away

    def sums(self, labels: NDArray[np.intp], k: int) -> NDArray[np.float64]:
        """Add the points of each block up, and the blocks in their order."""
        parts = np.zeros((len(self._starts) * k, self._padded.shape[1]), self.points.dtype)
        whose = labels.astype(np.int64, copy=False)
        run = compiled("cluster_sums", self.points.dtype).on(self._padded, whose, parts, k, _BLOCK)
        cuts = np.linspace(0, len(self._starts), self._team.sharing + 1).astype(int) * _BLOCK
        self._team.run(lambda c: run(cuts[c], min(cuts[c + 1], self.n)), len(cuts) - 1)
        blocks = parts.reshape(len(self._starts), k, -1)[:, :, : self.points.shape[1]]
        return np.asarray(blocks.sum(axis=0, dtype=np.float64))


class Clusters(NamedTuple):
    """The cluster of every point, and the sum of squared distances to its centre."""

    labels: NDArray[np.intp]
    cost: float


def cluster_points(
    points: NDArray[Any], k: int, seed: int, starts: int = 1, rounds: int = 30, n_jobs: int | None = None,
    device: str = "cpu",
) -> NDArray[np.intp]:  # fmt: skip
    """Return the clusters of points by k-means: the best of several starts from k-means++ each."""
    rng = np.random.RandomState(seed)
    with single_threaded_blas(), Team(allowed_threads(n_jobs)) as team:
        held = CpuPoints(points, team) if device == "cpu" else Points(_on_device(points))
        jobs = [(held, k, draws_of(held.n, k, rng), rounds) for _ in range(starts)]
        apart = starts if device == "cpu" and team.n_threads >= starts else 1  # else threads share out each of them
        fits: list[Clusters] = list(in_order(clustered, jobs, apart))
    best: Clusters = min(fits, key=lambda fit: fit.cost)
    return best.labels


def _on_device(points: NDArray[Any]) -> Any:
    import cupy

    return cupy.asarray(points)


def clustered(held: Points, k: int, draws: Draws, rounds: int) -> Clusters:
    """Alternate between the nearest centre of every point and the mean of every centre's points."""
    centres = held.points[held.seeds(draws)]
    labels = None
    for _ in range(rounds):
        new, away = held.nearest(centres)
        if labels is not None and bool((new == labels).all()):
            break
        labels = _refilled(new, away, k)
        sizes = np.bincount(labels, minlength=k)
        centres = (held.sums(labels, k) / sizes[:, None]).astype(centres.dtype)
    labels, away = held.nearest(centres)
    return Clusters(on_host(labels), float(away.sum(dtype=np.float64)))


def seeds_apart(held: Points, k: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Choose k points far from each other: k-means++ with several candidates each (Arthur and Vassilvitskii 2007)."""
    return held.seeds(draws_of(held.n, k, rng))


def draws_of(n: int, k: int, rng: np.random.RandomState) -> Draws:
    """Draw what the choice of k of n points takes: the same numbers as scikit-learn's ``kmeans_plusplus``."""
    if k > n:
        raise ValueError(f"{k} means cannot be chosen from {counted(n, 'document')}: ask for fewer topics.")
    return Draws(int(rng.choice(n, p=np.full(n, 1 / n))), rng.uniform(size=(k - 1, 2 + int(math.log(k)))))


def _refilled(labels: Any, away: Any, k: int) -> Any:
    """Give each centre without points the one that is farthest from its own."""
    sizes = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(on_host(sizes) == 0)
    if not len(empty):
        return labels
    new, sizes = np.array(on_host(labels)), np.array(on_host(sizes))
    farthest = iter(np.argsort(-on_host(away), kind="stable"))
    for centre in empty:
        for point in farthest:
            if sizes[new[point]] > 1:
                sizes[new[point]] -= 1
                new[point], sizes[centre] = centre, 1
                break
    return np.asarray(new, like=labels)
