"""Words and documents clustered at once (ding2008 eqs 7 to 10): Xᵀ ≈ F S Wᵀ.

Rows of W (documents) and of F (words) sum to 1, S ≥ 0 joins document topics to word topics. H = SᵀFᵀ. Each
of the three is improved while the others are held: F and W by the row problems of PPC, S by
accelerated projected steps on

    ½⟨S, FᵀF S WᵀW⟩ − ⟨S, FᵀXᵀW⟩,   or by eq. 10.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.backends.reference.matrix import multiply
from quire.engine.rules.ppc import posteriors, shares
from quire.engine.rules.rule import LeastSquares, Start, set_rows
from quire.places.codec import storable

_TINY = 1e-12  # of the trace: a topic with less is empty


@storable
class Both(LeastSquares):
    """The rule of one fit; it holds F and S, which the outer loop does not know."""

    extrapolates = False  # F and S stay where they are

    def __init__(self, exact: bool = True, total: float = 1.0) -> None:
        self.exact, self.total = exact, total
        self._words: Factor = None  # F, in no unit: its rows sum to 1 whatever X's scale
        self._middle: Small = np.zeros((0, 0))  # S, in X's unit

    def scaled(self, scale: float) -> Self:
        """Scale what rows of W sum to."""
        same = copy(self)
        same.total = self.total / scale
        return same

    def begin(self, X: Matrix, start: Start) -> Start:
        """Take the start's H as weights of the words, bring all rows to sum 1, and find an S for them."""
        W, words = shares(start[0]), shares(np.ascontiguousarray(start[1].T))
        k = W.shape[1]
        self._words = X.factor(words * X.dtype.type(X.scale))
        documents = X.factor(W)
        cross = X.gram(self._words, X.product("H", documents))[:k, :k]
        grams = X.gram(self._words)[:k, :k], X.gram(documents)[:k, :k]
        even = float(np.sum(grams[0]) * np.sum(grams[1]))
        self._middle = np.full((k, k), cross.sum() / even)
        self._improve_middle(*grams, cross, steps=100)
        return W, np.asarray((words @ self._middle).T * X.scale, W.dtype)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Improve W; or F, then S, and with them ``factor`` = F S."""
        product = X.product(side, other)
        if side == "W":
            return posteriors(X, factor, product, gram, self.total, self.exact)
        k, S = len(gram), self._middle.astype(X.dtype)
        turned = X.duplicate(product)
        X.by_rows(turned, product, k, lambda F, P: set_rows(F, P @ np.asarray(S.T, like=P)))
        moved = posteriors(X, self._words, turned, self._middle @ gram @ self._middle.T, 1.0, self.exact)
        cross = X.gram(self._words, product)[:k, :k]
        self._improve_middle(X.gram(self._words)[:k, :k], gram, cross, steps=20)
        S = self._middle.astype(X.dtype)
        X.by_rows(factor, self._words, k, lambda F, P: set_rows(F, P @ np.asarray(S, like=P)))
        return Progress(float(np.sum(self._middle * cross)), moved.residual)

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Solve every row exactly."""
        return posteriors(X, factor, X.product(side, other), gram, self.total, exact=True)

    def parts(self, X: Matrix) -> dict[str, NDArray[Any]]:
        """Return F as ``words`` and S as ``middle``."""
        k = len(self._middle)
        return {"words": X.array(self._words, k) / X.dtype.type(X.scale), "middle": self._middle * X.scale}

    def _improve_middle(self, words: Small, documents: Small, cross: Small, steps: int) -> None:
        """Lower ½⟨S, A S C⟩ − ⟨S, M⟩ for A = FᵀF, C = WᵀW, M = FᵀXᵀW: by accelerated steps, or by eq. 10."""
        if not self.exact:
            multiply(cross, self._middle, documents, left=words)
            return
        roots = [np.sqrt(np.maximum(np.diag(G), _TINY * np.trace(G))) for G in (words, documents)]
        A, C = (G / np.outer(root, root) for G, root in zip((words, documents), roots, strict=True))
        unit = np.outer(*roots)  # T = unit·S has curvature 1 in every entry
        M, T = cross / unit, self._middle * unit
        step = 1 / (np.linalg.eigvalsh(A)[-1] * np.linalg.eigvalsh(C)[-1])
        ahead, momentum = T, 1.0
        for _ in range(steps):  # Beck and Teboulle 2009, begun anew where it turns uphill
            new = np.maximum(ahead - step * (A @ ahead @ C - M), 0)
            if np.sum((ahead - new) * (new - T)) > 0:
                ahead, momentum = T, 1.0
                new = np.maximum(ahead - step * (A @ ahead @ C - M), 0)
            longer = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = np.maximum(new + (momentum - 1) / longer * (new - T), 0)
            T, momentum = new, longer
        if _height(A, C, M, T) <= _height(A, C, M, self._middle * unit):
            self._middle = T / unit


def _height(A: Small, C: Small, M: Small, T: Small) -> float:
    return float(np.sum(T * (0.5 * A @ T @ C - M)))
