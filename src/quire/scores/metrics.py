"""Scores of a clustering against known classes; others are in ``coherence`` and ``distances``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.ensemble.votes import expected_calibration_error
from quire.scores.coherence import Coherence, coherence, diversity
from quire.scores.distances import dispersion, sse, sse_lower_bound

__all__ = [
    "Coherence", "accuracy", "ari", "coherence", "contingency", "coverage", "coverage_curve", "dispersion",
    "diversity", "entropy", "expected_calibration_error", "mi_hat", "nmi", "purity", "rightly_placed",
    "soft_nmi", "sparsity", "sse", "sse_lower_bound",
]  # fmt: skip


_BLOCK = 1 << 16  # documents whose memberships are looked at together


def contingency(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> NDArray[np.int64]:
    """Count the documents of each class (rows, sorted) in each cluster (columns, sorted)."""
    from sklearn.metrics.cluster import contingency_matrix

    return np.asarray(contingency_matrix(np.asarray(classes), np.asarray(clusters)), np.int64)


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
    right = rightly_placed(classes, clusters)
    return float(right.mean()) if len(right) else 0.0


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
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(classes, clusters))


def homogeneity(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return MI / H(C): 1 where every cluster is of one class (Rosenberg and Hirschberg 2007)."""
    from sklearn.metrics import homogeneity_score

    return float(homogeneity_score(classes, clusters))


def completeness(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return MI / H(K): 1 where every class is in one cluster (Rosenberg and Hirschberg 2007)."""
    from sklearn.metrics import completeness_score

    return float(completeness_score(classes, clusters))


def ari(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return the adjusted Rand index."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(classes, clusters))


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
    names, number = np.unique(np.asarray(classes), return_inverse=True)
    joint = np.zeros((len(names), W.shape[1]))
    for start in range(0, len(W), _BLOCK):
        some = np.asarray(W[start : start + _BLOCK], np.float64)
        totals = some.sum(axis=1, keepdims=True)
        shares = np.where(totals > 0, some / np.where(totals > 0, totals, 1), 1 / W.shape[1])
        of = number[start : start + _BLOCK]
        joint += sp.csc_array((np.ones(len(of)), of, np.arange(len(of) + 1)), (len(names), len(of))) @ shares
    joint /= len(W)
    both = _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0))
    return 2 * _mutual_information(joint) / both if both > 0 else 1.0


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
    return float((np.asarray(W) == 0).mean())


def _entropy(p: NDArray[np.float64]) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _mutual_information(joint: NDArray[np.float64]) -> float:
    apart = _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0))
    return max(0.0, apart - _entropy(joint.ravel()))
