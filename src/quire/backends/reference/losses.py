"""The truth for the losses other than least squares, in plain NumPy (see ``reference.matrix``).

beta = 1 is the Kullback-Leibler divergence Σ x log(x / y) − x + y, beta = 0 that of Itakura and Saito,
Σ x / y − log(x / y) − 1, any other Σ (x^β + (β − 1) y^β − β x y^(β − 1)) / (β (β − 1)), where y stands for the
entries of WH. For all but beta = 1 every zero of X counts by its y, so these are products of dense blocks: what
stands here is what the CPU runs, a block of rows at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from quire.backends.matrix import Progress

_NEWTON = 8  # steps, each of which has twice the digits of the one before


def floors(dtype: np.dtype[Any], beta: float = 1) -> NDArray[Any]:
    """Return (least, slope): y is taken as at least least + slope · x, so that x y^(β − 2) and 1 / y are numbers.

    Neither matters but where a factor has died: for float32, y below 1e-19 or 5e12 times smaller than x.
    """
    tiny, power = float(np.finfo(dtype).tiny), max(2.0, 2 - beta)
    return np.array([tiny ** (1 / power), tiny ** (1 / (power + 1))], dtype)


def slopes(column_sums: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the sums of B's columns, 0 for a topic so small that dividing by it might not give a number."""
    present = column_sums > 1e8 * np.finfo(dtype).tiny
    return np.where(present, column_sums, 0.0).astype(dtype)


def rescale(
    X: NDArray[Any], F: NDArray[Any], B: NDArray[Any], beta: float, l1: float = 0.0, l2: float = 0.0,
    sweeps: int = 1, patience: float = 0.0,
) -> Progress:  # fmt: skip
    """Multiplicative updates of the rows of F ≥ 0, in place, for min D(X, F Bᵀ) + l1·ΣF + l2/2·‖F‖²."""
    # With f̄ the row before, ȳ = B f̄ and u = f / f̄, a divergence lies below a sum over topics that touches it at
    # f̄ (up to a constant): its convex part by Jensen's inequality, its concave one by its tangent (Févotte and
    # Idier 2011). Let q = Σ_j x_j ȳ_j^(β − 2) B_j and v = Σ_j ȳ_j^(β − 1) B_j. What u minimises it:
    # * β = 1, where v is the sum of all rows of B: (v + l1) u + l2 f̄ u² = q, the update of Lee and Seung.
    # * other β from 0 to 2: (v + l1) u^r + l2 f̄ u^(3 − β) = q with r = max(1, 2 − β). Above 1 the tangent
    #   l1·u is put below l1·u^β / β.
    # * β ≤ 0: u = (q / c)^(1 / (2 − β)), β > 2: u = (q / c)^(1 / (β − 1)), with c = v + l1 + l2 f̄. For β > 2 that
    #   minimises a bound in which u and u² are put below u^β; for β ≤ 0 and l2 > 0 it is no minimiser and still
    #   goes down: what the divergence falls by is at least c f̄ (u − 1)² / 2, and l2 takes less back.
    # So the penalised divergence never rises. A topic that B does not have goes to 0 where a penalty asks for
    # that, else it keeps its value; what falls below the smallest normal number becomes 0.
    # A row stops after ``sweeps`` sweeps, or once a sweep gains at most ``patience`` times what its first one
    # did. A sweep gains Σ_t c_t δ_t² / f̄_t: zero exactly at a fixed point. The residual is the first sweep's
    # gain; ``inner`` has no meaning for these losses and is 0.
    lowest, tiny = floors(F.dtype, beta), np.finfo(F.dtype).tiny
    active: Any = slice(None)  # all rows, without a copy
    going, enough, residual = np.ones(len(F), bool), np.zeros(len(F)), 0.0
    for s in range(sweeps):
        f, x = F[active], X[active]
        y = _raised(f @ B.T, x, *lowest)
        new, cost = _kullback_leibler(x, y, f, B, l1, l2) if beta == 1 else _other(x, y, f, B, beta, l1, l2)
        new[new < tiny] = 0
        gained = np.zeros(len(F))
        gained[active] = np.sum(cost * (new - f) * ((new - f) / np.maximum(f, tiny)), axis=1)
        F[active] = new
        if s == 0:
            enough, residual = patience * gained, float(gained.sum())
        going &= gained > enough
        if not going.any():
            break
        active = slice(None) if going.all() else going
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


def _other(
    x: NDArray[Any], y: NDArray[Any], f: NDArray[Any], B: NDArray[Any], beta: float, l1: float, l2: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a point below the bound for any other beta, and the cost c_t of moving away from it; y is used up."""
    if beta == 0:
        np.reciprocal(y, out=y)
        v = y @ B
        y *= y
        y *= x
        q = y @ B
    else:
        power = y ** (beta - 2)
        y *= power
        v = y @ B
        power *= x
        q = power @ B
    cost = v + l1 + l2 * f
    if 0 < beta < 2 and l2 > 0:
        return f * _root(v + l1, l2 * f, q, max(1.0, 2 - beta), 3 - beta), cost
    ratio = np.divide(q, cost, out=np.ones_like(f), where=cost > 0)
    return f * ratio ** (1 / max(2 - beta, 1.0, beta - 1)), cost


def _raised(y: NDArray[Any], x: NDArray[Any], least: Any, slope: Any) -> NDArray[Any]:
    """Return y, changed in place where it is below least + slope · x; mostly a look at its lowest is enough."""
    if y.min(initial=np.inf) < least + slope * x.max(initial=0):
        np.maximum(y, least + slope * x, out=y)
    return y


def _root(a: NDArray[Any], b: NDArray[Any], q: NDArray[Any], r: float, s: float) -> NDArray[Any]:
    """Return where a u^r + b u^s = q: Newton's steps from above, of which each stays above (r, s ≥ 1)."""
    one = np.ones_like(q)
    first, second = (np.divide(q, c, out=one * np.inf, where=c > 0) ** (1 / power) for c, power in ((a, r), (b, s)))
    u = np.minimum(first, second)
    u[np.isinf(u)] = 1  # B does not have that topic
    for _ in range(_NEWTON):
        rise = r * a * u ** (r - 1) + s * b * u ** (s - 1)
        u -= np.divide(a * u**r + b * u**s - q, rise, out=np.zeros_like(q), where=rise > 0)
        np.maximum(u, 0, out=u)
    return np.asarray(u)


def divergence(X: NDArray[Any], W: NDArray[Any], H: NDArray[Any], beta: float) -> float:
    """Return the divergence of X and W Hᵀ (H stored with a row per term); 0 log 0 = 0.

    It is computed in H's type, summed in float64; float32 will do for Itakura-Saito, which is of ratios alone.
    Where x > 0 and y is 0 it would be infinite; y is kept from 0 by :func:`floors`.
    """
    lowest = floors(X.dtype, beta)
    x, w = (array.astype(H.dtype, copy=False) for array in (X, W))
    y = w @ H.T
    if beta == 0:
        ratio = np.divide(x, _raised(y, x, *lowest), out=y)
        total = np.sum(ratio, dtype=np.float64) - ratio.size
        return float(total - np.sum(np.log(ratio, out=ratio), dtype=np.float64))
    safe = _raised(y.copy(), x, *lowest)
    if beta == 1:
        return float(np.sum(xlogy(x, x / safe) - x + y))
    power = safe ** (beta - 1)
    y = safe if beta < 0 else y  # 0^β is 0 above
    of_x = np.where(x > 0, x, 1.0) ** beta * (x > 0)
    return float(np.sum(of_x + (beta - 1) * y**beta - beta * x * power) / (beta * (beta - 1)))
