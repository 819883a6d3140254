"""What is remembered of a stream for the losses other than least squares (Lefèvre, Bach and Févotte 2011).

A multiplicative update is H ← H ∘ (q / v)^γ with q = Wᵀ(X ∘ Y^(β − 2)), v = WᵀY^(β − 1) and Y = WH. Of documents seen
H^(1/γ) ∘ q and v are summed; H is their quotient to the power γ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.reference.losses import floors
from quire.engine.rules.rule import Penalty


class Quotients(NamedTuple):
    """The two sums, k × n_features, and as how many documents those that went into them still count."""

    above: NDArray[np.float64]
    below: NDArray[np.float64]
    documents: float

    def faded(self, by: float) -> Quotients:
        """Return what is left of it."""
        return Quotients(self.above * by, self.below * by, self.documents * by)

    def joined(self, new: Quotients) -> Quotients:
        """Return both together."""
        return Quotients(self.above + new.above, self.below + new.below, self.documents + new.documents)

    def of_before(self, H: NDArray[Any], beta: float, documents: float) -> Quotients:
        """Return what so many documents like these would have left, had they led to H: no term is then unheard of."""
        below = self.below * (documents / self.documents)
        return Quotients(np.asarray(H, np.float64) ** _power(beta) * below, below, documents)

    def topics(self, H: NDArray[Any], beta: float, penalty: Penalty) -> NDArray[Any]:
        """Return the H that they ask for; a topic without any weight stays as it is."""
        below = self.below + penalty.l1 + penalty.l2 * H
        ratio = np.divide(self.above, below, out=np.asarray(H, np.float64) ** _power(beta), where=below > 0)
        return np.ascontiguousarray(ratio ** (1 / _power(beta)), H.dtype)


def quotients(X: Any, W: NDArray[Any], H: NDArray[Any], beta: float, documents: float) -> Quotients:
    """Return what a batch with these weights adds. Kullback–Leibler needs the entries of X alone."""
    w, h = np.asarray(W, np.float64), np.asarray(H, np.float64)
    least, slope = (float(number) for number in floors(np.dtype(np.float64), beta))
    if beta == 1 and sp.issparse(X):
        rows, columns = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices
        y = sum(w[rows, t] * h[t, columns] for t in range(len(h)))
        shares = X.data / np.maximum(y, least + slope * X.data)
        pulled = (sp.csr_array((shares, X.indices, X.indptr), X.shape).T @ w).T
        return Quotients(h * pulled, np.broadcast_to(w.sum(axis=0)[:, None], h.shape).copy(), documents)
    x = np.asarray(X.toarray() if sp.issparse(X) else X, np.float64)
    y = np.maximum(w @ h, least + slope * x)
    pulled, pushed = w.T @ (x * y ** (beta - 2)), w.T @ y ** (beta - 1)
    return Quotients(h ** _power(beta) * pulled, pushed, documents)


def _power(beta: float) -> float:
    """1 / γ."""
    return max(2 - beta, 1.0, beta - 1)
