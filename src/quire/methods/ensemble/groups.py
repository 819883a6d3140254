"""Groups of documents that merge into topics: one tree of merges, cut at any number of topics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.places.codec import storable

_EMPTY = 1e-9  # members of a group of none, which is joined all the same
_TINY = 10  # times smaller than topics are on average: that is no topic, and goes to another


@storable
class Groups(NamedTuple):
    """Groups of documents that are alike in all runs: they merge into any number of topics up to their own."""

    of: NDArray[np.intp]
    """The group of every document."""
    centres: NDArray[np.float64]
    sizes: NDArray[np.intp]

    def are_enough(self, k: int) -> bool:
        """Say whether some are left to be merged: else a handful of documents would stay a topic."""
        return 2 * k <= len(self.sizes)

    def merged(self, k: int) -> NDArray[np.intp]:
        """Return the cluster of every document where k are left."""
        if k >= len(self.sizes):
            return self.of
        return merge_nearest(self.centres, self.sizes, k, len(self.of) / (_TINY * k))[self.of]


def merge_nearest(centres: NDArray[np.float64], sizes: NDArray[Any], k: int, least: float = 0.0) -> NDArray[np.intp]:
    """Merge the two groups with the nearest centres until k are left; return the cluster of each group.

    A centre is the mean of a group's members, so that a large group weighs what it holds; but it does not
    cost more to merge large groups, as Ward's criterion has it, and clusters may be of very unequal sizes.
    """
    # A group below ``least`` is not a cluster: merging ends when k others are left, and what is smaller then
    # goes to its nearest neighbour, the smallest first.
    groups = _Groups(np.array(centres, np.float64), np.array(sizes, np.float64))
    while groups.alive.sum() > k and (groups.alive & (groups.sizes >= least)).sum() > k:
        groups.merge(*sorted(divmod(int(groups.distances.argmin()), len(centres))))
    while groups.alive.sum() > k:
        smallest = int(np.where(groups.alive, groups.sizes, np.inf).argmin())
        groups.merge(*sorted((smallest, int(groups.distances[smallest].argmin()))))
    left = np.flatnonzero(groups.alive)
    return np.maximum(np.searchsorted(left, np.where(groups.alive[groups.of], groups.of, -1)), 0)


class Join(NamedTuple):
    """Two of some groups that become one, which then has the number of the first."""

    one: int
    other: int
    loss: float
    """What is lost: by how much more the members of the joint group are apart than those of the two."""


def joins(centres: NDArray[np.float64], sizes: NDArray[Any]) -> list[Join]:
    """Join the two groups that lose least, until one is left; groups of nothing come first and lose nothing.

    The centres being roots of distributions, the loss is a squared Hellinger distance times the members that it holds
    for (Ward's criterion): in words, what the joint topic explains less of its documents.
    """
    groups, made = _Groups(np.array(centres, np.float64), np.maximum(np.array(sizes, np.float64), _EMPTY)), list[Join]()
    for _ in range(len(centres) - 1):
        weights = groups.sizes[:, None] * groups.sizes / (groups.sizes[:, None] + groups.sizes)
        losses = groups.distances * weights
        one, other = sorted(divmod(int(losses.argmin()), len(centres)))
        made.append(Join(one, other, float(losses[one, other])))
        groups.merge(one, other)
    return made


class _Groups:
    """Groups that are still apart, and the squared distances of their centres."""

    def __init__(self, centres: NDArray[np.float64], sizes: NDArray[np.float64]) -> None:
        self.sizes, self.alive = sizes, sizes > 0
        self.of = np.arange(len(centres))  # the group that each of the first groups is in
        lengths = np.square(centres).sum(axis=1)
        self.distances = np.maximum(lengths[:, None] + lengths - 2 * centres @ centres.T, 0)
        self.distances[~self.alive], self.distances[:, ~self.alive] = np.inf, np.inf
        np.fill_diagonal(self.distances, np.inf)

    def merge(self, one: int, other: int) -> None:
        """Put the other into the one; how far its centre then is follows from the distances (Lance and Williams)."""
        total = self.sizes[one] + self.sizes[other]
        first, second = self.sizes[one] / total, self.sizes[other] / total
        away = first * self.distances[one] + second * self.distances[other]
        away -= first * second * self.distances[one, other]
        away[[one, other]] = np.inf
        self.distances[one] = self.distances[:, one] = np.maximum(away, 0)
        self.distances[other] = self.distances[:, other] = np.inf
        self.sizes[one], self.alive[other] = total, False
        self.of[self.of == other] = one
