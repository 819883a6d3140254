"""Soft k-means (MacKay 2003, chapter 20): documents are shared out by exp(−stiffness·½‖x − h_t‖²).

Lowers the free energy Σ_i Σ_t w_it·½‖x_i − h_t‖² + (1/stiffness) Σ w log w over W with rows of sum 1 and H,
both half steps exact. As stiffness grows it becomes k-means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.engine.rules.rule import Factors, Grams, LeastSquares
from quire.places.codec import storable


@storable
@dataclass(frozen=True)
class Soft(LeastSquares):
    """Documents shared out over topics by their distances."""

    stiffness: float = 1.0  # 1 / the variance of a topic's documents in every direction
    total: float = 1.0  # what rows of W sum to
    extrapolates = False
    documents_first = True

    def scaled(self, scale: float) -> Self:
        """Scale the stiffness, an inverse square of X, and what rows sum to."""
        stiffness = self.stiffness * scale * scale * scale * scale
        return replace(self, stiffness=stiffness, total=self.total / scale)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Share the documents out; or set the topics to their documents' means."""
        product = X.product(side, other)
        if side == "W":
            return X.by_rows(factor, product, len(gram), lambda F, P: self._share(F, P, gram))
        sizes = X.column_sums(other)[: len(gram)] * self.total
        X.copy(product, factor)
        X.scale_topics(factor, np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0))
        inner = X.by_rows(factor, product, len(gram), _inner)
        return Progress(inner.inner, 0.0)

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Share the documents out."""
        return self.update(X, side, factor, other, gram)

    def penalty(self, X: Matrix, factors: Factors, grams: Grams) -> float:
        """Return the free energy beyond ½‖X − WH‖²."""
        k = len(grams["H"])
        sizes = X.column_sums(factors["W"])[:k] * self.total
        spread = float(sizes @ np.diag(grams["H"])) - float(np.sum(grams["W"] * grams["H"]))
        order = X.by_rows(factors["W"], factors["W"], k, self._disorder).inner
        return 0.5 * spread + order / self.stiffness

    def _share(self, F: NDArray[Any], P: NDArray[Any], gram: Small) -> tuple[float, float]:
        G = np.asarray(gram, np.float64, like=F)
        nearness = self.total * (P.astype(np.float64) - self.total / 2 * np.diag(G))
        new = self.total * _softmax(self.stiffness * nearness)
        moved = new - F
        F[:] = new
        residual = float(np.einsum("it,it->", moved @ G, moved))
        return float(np.einsum("it,it->", F, P, dtype=np.float64)), max(residual, 0.0)

    def _disorder(self, F: NDArray[Any], _: NDArray[Any]) -> tuple[float, float]:
        share = F.astype(np.float64) / self.total
        written = np.where(share > 0, share, np.float64(1))  # 0 log 0 = 0 = 1 log 1
        return float((written * np.log(written)).sum()), 0.0


def _softmax(values: NDArray[Any]) -> NDArray[Any]:
    """Return exp(v) of each row, over its sum."""
    powers = np.exp(values - np.amax(values, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)  # type: ignore[no-any-return]


def _inner(F: NDArray[Any], P: NDArray[Any]) -> tuple[float, float]:
    return float(np.einsum("it,it->", F, P, dtype=np.float64)), 0.0
