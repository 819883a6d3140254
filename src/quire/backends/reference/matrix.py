"""The truth: every operation in plain NumPy, readable, slow, and what the fast ones are tested against."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.matrix import Progress, RowStep, Side, Small, TopicProjection
from quire.backends.reference.exact_rows import solve_rows
from quire.backends.reference.losses import divergence
from quire.backends.reference.newton import improve_rows


def descend(
    P: NDArray[Any], F: NDArray[Any], G: NDArray[Any], l1: float = 0.0, sweeps: int = 1, patience: float = 0.0
) -> Progress:
    """Coordinate descent on the rows of F ≥ 0, in place, for min ½ f G fᵀ − p·f + l1·Σf.

    One sweep sets, for each topic t in turn, f_t ← [f_t − ((G f)_t − p_t + l1)/G_tt]₊; with G = HHᵀ, P =
    XHᵀ and l1 = λ this is the residual form of tsikhanovich2011 eq. 2 with the residual never formed.
    """
    # A topic with G_tt = 0, or so small that 1 / G_tt is no number, is left alone. A row stops after
    # ``sweeps`` sweeps, or once a sweep gains at most ``patience`` times what its first one did; a sweep
    # gains Σ_t G_tt δ_t².
    active = np.ones(len(F), bool)
    enough = np.zeros(len(F))
    residual = 0.0
    for s in range(sweeps):
        gained = np.zeros(len(F))
        for t in np.flatnonzero(np.diag(G) > 1e8 * np.finfo(F.dtype).tiny):
            gradient = F[active] @ G[:, t] - P[active, t] + l1
            new = np.maximum(F[active, t] - gradient / G[t, t], 0)
            gained[active] += G[t, t] * (new - F[active, t]) ** 2
            F[active, t] = new
        if s == 0:
            enough = patience * gained
            residual = float(gained.sum())
        active &= gained > enough
        if not active.any():
            break
    return Progress(float(np.sum(F * P, dtype=np.float64)), residual)


def multiply(
    P: NDArray[Any], F: NDArray[Any], G: NDArray[Any], l1: float = 0.0, left: NDArray[Any] | None = None
) -> Progress:
    """Multiply F by P / (left F G + l1) in place (xu2003 eqs 8 and 9); where that divides by 0, F is 0."""
    denominator = F @ G if left is None else left @ F @ G
    denominator += l1
    old = F.copy()
    F *= P  # first, for P / denominator may overflow
    np.divide(F, denominator, out=F, where=denominator > 0)
    F[denominator <= 0] = 0
    residual = float(np.sum((old - F).astype(np.float64) * (denominator - P)))  # Σ denominator δ² / F
    return Progress(float(np.sum(F * P, dtype=np.float64)), residual)


class ReferenceMatrix:
    """The back end made of NumPy alone."""

    scale = 1.0

    def __init__(self, X: Any) -> None:
        self._X = X.toarray() if sp.issparse(X) else np.asarray(X)
        self.shape: tuple[int, int] = self._X.shape
        self.dtype: np.dtype[Any] = self._X.dtype
        self.squared_norm = float(np.sum(self._X.astype(np.float64) ** 2))

    def factor(self, array: NDArray[Any]) -> NDArray[Any]:
        """Copy."""
        return np.array(array, dtype=self.dtype)

    def array(self, factor: NDArray[Any], k: int) -> NDArray[Any]:
        """Copy."""
        return np.array(factor[:, :k])

    def duplicate(self, factor: NDArray[Any]) -> NDArray[Any]:
        """Copy."""
        return factor.copy()

    def copy(self, factor: NDArray[Any], into: NDArray[Any]) -> None:
        """Overwrite ``into``."""
        into[:] = factor

    def product(self, side: Side, other: NDArray[Any]) -> NDArray[Any]:
        """X other, or Xᵀ other."""
        return np.asarray((self._X if side == "W" else self._X.T) @ other)

    def gram(self, factor: NDArray[Any], other: NDArray[Any] | None = None) -> Small:
        """FᵀF, or FᵀB."""
        right = factor if other is None else other
        return np.asarray(factor.T.astype(np.float64) @ right.astype(np.float64))

    def scale_topics(self, factor: NDArray[Any], by: NDArray[np.float64]) -> None:
        """Multiply the columns."""
        factor *= by.astype(self.dtype)

    def by_rows(self, factor: NDArray[Any], product: NDArray[Any], k: int, step: RowStep) -> Progress:
        """Call ``step`` once, for all rows."""
        return Progress(*step(factor, product))

    def by_topics(self, factor: NDArray[Any], product: NDArray[Any], G: Small, project: TopicProjection) -> Progress:
        """Run :func:`quire.backends.reference.matrix.by_topics`."""
        return by_topics(product.T, factor.T, G, project)

    def squared_rows(self) -> NDArray[np.float64]:
        """‖x‖² of every document."""
        return np.asarray(np.sum(self._X.astype(np.float64) ** 2, axis=1))

    def column_sums(self, factor: NDArray[Any]) -> NDArray[np.float64]:
        """Σ over rows."""
        return np.asarray(factor.sum(axis=0, dtype=np.float64))

    def descend(
        self, side: Side, factor: NDArray[Any], other: NDArray[Any], G: Small, l1: float, sweeps: int,
        patience: float,
    ) -> Progress:  # fmt: skip
        """Run :func:`descend` on the product."""
        return descend(self.product(side, other), factor, G, l1, sweeps, patience)

    def rescale(
        self, side: Side, factor: NDArray[Any], other: NDArray[Any], beta: float, l1: float, l2: float,
        sweeps: int, patience: float,
    ) -> Progress:  # fmt: skip
        """Run :func:`quire.backends.reference.newton.improve_rows` on X or Xᵀ."""
        X = self._X if side == "W" else self._X.T
        return improve_rows(X, factor, other, beta, l1, l2, sweeps, patience)

    def divergence(self, W: NDArray[Any], H: NDArray[Any], beta: float) -> float:
        """Run :func:`quire.backends.reference.losses.divergence`."""
        return divergence(self._X, W, H.astype(np.float64), beta)

    def multiply(self, side: Side, factor: NDArray[Any], other: NDArray[Any], G: Small, l1: float) -> Progress:
        """Run :func:`multiply` on the product."""
        return multiply(self.product(side, other), factor, G.astype(self.dtype), l1)

    def solve_rows(self, factor: NDArray[Any], product: NDArray[Any], G: Small, l1: float, total: float) -> Progress:
        """Run :func:`quire.backends.reference.exact_rows.solve_rows`."""
        return solve_rows(product, factor, G, l1, total)

    def extrapolate(self, factor: NDArray[Any], old: NDArray[Any], beta: float) -> None:
        """Overwrite ``old`` with [F + beta (F − old)]₊."""
        old[:] = np.maximum(factor + beta * (factor - old), 0)

    def close(self) -> None:
        """Nothing to give back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def by_topics(P: NDArray[Any], F: NDArray[Any], G: Small, project: TopicProjection) -> Progress:
    """Set each topic in turn to the projection of its unconstrained best, in place; a topic is a row here.

    With all other topics held the objective of topic t is ½ G_tt ‖f − q‖² + constant, where q = f_t + (p_t
    − Σ_s G_ts f_s) / G_tt.
    """
    # So the nearest allowed point to q is its exact minimum (tsikhanovich2011 §2.5.1). A topic with G_tt = 0
    # is projected as it is.
    residual = 0.0
    small = np.asarray(G, F.dtype, like=F)
    for t in range(len(G)):
        best = F[t]
        if G[t, t] > 1e8 * np.finfo(F.dtype).tiny:  # 1 / G_tt must be a number too
            best = F[t] + (P[t] - small[t] @ F) / F.dtype.type(G[t, t])
        new = project(best)
        residual += float(G[t, t]) * float(np.sum((new - F[t]).astype(np.float64) ** 2))
        F[t] = new
    return Progress(float(np.einsum("td,td->", F, P, dtype=np.float64)), residual)
