"""Scores of a clustering against known classes; others are in ``coherence`` and ``distances``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.check import as_numbers
from quire.methods.ensemble.votes import expected_calibration_error
from quire.places.machine import allowed_threads, in_order
from quire.scores.coherence import Coherence, coherence, diversity
from quire.scores.distances import dispersion, sse, sse_lower_bound

__all__ = [
    "Coherence", "accuracy", "ari", "coherence", "contingency", "coverage", "coverage_curve", "dispersion",
    "diversity", "entropy", "expected_calibration_error", "mi_hat", "nmi", "purity", "rightly_placed",
    "soft_nmi", "sparsity", "sse", "sse_lower_bound",
]  # fmt: skip


_BLOCK = 1 << 16  # documents whose memberships are looked at together
_SPARSE = 4  # numbers of clusters that may be left out, for each document


def contingency(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> NDArray[np.int64]:
    """Count the documents of each class (rows, sorted) in each cluster (columns, sorted)."""
    (row, n_rows), (column, n_columns) = _numbered(classes), _numbered(clusters)
    cells = np.bincount(row * n_columns + column, minlength=n_rows * n_columns)
    return cells.astype(np.int64, copy=False).reshape(n_rows, n_columns)


def _numbered(values: Sequence[Any] | NDArray[Any]) -> tuple[NDArray[np.intp], int]:
    """Return the number of each value among the different ones, sorted, and how many these are."""
    values = np.asarray(values)
    if len(values) and values.dtype.kind in "iu" and np.can_cast(values.dtype, np.int64):
        low, width = int(values.min()), int(values.max()) - int(values.min()) + 1
        if width <= _SPARSE * len(values):  # most often: then no value has to be sorted
            shifted = values.astype(np.intp) - low
            there = np.bincount(shifted, minlength=width) > 0
            return (shifted if there.all() else (np.cumsum(there) - 1)[shifted]), int(there.sum())
    names, number = np.unique(values, return_inverse=True)
    return number.ravel(), len(names)


def rightly_placed(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> NDArray[np.bool_]:
    """Say of each document whether it is in the cluster that its class is mapped to, by the best map.

    The map is one to one (Hungarian method); with more clusters than classes some clusters have no class. A
    document without a cluster (−1) is never right.

    """
    from scipy.optimize import linear_sum_assignment

    classes, clusters = np.asarray(classes), np.asarray(clusters)
    placed, right = np.flatnonzero(clusters >= 0), np.zeros(len(clusters), bool)
    if len(placed):
        classes, clusters = classes[placed], clusters[placed]
        rows, columns = linear_sum_assignment(contingency(classes, clusters), maximize=True)
        names, row = np.unique(classes, return_inverse=True)
        of_class = np.full(len(names), -1)
        of_class[rows] = np.unique(clusters)[columns]
        right[placed] = of_class[row] == clusters
    return right


def accuracy(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return AC: the share of documents in the cluster that its class is mapped to, best map (xu2003 eq. 12).

    Which documents these are, :func:`rightly_placed` says.

    """
    from scipy.optimize import linear_sum_assignment

    classes, clusters = np.asarray(classes), np.asarray(clusters)
    if not len(clusters):
        return 0.0
    placed = clusters >= 0
    table = contingency(classes[placed], clusters[placed])
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / len(clusters))


def coverage(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return the share of documents that have a cluster."""
    return float((np.asarray(clusters) >= 0).mean())


def coverage_curve(
    sure: Sequence[float] | NDArray[Any],
    labels: NDArray[Any],
    classes: Sequence[Any] | NDArray[Any],
    thresholds: Sequence[float] | NDArray[Any],
) -> list[tuple[float, float, float]]:
    """Return what a threshold costs and what it brings: (threshold, coverage, accuracy of those covered).

    Parameters
    ----------
    sure : array of shape (n,)
        How sure each document's topic is: memberships, or confidences.
    labels : array of shape (n,)
        The topics; a document without one (−1) is never covered.
    classes : sequence
        The known classes.
    thresholds : sequence of float
        Documents below one are left out. The accuracy of no document is NaN.

    """
    sure, labels, classes = np.asarray(sure), np.asarray(labels), np.asarray(classes)
    curve = []
    for threshold in thresholds:
        covered = (labels >= 0) & (sure >= threshold)
        right = accuracy(classes[covered], labels[covered]) if covered.any() else float("nan")
        curve.append((float(threshold), float(covered.mean()), right))
    return curve


def purity(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return the share of documents that belong to the largest class of their cluster."""
    table = contingency(classes, clusters)
    return float(table.max(axis=0).sum() / table.sum())


def nmi(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return 2·MI / (H(C) + H(K)) (tsikhanovich2011 eq. 12)."""
    shared, of_classes, of_clusters = _information(contingency(classes, clusters))
    both = of_classes + of_clusters
    return 2 * shared / both if both else 1.0


def homogeneity(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return MI / H(C): 1 where every cluster is of one class (Rosenberg and Hirschberg 2007)."""
    shared, of_classes, _ = _information(contingency(classes, clusters))
    return shared / of_classes if of_classes else 1.0


def completeness(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return MI / H(K): 1 where every class is in one cluster (Rosenberg and Hirschberg 2007)."""
    shared, _, of_clusters = _information(contingency(classes, clusters))
    return shared / of_clusters if of_clusters else 1.0


def ari(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return the adjusted Rand index."""
    table = contingency(classes, clusters)
    n, squares = int(table.sum()), int((table**2).sum())
    # ordered pairs: in one class and one cluster, in one class only, in one cluster only, in neither
    both, one_class, one_cluster = squares - n, *(int((table.sum(axis=a) ** 2).sum()) - squares for a in (1, 0))
    neither = n**2 - squares - one_class - one_cluster
    if not one_class and not one_cluster:
        return 1.0
    apart = (both + one_class) * (one_class + neither) + (both + one_cluster) * (one_cluster + neither)
    return 2.0 * (both * neither - one_class * one_cluster) / apart


def mi_hat(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return MI / max(H(C), H(K)) (xu2003 eq. 14)."""
    joint = contingency(classes, clusters) / len(np.asarray(clusters))
    larger = max(_entropy(joint.sum(axis=1)), _entropy(joint.sum(axis=0)))
    return _mutual_information(joint) / larger if larger > 0 else 1.0


def soft_nmi(classes: Sequence[Any] | NDArray[Any], W: NDArray[Any]) -> float:
    """Return the NMI of classes and soft memberships (tsikhanovich2011 eq. 22).

    P(class, topic) sums the rows of W, each brought to sum 1, over the documents of the class, divided by n.
    A row of zeros is spread evenly over all topics.

    """
    number, n_classes = _numbered(classes)
    if len(np.shape(W)) != 2 or sp.issparse(W) or len(number) != len(W) or not len(W):
        raise ValueError("soft_nmi takes an array of memberships, a row for each of the classes given.")
    jobs = ((number, n_classes, W, start) for start in range(0, len(W), _BLOCK))
    joint = np.zeros((n_classes, W.shape[1]))
    for part in in_order(_joint, jobs, allowed_threads()):
        joint += part
    joint /= len(W)
    both = _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0))
    return 2 * _mutual_information(joint) / both if both > 0 else 1.0


def _joint(number: NDArray[np.intp], n_classes: int, W: NDArray[Any], start: int) -> NDArray[np.float64]:
    """Return the sums of the rows of some documents, by their class."""
    some = np.array(W[start : start + _BLOCK], np.float64)
    totals = some.sum(axis=1, keepdims=True)
    some[totals[:, 0] <= 0], totals[totals <= 0] = 1, W.shape[1]
    shares = np.divide(some, totals, out=some)
    of = number[start : start + _BLOCK]
    members = sp.csc_array((np.ones(len(of)), of, np.arange(len(of) + 1)), (n_classes, len(of)))
    return np.asarray(members @ shares)


def entropy(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return −1/(n log₂ c) Σ n(i, j) log₂(n(i, j)/n(j)), 0 for pure clusters (kim2008 eq. 16)."""
    table = contingency(classes, clusters).astype(np.float64)
    inside = table / table.sum(axis=0)
    if len(table) < 2:
        return 0.0
    logs = np.log2(inside, out=np.zeros_like(inside), where=inside > 0)
    return float(-(table * logs).sum() / (table.sum() * np.log2(len(table)))) + 0.0


def sparsity(W: NDArray[Any]) -> float:
    """Return the share of zeros."""
    values = as_numbers(W, "sparsity")
    if not (n := math.prod(values.shape)):
        raise ValueError("There is nothing whose zeros could be counted: give weights of one document at least.")
    there = values.count_nonzero() if sp.issparse(values) else np.count_nonzero(values)
    return float((n - there) / n)


def _entropy(p: NDArray[np.float64]) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _information(table: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return what classes and clusters tell of each other, and the entropy of each."""
    if not table.size:
        return 0.0, 0.0, 0.0
    return _shared(table), _entropy_of(table.sum(axis=1)), _entropy_of(table.sum(axis=0))


def _shared(table: NDArray[np.int64]) -> float:
    """Return the mutual information, as scikit-learn has it, to the last digit: to import that takes far longer."""
    if 1 in table.shape:
        return 0.0
    row, column = np.nonzero(table)
    times, n = table[row, column], table.sum()
    by_chance = -np.log(table.sum(axis=1)[row] * table.sum(axis=0)[column]) + math.log(n) + math.log(n)
    share = times / n
    each = share * (np.log(times) - math.log(n)) + share * by_chance
    return max(float(np.where(np.abs(each) < np.finfo(np.float64).eps, 0.0, each).sum()), 0.0)


def _entropy_of(sizes: NDArray[np.int64]) -> float:
    """Return the entropy of classes of these sizes, as scikit-learn has it, to the last digit."""
    total = sizes.sum()
    return float(-(sizes / total * (np.log(sizes) - math.log(total))).sum()) if len(sizes) > 1 else 0.0


def _mutual_information(joint: NDArray[np.float64]) -> float:
    apart = _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0))
    return max(0.0, apart - _entropy(joint.ravel()))
