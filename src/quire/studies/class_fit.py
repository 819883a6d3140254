"""Topics of known classes: W is held at the classes, H is learnt (tsikhanovich2011, figure 12).

W has one number in the row of a document, in the column of its class. Classes do not meet in such a W, so
each row of H is settled by its own documents: it is the projection onto the simplex of their mean, divided by
that number. With 1 for the number, as in the thesis, the mean would have to sum to 1 by itself, and rows of
a weighted matrix do not: a mean that sums to more loses all but its heaviest terms, one that sums to less
spreads the rest over terms that the class never uses. With each document's own total it would fit, but
documents would count by their length: on 20 Newsgroups a few encoded files became most of what
comp.os.ms-windows.misc was about. So the number is the mean total of the class: its documents count alike,
and its row of H is exactly their mean, as shares of terms.

A document takes part in the mean that it is compared with afterwards. That flatters very small classes: a
class of one document never disagrees.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.output import giving_arrays
from quire.methods.simplex import SimplexNMF
from quire.places.machine import available_memory


class ClassFit(NamedTuple):
    """H, a row per class; W and the shares, a column per class. All zero for a class without a word."""

    H: NDArray[Any]
    W: NDArray[Any]
    shares: NDArray[Any]


def class_weights(totals: NDArray[Any], codes: NDArray[np.intp], n_classes: int) -> NDArray[Any]:
    """Return the W that is held: for each document, at its class, the mean total of the class's documents."""
    sizes = np.bincount(codes, minlength=n_classes)
    means = np.bincount(codes, totals, n_classes) / np.maximum(sizes, 1)
    W = np.zeros((len(codes), n_classes), totals.dtype)
    W[np.arange(len(codes)), codes] = means[codes]
    return W


def fit_classes(X: sp.csr_array, codes: NDArray[np.intp], k: int, threads: int | None = None) -> ClassFit:
    """Learn H with W held at the classes, then W of all documents with that H held."""
    _check_memory(X.shape, k)
    known = codes >= 0
    taught = X if known.all() else X[np.flatnonzero(known)]
    held = class_weights(np.asarray(taught.sum(axis=1)).ravel(), codes[known], k)
    spoken = np.flatnonzero(held.any(axis=0))
    if not len(spoken):
        raise ValueError("No document with a label holds a term: there is nothing to learn from.")
    model = giving_arrays(SimplexNMF(fixed="W", n_jobs=threads)).fit(taught, W=held[:, spoken])
    H, W, shares = (np.zeros(shape, X.dtype) for shape in ((k, X.shape[1]), (len(codes), k), (len(codes), k)))
    H[spoken], W[:, spoken] = model.components_, model.transform(X)
    _, shares[:, spoken] = model.assign(W[:, spoken])
    return ClassFit(H, W, shares)


def _check_memory(shape: tuple[int, int], k: int) -> None:
    """Refuse a column of ids, say, before it takes all memory."""
    n, d = shape
    needed = 32 * k * (d + n)  # about four factors of float64 on either side, tables included
    if needed > available_memory():
        raise ValueError(
            f"{k:,} classes of {n:,} documents need {needed / 1e9:,.0f} GB of memory: name a column with "
            "fewer different values with --label, or cut terms with --min-count."
        )


def reads_like(W: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the class that each document has most of, its own where two are even, −1 for none."""
    best, rows = W.argmax(axis=1), np.arange(len(codes))
    content = (codes >= 0) & (W[rows, codes] == W[rows, best])
    return np.where(W.any(axis=1), np.where(content, codes, best), -1)
