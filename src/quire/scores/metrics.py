"""Scores of a clustering against known classes; ``coherence`` and ``distances`` have those that need none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.methods.ensemble.votes import expected_calibration_error
from quire.scores.coherence import Coherence, coherence, diversity
from quire.scores.distances import dispersion, sse, sse_lower_bound

__all__ = [
    "Coherence", "accuracy", "ari", "coherence", "contingency", "coverage_curve", "dispersion", "diversity",
    "entropy", "expected_calibration_error", "mi_hat", "nmi", "purity", "rightly_placed", "scores",
    "soft_nmi", "sparsity", "sse", "sse_lower_bound",
]  # fmt: skip


def contingency(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> NDArray[np.int64]:
    """Count the documents of each class (rows, sorted) in each cluster (columns, sorted).

    Examples
    --------
    >>> from quire.scores.metrics import contingency
    >>> contingency(["a", "a", "b"], [0, 1, 1]).tolist()
    [[1, 1], [0, 1]]
    """
    from sklearn.metrics.cluster import contingency_matrix

    return np.asarray(contingency_matrix(np.asarray(classes), np.asarray(clusters)), np.int64)


def rightly_placed(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> NDArray[np.bool_]:
    """Say of each document whether it is in the cluster that its class is mapped to, by the best map.

    The map is one to one (Hungarian method); with more clusters than classes some clusters have no class. A
    document without a cluster (−1) is never right.

    Examples
    --------
    >>> from quire.scores.metrics import rightly_placed
    >>> rightly_placed(["a", "a", "b", "b"], [1, 1, 0, -1]).tolist()
    [True, True, True, False]
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

    Examples
    --------
    >>> from quire.scores.metrics import accuracy
    >>> accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    right = rightly_placed(classes, clusters)
    return float(right.mean()) if len(right) else 0.0


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

    Examples
    --------
    >>> from quire.scores.metrics import coverage_curve
    >>> coverage_curve([0.9, 0.9, 0.4, 0.9], [0, 0, 0, 1], ["a", "a", "b", "b"], [0.0, 0.5])
    [(0.0, 1.0, 0.75), (0.5, 0.75, 1.0)]
    """
    sure, labels, classes = np.asarray(sure), np.asarray(labels), np.asarray(classes)
    curve = []
    for threshold in thresholds:
        covered = (labels >= 0) & (sure >= threshold)
        right = accuracy(classes[covered], labels[covered]) if covered.any() else float("nan")
        curve.append((float(threshold), float(covered.mean()), right))
    return curve


def purity(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return the share of documents that belong to the largest class of their cluster.

    Examples
    --------
    >>> from quire.scores.metrics import purity
    >>> purity(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    table = contingency(classes, clusters)
    return float(table.max(axis=0).sum() / table.sum())


def nmi(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return 2·MI / (H(C) + H(K)) (tsikhanovich2011 eq. 12).

    Examples
    --------
    >>> from quire.scores.metrics import nmi
    >>> round(nmi(["a", "a", "b", "b"], [1, 1, 0, 0]), 6)
    1.0
    """
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(classes, clusters))


def ari(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return the adjusted Rand index.

    Examples
    --------
    >>> from quire.scores.metrics import ari
    >>> ari(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(classes, clusters))


def mi_hat(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return MI / max(H(C), H(K)) (xu2003 eq. 14).

    Examples
    --------
    >>> from quire.scores.metrics import mi_hat
    >>> round(mi_hat(["a", "a", "b", "b"], [0, 1, 2, 3]), 6)
    0.5
    """
    joint = contingency(classes, clusters) / len(np.asarray(clusters))
    larger = max(_entropy(joint.sum(axis=1)), _entropy(joint.sum(axis=0)))
    return _mutual_information(joint) / larger if larger > 0 else 1.0


def soft_nmi(classes: Sequence[Any] | NDArray[Any], W: NDArray[Any]) -> float:
    """Return the NMI of classes and soft memberships (tsikhanovich2011 eq. 22).

    P(class, topic) sums the rows of W, each brought to sum 1, over the documents of the class, divided by n.
    A row of zeros is spread evenly over all topics.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.scores.metrics import soft_nmi
    >>> round(soft_nmi([1, 1, 2, 2], np.array([[1, 0], [1, 0], [0, 1], [0, 1]])), 6)
    1.0
    """
    W = np.asarray(W, np.float64)
    totals = W.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, W / np.where(totals > 0, totals, 1), 1 / W.shape[1])
    _, number = np.unique(np.asarray(classes), return_inverse=True)
    joint = np.zeros((number.max() + 1, W.shape[1]))
    np.add.at(joint, number, shares / len(W))
    both = _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0))
    return 2 * _mutual_information(joint) / both if both > 0 else 1.0


def entropy(classes: Sequence[Any] | NDArray[Any], clusters: NDArray[Any]) -> float:
    """Return −1/(n log₂ c) Σ n(i, j) log₂(n(i, j)/n(j)), 0 for pure clusters (kim2008 eq. 16).

    Examples
    --------
    >>> from quire.scores.metrics import entropy
    >>> entropy(["a", "a", "b", "b"], [0, 1, 0, 1])
    1.0
    """
    table = contingency(classes, clusters).astype(np.float64)
    inside = table / table.sum(axis=0)
    if len(table) < 2:
        return 0.0
    logs = np.log2(inside, out=np.zeros_like(inside), where=inside > 0)
    return float(-(table * logs).sum() / (table.sum() * np.log2(len(table)))) + 0.0


def sparsity(W: NDArray[Any]) -> float:
    """Return the share of zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.scores.metrics import sparsity
    >>> sparsity(np.array([[0.0, 1.0]]))
    0.5
    """
    return float((np.asarray(W) == 0).mean())


def _entropy(p: NDArray[np.float64]) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _mutual_information(joint: NDArray[np.float64]) -> float:
    apart = _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0))
    return max(0.0, apart - _entropy(joint.ravel()))


def scores(
    classes: Sequence[str | None] | pl.Series, clusters: NDArray[Any], *, covered_only: bool = False
) -> dict[str, float]:
    """Return every score over the documents whose class is known; none where no class is.

    Documents without a topic count as a cluster of their own (and are wrong for the accuracy). With
    ``covered_only`` they are left out, and ``coverage`` is the share of the documents that have a topic.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.scores.metrics import scores
    >>> scores(["a", "a", "b", None], np.array([0, 0, 1, 1]))["accuracy"]
    1.0
    >>> found = scores(["a", "a", "b", "b"], np.array([0, 0, 1, -1]), covered_only=True)
    >>> found["coverage"], found["accuracy"]
    (0.75, 1.0)
    """
    named = pl.Series(classes, dtype=pl.String)
    known = named.is_not_null().to_numpy()
    if not known.any():
        return {}
    truth = named.drop_nulls().rank("dense").to_numpy()  # numbers are compared sooner than names
    found = np.asarray(clusters)[known]
    by_name = {"accuracy": accuracy, "nmi": nmi, "ari": ari, "purity": purity}
    coverage = {}
    if covered_only:
        placed = found >= 0
        coverage["coverage"] = float(placed.mean())
        truth, found = truth[placed], found[placed]
    return coverage | {name: score(truth, found) for name, score in by_name.items() if len(found)}
