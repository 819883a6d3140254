"""The truth for the losses other than least squares, in plain NumPy (see ``reference.matrix``).

beta = 1 is the Kullback-Leibler divergence Σ x log(x / y) − x + y, beta = 0 that of Itakura and Saito,
Σ x / y − log(x / y) − 1, where y stands for the entries of WH.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Progress


def floors(dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return (least, slope): y is taken as at least least + slope · x, so that x / y and 1 / y are numbers.

    Neither matters but where a factor has died: for float32, y below 1e-19 or 5e12 times smaller than x.
    """
    tiny = float(np.finfo(dtype).tiny)
    return np.array([tiny ** (1 / 2), tiny ** (1 / 3)], dtype)


def slopes(column_sums: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the sums of B's columns, 0 for a topic so small that dividing by it might not give a number."""
    present = column_sums > 1e8 * np.finfo(dtype).tiny
    return np.where(present, column_sums, 0.0).astype(dtype)


def rescale(
    X: NDArray[Any], F: NDArray[Any], B: NDArray[Any], beta: int, l1: float = 0.0, l2: float = 0.0,
    sweeps: int = 1, patience: float = 0.0,
) -> Progress:  # fmt: skip
    """Multiplicative updates of the rows of F ≥ 0, in place, for min D(X, F Bᵀ) + l1·ΣF + l2/2·‖F‖²."""
    # With f̄ the row before and ȳ = B f̄, both divergences lie below a sum over topics that touches them at
    # f̄ (up to a constant): their convex parts −x log y and x / y by Jensen's inequality, log y by its
    # tangent.
    # * beta = 1: Σ_t (s_t + l1) f_t − f̄_t q_t log f_t + l2/2 f_t², with q = Σ_j x_j / ȳ_j B_j and s = Σ_j
    # B_j over all rows of B. Its minimiser is the root of l2 f² + (s_t + l1) f − f̄_t q_t = 0; for l1 = l2 =
    # 0, the update of Lee and Seung. * beta = 0 (X without zeros): Σ_t q_t f̄_t² / f_t + (v_t + l1) f_t +
    # l2/2 f_t², with q = Σ_j x_j / ȳ_j² B_j and v = Σ_j B_j / ȳ_j. The step f_t = f̄_t √(q_t / (v_t + l1 + l2
    # f̄_t)) is its minimiser for l2 = 0, and for l2 > 0 still lowers it, by exactly Σ_t (v_t + l1 + l2/2
    # f̄_t) δ_t² / f̄_t.
    # So the penalised divergence never rises. A topic that B does not have goes to 0 where a penalty asks for
    # that, else it keeps its value; what falls below the smallest normal number becomes 0.
    # A row stops after ``sweeps`` sweeps, or once a sweep gains at most ``patience`` times what its first one
    # did. A sweep gains Σ_t c_t δ_t² / f̄_t, where c_t = s_t (or v_t) + l1 + l2 f̄_t: zero exactly at a fixed
    # point. The residual is the first sweep's gain; ``inner`` has no meaning for these losses and is 0.
    step = _kullback_leibler if beta == 1 else _itakura_saito
    least, slope = floors(F.dtype)
    tiny = np.finfo(F.dtype).tiny
    active = np.ones(len(F), bool)
    enough, residual = np.zeros(len(F)), 0.0
    for s in range(sweeps):
        f, x = F[active], X[active]
        y = np.maximum(f @ B.T, least + slope * x)
        new, cost = step(x, y, f, B, l1, l2)
        new = np.where(new < tiny, 0, new)
        gained = np.zeros(len(F))
        gained[active] = np.sum(cost * (new - f) * ((new - f) / np.maximum(f, tiny)), axis=1)
        F[active] = new
        if s == 0:
            enough, residual = patience * gained, float(gained.sum())
        active &= gained > enough
        if not active.any():
            break
    return Progress(0.0, residual)


def _kullback_leibler(
    x: NDArray[Any], y: NDArray[Any], f: NDArray[Any], B: NDArray[Any], l1: float, l2: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the minimiser of the bound for beta = 1, and the cost c_t of moving away from it."""
    return nearest(f * ((x / y) @ B), f, B.sum(axis=0, dtype=np.float64), l1, l2)


def nearest(
    target: NDArray[Any], f: NDArray[Any], sums: NDArray[np.float64], l1: float, l2: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the minimiser of Σ (s + l1) f − target log f + l2/2 f², and the cost c around it."""
    slope = slopes(sums, f.dtype) + np.full_like(f, l1)
    if l2 > 0:  # the root in the form that loses no digits
        below = slope + np.sqrt(slope**2 + 4 * l2 * target)
        new = np.divide(2 * target, below, out=np.zeros_like(f), where=below > 0)
    else:
        new = np.divide(target, slope, out=f.copy(), where=slope > 0)
    return new, slope + l2 * f


def _itakura_saito(
    x: NDArray[Any], y: NDArray[Any], f: NDArray[Any], B: NDArray[Any], l1: float, l2: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a point below the bound for beta = 0, and the cost c_t of moving away from it."""
    cost = (1 / y) @ B + l1 + l2 * f
    ratio = np.divide((x / y / y) @ B, cost, out=np.ones_like(f), where=cost > 0)
    return f * np.sqrt(ratio), cost


def divergence(X: NDArray[Any], W: NDArray[Any], H: NDArray[Any], beta: int) -> float:
    """Return the divergence of X and W Hᵀ (H stored with a row per term), in float64; 0 log 0 = 0.

    Where x > 0 and y is 0 it would be infinite; y is kept from 0 by :func:`floors`.
    """
    least, slope = floors(X.dtype)
    x, w, h = (array.astype(np.float64) for array in (X, W, H))
    y = w @ h.T
    ratio = np.where(x > 0, x, 1.0) / np.where(x > 0, np.maximum(y, least + slope * x), 1.0)
    if beta == 1:
        return float(np.sum(x * np.log(ratio) - x + y))
    return float(np.sum(ratio - np.log(ratio) - 1))
