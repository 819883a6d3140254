"""Exact solutions for the rows of a factor, in plain NumPy: what the compiled ones are tested against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Progress

_ROUNDING = 1e-12  # of the terms of a sum: a sum this small is rounding error
_CORRECTIONS = 2  # steps to the same minimum, where the first came from too far away to be exact


def solve_rows(P: NDArray[Any], F: NDArray[Any], G: NDArray[Any], l1: float = 0.0, total: float = 0.0) -> Progress:
    """Solve each row of F, in place, for min ½ f G fᵀ − (p − l1)·f over f ≥ 0, with Σf = total if > 0.

    Where the solution is not unique (G is singular) it is one of them. A topic with G_tt = 0 explains
    nothing: it gets 0, unless rows have a sum, where it may take what fits no other topic.
    """
    # A row never ends higher than it was, made feasible: its positive part, times what gives it the sum. A
    # row of zeros that must have a sum begins with all of it on the best single topic.
    present = (np.diag(G) > 1e8 * np.finfo(F.dtype).tiny) | (total > 0)
    before = F.astype(np.float64)
    for i, p in enumerate(P.astype(np.float64)):
        f = np.where(present, np.maximum(before[i], 0), 0)
        q = p if total > 0 else p - l1
        if total > 0:
            f = _with_sum(f, q, G, total)
        f = _solve(f, q, G, present, total > 0)
        F[i] = _with_sum(f, q, G, total) if total > 0 else f
    change = F - before
    return Progress(float(np.sum(F * P, dtype=np.float64)), float(np.sum(change @ G * change)))


def _with_sum(f: NDArray[Any], q: NDArray[Any], G: NDArray[Any], total: float) -> NDArray[Any]:
    """Give f its sum; if it is zero, put all on the best single topic."""
    if f.sum() > 1e-200 * total:
        return np.asarray(f * (total / f.sum()))
    best = np.argmin(0.5 * total * np.diag(G) - q)
    return np.where(np.arange(len(f)) == best, total, 0.0)


def _solve(f: NDArray[Any], q: NDArray[Any], G: NDArray[Any], present: NDArray[Any], constrained: bool) -> NDArray[Any]:
    """Primal active set (Lawson and Hanson) from a feasible f, whose sum is kept where ``constrained``."""
    passive, banned, entered, corrections = f > 0, ~present, -1, 0
    for _ in range(8 * len(f) + 50):
        free = np.flatnonzero(passive)
        x, reach, lowest = _direction(G[np.ix_(free, free)], (G @ f - q)[free], q[free], constrained)
        falls = np.flatnonzero(x < 0)
        limits = f[free[falls]] / -x[falls]
        blocked = bool(len(limits)) and limits.min() < reach
        reach = limits.min() if blocked else reach
        if reach < np.inf:
            f[free] = np.maximum(f[free] + reach * x, 0)
        if blocked:
            first = free[falls[limits.argmin()]]
            f[first], passive[first] = 0.0, False
            banned[first] |= first == entered and reach == 0  # what it promised was rounding error
        elif lowest:
            y = G @ f - q
            level = f @ y / f.sum() if constrained else 0.0
            rounding = _ROUNDING * (np.abs(q) + np.abs(G @ f) + abs(level))
            settled = (np.abs(y - level) <= rounding)[passive].all()
            corrections = 0 if settled else corrections + 1
            if 0 < corrections <= _CORRECTIONS:
                continue
            gain = np.where(passive | banned | (y - level >= -rounding), 0.0, y - level)
            entered = int(np.argmin(gain))
            if gain[entered] == 0:
                break
            passive[entered] = True
    return f


def _direction(
    G: NDArray[Any], y: NDArray[Any], q: NDArray[Any], constrained: bool
) -> tuple[NDArray[Any], float, bool]:
    """Return a way down, how far to go, and whether the minimum over all these topics is there.

    The way is Newton's, from the equations G x + level = −y, Σx = 0. Where they have no solution, what is
    left of −y is a way on which nothing curves and the objective falls: down to where a topic is 0.
    """
    size = len(y)
    A, b = G, -y
    if constrained:
        border = np.full((1, size), np.sqrt(np.trace(G) / max(size, 1)) or 1.0)
        A, b = np.block([[G, border.T], [border, np.zeros((1, 1))]]), np.append(-y, 0.0)
    solution = np.linalg.lstsq(A, b, rcond=_ROUNDING)[0]
    left = (b - A @ solution)[:size]
    if constrained and size:
        left -= left.mean()
    if np.abs(left).max(initial=0) > 1e3 * _ROUNDING * (np.abs(q) + np.abs(y + q)).max(initial=0):
        return left, np.inf, False
    return solution[:size], 1.0, True
