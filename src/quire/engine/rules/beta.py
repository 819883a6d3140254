"""Multiplicative updates for β-divergences, such as Kullback–Leibler and Itakura–Saito (conroy2023 §3).

KL: Σ x log(x/y) − x + y (the paper prints it without −x + y); IS: Σ x/y − log(x/y) − 1, for which, as for any β below
it, every value of X must be positive. The steps and why they never raise the objective: ``reference.losses``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.engine.rules.hals import Penalised
from quire.engine.rules.mu import filled
from quire.engine.rules.rule import Factors, Grams, Start, quotient, set_rows
from quire.places.codec import storable


@storable
@dataclass(frozen=True)
class Beta(Penalised):
    """Multiplicative updates of a divergence, one factor after the other."""

    beta: float = 1  # 1: Kullback–Leibler; 0: Itakura–Saito
    sweeps: int = 1  # over W, which lies where X does, in one step
    far: bool = False  # whether steps of Itakura–Saito go twice as far
    documents_first = True

    @property
    def creeps(self) -> int:  # type: ignore[override]
        """Steps below β = 1 are roots of those above, and a fit of small ones is never done: look at fewer."""
        return 5 if self.beta >= 1 else 2

    @property
    def degree(self) -> float:  # type: ignore[override]
        """KL grows as X does, any other as X^β; IS depends on ratios alone."""
        return 2 * self.beta

    def begin(self, X: Matrix, start: Start) -> Start:
        """Fill a factor of zeros, which would stay zero."""
        return filled(start)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Multiply every row of ``factor``.

        Itakura–Saito's step √(q / c) is where a bound of the objective is lowest; at q / c, its square, that is still
        no higher than before (majorisation-equalisation, Févotte and Idier 2011), but for an L2 penalty.
        """
        if not (self.far and self.beta == 0 and not self.on(side).l2):
            return self._rescale(X, side, factor, other, self.sweeps if side == "W" else 1, 0.0)
        before = X.duplicate(factor)
        done = self._rescale(X, side, factor, other, 1, 0.0)
        X.by_rows(factor, before, len(gram), _squared)
        return done

    def carry_on(self, X: Matrix, factor: Factor, old: Factor, beta: float, k: int) -> None:
        """F + β [F − F_before]₊ (Hien, Leplat and Gillis 2025): what went on down could not come back from zero."""
        if beta:
            X.by_rows(old, factor, k, partial(_ahead, beta=beta))
        else:
            X.extrapolate(factor, old, 0.0)

    def misfit(self, X: Matrix, inner: float, factors: Factors, grams: Grams) -> float:
        """Return the divergence."""
        return max(X.divergence(factors["W"], factors["H"], self.beta), 0.0)

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Start every row even and of its size, and multiply it until that changes next to nothing."""
        k, n_terms = len(gram), X.shape[1]
        even = X.factor(np.full((n_terms, k), X.scale, X.dtype))  # ones as X holds them
        sums = max(float(X.column_sums(other).sum()), float(np.finfo(X.dtype).tiny))
        total = X.dtype.type(sums)  # X itself cannot be sent to where its rows are
        X.by_rows(factor, X.product(side, even), k, lambda F, P: set_rows(F, P / total))
        sweeps, patience = (300, 1e-7) if X.dtype == np.float32 else (1000, 1e-11)
        return self._rescale(X, side, factor, other, sweeps, patience)

    def _rescale(self, X: Matrix, side: Side, factor: Factor, other: Factor, sweeps: int, patience: float) -> Progress:
        weight = self.on(side)
        return X.rescale(side, factor, other, self.beta, weight.l1, weight.l2, sweeps, patience)


def _squared(F: NDArray[Any], before: NDArray[Any]) -> tuple[float, float]:
    """Overwrite rows with those twice as far from where they were, by quotients; as a step of ``by_rows``."""
    return set_rows(F, F * quotient(F, before, 0))


def _ahead(before: NDArray[Any], F: NDArray[Any], beta: float) -> tuple[float, float]:
    """Overwrite rows with those past F, where they grew; as a step of ``by_rows``."""
    return set_rows(before, F + np.maximum(F - before, 0) * before.dtype.type(beta))


@storable
@dataclass(frozen=True)
class Em(Beta):
    """Those of Kullback–Leibler with W and H at once, which is EM."""

    simultaneous = True
    extrapolates = False
    creeps = 0  # EM is run to its end

    def begin(self, X: Matrix, start: Start) -> Start:
        """Bring the rows of H to sum 1."""
        W, H = super().begin(X, start)
        sums = H.sum(axis=1, dtype=np.float64)
        sums[sums == 0] = 1
        return (W * sums).astype(W.dtype), (H / sums[:, None]).astype(H.dtype)

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Share the counts out; bring P(w|z) to sum 1 again."""
        done = self._rescale(X, side, factor, other, 1, 0.0)
        if side == "H":
            sums = X.column_sums(factor)[: len(gram)] * X.scale
            X.scale_topics(factor, np.divide(1.0, sums, out=np.ones_like(sums), where=sums > 0))
        return done
