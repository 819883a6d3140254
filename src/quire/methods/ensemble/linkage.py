"""The consensus of several runs: documents that runs put together, merged into clusters of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def merge_nearest(
    centres: NDArray[np.float64], sizes: NDArray[Any], k: int, least: float = 0.0
) -> NDArray[np.intp]:
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


class _Groups:
    """Groups that are still apart, and how far."""

    def __init__(self, centres: NDArray[np.float64], sizes: NDArray[np.float64]) -> None:
        self.centres, self.sizes, self.alive = centres, sizes, sizes > 0
        self.of = np.arange(len(centres))  # the group that each of the first groups is in
        self.distances = np.array([self._from(i) for i in range(len(centres))])

    def _from(self, one: int) -> NDArray[np.float64]:
        away = np.square(self.centres - self.centres[one]).sum(axis=1)
        away[~self.alive | (np.arange(len(away)) == one)] = np.inf
        return away if self.alive[one] else np.full(len(away), np.inf)

    def merge(self, one: int, other: int) -> None:
        """Put the other into the one."""
        total = self.sizes[one] + self.sizes[other]
        self.centres[one] += (self.centres[other] - self.centres[one]) * (self.sizes[other] / total)
        self.sizes[one], self.alive[other] = total, False
        self.of[self.of == other] = one
        self.distances[other], self.distances[:, other] = np.inf, np.inf
        self.distances[one] = self.distances[:, one] = self._from(one)
