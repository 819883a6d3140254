"""Rows at their minimum for the losses other than least squares: Newton's steps, where multiplying takes hundreds.

For a row f and y = B f, g = Σ_j (y_j − x_j) y_j^(β − 2) B_j + l1 + l2 f is the slope of the penalised divergence.
Its curvature Σ_j c_j B_j B_jᵀ + l2·I has c_j = y_j^(β − 3) ((β − 1) y_j + (2 − β) x_j), which leads to the minimum
once that is near, but may bend down elsewhere; so every other step, and the first ones, are made with what it would
be if x were y, y_j^(β − 2) (Fisher's scoring). A topic that would fall to 0 by itself goes there without a say in where
the others go, and a step is cut off at 0 (Bertsekas 1982): what that topic wants beyond 0 would spoil their step. It is
taken whole, halved or quartered if the objective falls by it; where none does, the row is multiplied instead. So the
objective never rises, and unlike multiplying it comes back from 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Progress
from quire.backends.reference.losses import _raised, floors, rescale

MANY = 100  # sweeps, from which on the minimum is asked for
_SWEEPS, _STEPS = 3, 40  # multiplications to begin with; Newton's steps at most
_SETTLED = 1e-4  # of its first change, from which on multiplying a row leads to no other minimum that is much lower
_FISHER = 3  # steps before the curvature itself is looked at
_PAIRS = 1 << 22  # products of two topics for every column that are held at a time
_CUTS = (1.0, 0.5, 0.25)
_RIDGE = 1e-9  # of the diagonal: topics may be alike


def improve_rows(
    X: NDArray[Any], F: NDArray[Any], B: NDArray[Any], beta: float, l1: float, l2: float, sweeps: int, patience: float
) -> Progress:
    """Multiply rows, as ``losses.rescale`` does; where the minimum is asked for, come to it by Newton's steps.

    Between β = 0 and 1, and below 0, these do not always get there: rows are multiplied as before. For β = 0 with an
    L1 penalty the minimum that is nearest to a few multiplications may be far higher than the one that many lead to.
    """
    if not (beta == 0 or beta > 1) or sweeps < MANY or B.shape[0] * B.shape[1] * (B.shape[1] + 1) // 2 > _PAIRS:
        return rescale(X, F, B, beta, l1, l2, sweeps, patience)
    first = (sweeps, max(patience, _SETTLED)) if beta == 0 and l1 else (_SWEEPS, 0.0)
    done = rescale(X, F, B, beta, l1, l2, *first)
    going, enough = np.arange(len(F)), np.zeros(len(F))
    pairs = np.triu_indices(B.shape[1])
    products = B[:, pairs[0]] * B[:, pairs[1]]
    for s in range(_STEPS):
        f, x = F[going], X[going]
        bent = s >= _FISHER and s % 2 == 0
        F[going], promised = _stepped(x, f, B, products, pairs, beta, l1, l2, bent)
        if s == 0:
            enough = patience * promised
        if not bent:  # by a parabola that cannot bend down
            going = going[promised > enough[going]]
        if not len(going):
            break
    return done


def _stepped(
    x: NDArray[Any], f: NDArray[Any], B: NDArray[Any], products: NDArray[Any], pairs: Any, beta: float, l1: float,
    l2: float, bent: bool,
) -> tuple[NDArray[Any], NDArray[np.float64]]:  # fmt: skip
    """Return rows after a step, and by how much a parabola said that their objectives would fall.

    That is 0 where the rows are as good as they get, infinite where it bends down; ``bent``: by their own curvature.
    """
    y = _raised(f @ B.T, x, *floors(f.dtype, beta))
    weights = y ** (beta - 2) if beta else 1 / (y * y)
    slope = ((y - x) * weights) @ B + l1 + l2 * f
    height = _heights(x, y, f, beta, l1, l2)
    with np.errstate(all="ignore"):  # what is no number is not taken
        curved = weights * ((beta - 1) + (2 - beta) * (x / y)) if bent else weights
        step = _newton(slope, curved @ products, pairs, f, l2)
        promised = -0.5 * np.einsum("it,it->i", slope, step, dtype=np.float64)
    promised[~(promised >= 0)] = np.inf
    left = promised > np.finfo(f.dtype).eps * np.abs(height)  # below that nothing can be told
    new, promised[~left] = f.copy(), 0
    for cut in _CUTS:
        at = np.flatnonzero(left & np.isfinite(promised))
        if not len(at):
            break
        trial = np.maximum(f[at] + f.dtype.type(cut) * step[at], 0)
        y = _raised(trial @ B.T, x[at], *floors(f.dtype, beta))
        lower = _heights(x[at], y, trial, beta, l1, l2) < height[at]
        new[at[lower]], left[at[lower]] = trial[lower], False
    at = np.flatnonzero(left)
    if len(at):
        multiplied = f[at]
        rescale(x[at], multiplied, B, beta, l1, l2, 1, 0.0)
        new[at] = multiplied
    return new, promised


def _newton(slope: NDArray[Any], curved: NDArray[Any], pairs: Any, f: NDArray[Any], l2: float) -> NDArray[Any]:
    """Return −G⁻¹ slope over the topics that are free to move, the way to 0 of others; solved with a diagonal of 1."""
    n, k = f.shape
    G = np.empty((n, k, k))
    G[:, pairs[0], pairs[1]] = curved
    G[:, pairs[1], pairs[0]] = curved
    at = np.arange(k)
    G[:, at, at] += l2
    diagonal = G[:, at, at]
    unit = np.where(diagonal <= 0, 0.0, 1 / np.sqrt(np.maximum(diagonal, np.finfo(float).tiny)))
    held = slope * unit >= f * np.sqrt(np.maximum(diagonal, 0))
    G *= unit[:, :, None] * unit[:, None, :]
    G[held] = 0
    G.swapaxes(1, 2)[held] = 0
    G[:, at, at] = 1 + _RIDGE
    step = np.linalg.solve(G, (-slope * unit)[:, :, None])[:, :, 0] * unit
    return np.where(held, np.maximum(step, -f), step).astype(f.dtype)


def _heights(
    x: NDArray[Any], y: NDArray[Any], f: NDArray[Any], beta: float, l1: float, l2: float
) -> NDArray[np.float64]:
    """Return the objective of every row, up to what depends on x alone."""
    each = x / y + np.log(y) if beta == 0 else y ** (beta - 1) * (y / beta - x / (beta - 1))
    penalty = l1 * f.sum(axis=1, dtype=np.float64) + l2 / 2 * np.einsum("it,it->i", f, f, dtype=np.float64)
    return np.asarray(each.sum(axis=1, dtype=np.float64) + penalty)
