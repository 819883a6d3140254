"""Which terms to keep, by how often they occur."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_MOST_COMMON = 0.1  # share of the terms that may be common
FEWEST = {"auto": 5, "shared": 2}  # documents that a term must be in; fewer for a small corpus


def common_threshold(totals: NDArray[Any]) -> float:
    """Return the total above which a term is common (conroy2023 §2.2 step 2).

    Every threshold splits the totals into two populations; a normal is fitted to each by its first two
    moments, and the threshold of the largest total log-likelihood wins.
    """
    # It is the *distinct* totals that are split, with at least 3 on either side: over the list of all totals
    # the many that are 1 have no variance, the likelihood has no bound, and half of the vocabulary goes.
    values = np.unique(np.asarray(totals, np.float64))
    values = values[values > 0]
    m = len(values)
    if m < 6:
        return float("inf")
    below = np.arange(3, m - 2)
    likelihood = _normal_likelihood(values, below) + _normal_likelihood(values[::-1], m - below)
    return float(values[below[np.argmax(likelihood)] - 1])


def _normal_likelihood(values: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Log-likelihood of the first ``count`` values under the normal with their mean and variance."""
    shifted = values - values[0]  # the first values may be nearly equal and far from zero
    sums, squares = np.cumsum(shifted)[counts - 1], np.cumsum(shifted**2)[counts - 1]
    variance = np.maximum(squares / counts - (sums / counts) ** 2, np.finfo(np.float64).tiny)
    return np.asarray(-0.5 * counts * (np.log(2 * np.pi * variance) + 1))


def most_frequent(totals: NDArray[Any], share: float) -> NDArray[np.bool_]:
    """Mark the most frequent terms that make up this share of all counts (conroy2023 §2.2 step 3).

    Terms that occur as often as the last one needed are kept too, so that the order of terms does not matter.
    """
    totals = np.asarray(totals)
    ordered = np.sort(totals)[::-1]
    reached = np.cumsum(ordered, dtype=np.float64)
    if not len(totals) or reached[-1] == 0:
        return np.zeros(len(totals), bool)
    needed = int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12)))
    return np.asarray((totals >= ordered[min(needed, len(ordered) - 1)]) & (totals > 0))


@dataclass(frozen=True)
class Tally:
    """How often terms occur, and in how many documents: known, or counted where a step asks for it."""

    n: int
    totals: Callable[[], NDArray[Any]]
    df: Callable[[], NDArray[Any]]

    @classmethod
    def of(cls, counts: sp.csr_array) -> Tally:
        """Return that of counts in memory."""
        n, d = counts.shape
        totals = cache(lambda: np.asarray(counts.sum(axis=0)).ravel())
        return cls(n, totals, cache(lambda: np.bincount(counts.indices, minlength=d)))


@dataclass(frozen=True)
class Trimming:
    """Which terms to keep: the parameters of :class:`quire.Counts` of the same names."""

    min_count: int = 1
    min_df: float | str = 1
    max_df: float = 1.0
    cut_common: bool = False
    keep_share: float = 1.0
    max_features: int | None = None

    def kept(
        self,
        counts: sp.csr_array | Tally,
        stays: NDArray[np.bool_],
        cut: dict[str, int],
        safe: NDArray[np.bool_] | bool = False,
    ) -> NDArray[np.bool_]:
        """Mark the terms that stay out of those that did so far, and those that no step may drop (``safe``).

        Adds to ``cut`` what each step dropped.
        """
        tally = counts if isinstance(counts, Tally) else Tally.of(counts)
        n, totals, df = tally.n, tally.totals, tally.df
        low, high = self._limits(n)
        kept = stays.copy()
        steps: dict[str, Callable[[], NDArray[np.bool_] | bool]] = {
            "min_count": lambda: self.min_count <= 1 or totals() >= self.min_count,
            "min_df": lambda: low <= 1 or df() >= low,
            "max_df": lambda: high >= n or df() <= high,
            "cut_common": lambda: not self.cut_common or totals() <= _common(totals()[kept]),
            "keep_share": lambda: self.keep_share >= 1 or most_frequent(totals() * kept, self.keep_share),
            "max_features": lambda: self.max_features is None or _first(totals(), kept, int(self.max_features)),
        }
        for name, step in steps.items():
            before = int(kept.sum())
            kept &= step() | np.asarray(safe)
            cut[name] = before - int(kept.sum())
        return kept

    def _limits(self, n: int) -> tuple[float, float]:
        """Return the fewest and the most documents that a term may be in."""
        least: float = min(FEWEST[self.min_df], 1 + n // 100) if isinstance(self.min_df, str) else self.min_df
        limits: tuple[Any, Any] = least, self.max_df  # NumPy's numbers too
        low, high = (float(limit if isinstance(limit, Integral) else limit * n) for limit in limits)
        return low, high


def _first(totals: NDArray[Any], kept: NDArray[np.bool_], n: int) -> NDArray[np.bool_]:
    """Mark the n most frequent of the terms kept so far; of those that are as frequent, the first by name."""
    columns = np.flatnonzero(kept)
    first = np.zeros(len(kept), bool)
    first[columns[np.argsort(-totals[columns], kind="stable")[:n]]] = True
    return first


def columns_kept(counts: sp.csr_array, kept: NDArray[np.bool_]) -> sp.csr_array:
    """Keep some columns, in one pass."""
    number = np.cumsum(kept, dtype=counts.indices.dtype) - 1
    stays = kept[counts.indices]
    before = np.zeros(counts.nnz + 1, counts.indptr.dtype)  # entries that stay before each entry
    np.cumsum(stays, out=before[1:])
    ends = before[counts.indptr]
    del before
    indices = counts.indices[stays]
    np.take(number, indices, out=indices)
    return sp.csr_array((counts.data[stays], indices, ends), shape=(counts.shape[0], int(kept.sum())))


def columns_joined(counts: sp.csr_array, columns: NDArray[Any], width: int, binary: bool = False) -> sp.csr_array:
    """Give every column another number, −1 for none; columns with the same number are added up, or 1 in all."""
    kept = columns >= 0
    counts, columns = columns_kept(counts, kept), columns[kept].astype(np.int32)
    joined = sp.csr_array((counts.data, columns[counts.indices], counts.indptr),
                          shape=(counts.shape[0], width))  # fmt: skip
    joined.sum_duplicates()  # also sorts
    if binary:
        joined.data.fill(1)
    return joined


def _common(totals: NDArray[Any]) -> float:
    """Return the total above which a term is cut; a tenth of all terms are no stop words."""
    threshold = common_threshold(totals)
    return threshold if (totals > threshold).sum() <= _MOST_COMMON * len(totals) else np.inf
