"""One topic per document: k-means, spherical k-means, and NMF with orthogonal W (kim2008 eq. 19).

All three minimise ½‖X − WH‖² with one non-zero in every row of W, and differ in what it may be:

==============  =========================  ======================================================
``means``       1                          h_t is the mean of its documents (kim2008 eq. 4)
``directions``  1, and ‖h_t‖ = 1           rows of X of length 1: largest cosine (spherical k-means)
``orthogonal``  x·h_t / ‖h_t‖²             the best multiple; columns of W to length 1 at the end: WᵀW = I
==============  =========================  ======================================================

Eq. 19, min ‖X − WWᵀX‖ over W ≥ 0 with WᵀW = I: such a W has one non-zero a row, and WᵀX is the best H for it.
So it is the last of the three, for which alternating is exact in both half steps (its authors left the
algorithm open; compare Pompili, Gillis, Absil and Glineur, Neurocomputing 2014).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.engine.rules.rule import LeastSquares, quotient
from quire.places.codec import storable

KINDS = ("means", "directions", "orthogonal")


@storable
@dataclass(frozen=True)
class Single(LeastSquares):
    """One topic for every document, in one of three kinds."""

    kind: str = "means"  # see the table above
    one: float = 1.0  # what a document weighs, for the first two
    extrapolates = False
    documents_first = True  # a topic that lost its documents gets one in W, and becomes that one in H

    def scaled(self, scale: float) -> Self:
        """Scale what a document weighs."""
        return replace(self, one=self.one / scale)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Give every document to one topic; or set the topics to what fits their documents best."""
        product = X.product(side, other)
        if side == "W":
            done = X.by_rows(factor, product, len(gram), lambda F, P: self._choose(F, P, gram))
            emptied = np.flatnonzero(X.column_sums(factor)[: len(gram)] == 0)
            return done if not len(emptied) else self._refill(X, factor, product, gram, emptied)
        sizes, squares = np.diag(gram), np.diag(X.gram(product))[: len(gram)]
        # W has one entry a row, so that topics do not meet: each is its documents' sum over their size. Where
        # it must have length 1, that is `one` = 1 / scale here, for W's are `one` and rows of X 1 / scale².
        over, length = (np.sqrt(squares), self.one) if self.kind == "directions" else (sizes, 1.0)
        by: NDArray[Any] = np.divide(length, over, out=np.zeros_like(over), where=over > 0)
        X.copy(product, factor)
        X.scale_topics(factor, by)
        return Progress(float(by @ squares), 0.0)

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Give every document to one topic."""
        product = X.product(side, other)
        return X.by_rows(factor, product, len(gram), lambda F, P: self._choose(F, P, gram))

    def _gains(self, P: NDArray[Any], gram: Small) -> NDArray[Any]:
        """Return by how much each topic would lower each row's ½‖x − w h_t‖²."""
        squares = np.asarray(np.diag(gram), P.dtype, like=P)
        if self.kind == "orthogonal":
            return quotient(P * P, 2 * squares, 0)
        gains: NDArray[Any] = P.dtype.type(self.one) * (P - P.dtype.type(self.one / 2) * squares)
        return gains

    def _choose(self, F: NDArray[Any], P: NDArray[Any], gram: Small) -> tuple[float, float]:
        rows, G = np.arange(len(F), like=F), np.asarray(gram, F.dtype, like=F)
        best = self._gains(P, gram).argmax(axis=1)
        weight: Any = self.one
        if self.kind == "orthogonal":
            weight = quotient(P[rows, best], np.diag(G)[best], 0)
        old = F.copy()
        F[:] = 0
        F[rows, best] = weight
        moved = F - old
        residual = float(np.einsum("it,it->", moved @ G, moved, dtype=np.float64))
        return float(np.einsum("it,it->", F, P, dtype=np.float64)), max(residual, 0.0)

    def _refill(self, X: Matrix, factor: Factor, product: Factor, gram: Small, emptied: NDArray[Any]) -> Progress:
        """Give each topic without documents the one that fits worst where it is; the step on H follows."""
        k = len(gram)
        W, P = X.array(factor, k) / X.dtype.type(X.scale), X.array(product, k) / X.dtype.type(X.scale)
        squares = X.squared_rows()
        misfit = squares / 2 - np.where(W > 0, self._gains(P, gram), 0).sum(axis=1)
        misfit[squares == 0] = -np.inf  # an empty document would give an empty topic
        homes, sizes = W.argmax(axis=1), (W > 0).sum(axis=0)
        candidates = iter(np.argsort(-misfit, kind="stable")[: int((squares > 0).sum())])
        for topic in emptied:
            for row in candidates:
                if not W[row].any() or sizes[homes[row]] > 1:
                    sizes[homes[row]] -= W[row].any()
                    W[row] = 0
                    W[row, topic] = self.one
                    break
        X.copy(X.factor(W * X.dtype.type(X.scale)), factor)
        return Progress(0.0, float(len(emptied)))
