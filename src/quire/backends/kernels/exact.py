"""Kernels that solve the rows of a factor exactly: small quadratic problems that share a Gram matrix.

A row f solves min ½ f G fᵀ − q·f over f ≥ 0, or over f ≥ 0 with a given sum. Its *passive* topics are free to
move, the others are held at 0; y = G f − q is the gradient. Everything is float64, whatever the factor is.
``quire.backends.reference.exact_rows.solve_rows`` says the same in NumPy.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from quire.backends.kernels.layout import LANE_BYTES

# Called by kernels alone, so without wrappers; without counting references to arrays; 1 / 0 is a number.
helper = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", _nrt=False)
_DEPENDENT = 1e-12  # of its diagonal entry: a pivot this small is rounding error
_ROUNDING = 1e-12  # of the terms of a sum: a sum this small is rounding error
_SOLVED = 1e-9  # of the terms of a sum: a gradient this small is that of a minimum
_FULL_EXCHANGES = 3  # without progress, before topics are exchanged one at a time
_CORRECTIONS = 2  # steps to the same minimum, where the first came from too far away to be exact


@helper
def _eliminate(gram, shift, members, size, U):  # type: ignore[no-untyped-def]
    """Factorize G + shift between ``members`` as UᵀDU, and carry the two columns after it along.

    The diagonal of U gets 1 / pivot, and 0 where a member depends on those before it: the member then is left
    out, as if it were not passive.
    """
    for i in range(size):
        for j in range(i, size):
            U[i, j] = gram[members[i], members[j]] + shift
    for j in range(size):
        pivot, whole = U[j, j], gram[members[j], members[j]] + shift
        U[j, j] = 1.0 / pivot if pivot > _DEPENDENT * whole else 0.0
        for i in range(j + 1, size):
            factor = U[j, i] * U[j, j]
            for m in range(i, size + 2):
                U[i, m] -= factor * U[j, m]


@helper
def _substitute(U, size, column, x):  # type: ignore[no-untyped-def]
    """Solve for x[:size] with a column that :func:`_eliminate` carried along."""
    for j in range(size - 1, -1, -1):
        value = U[j, column]
        for m in range(j + 1, size):
            value -= U[j, m] * x[m]
        x[j] = value * U[j, j]


@helper
def _keep_sum(size, z, x):  # type: ignore[no-untyped-def]
    """Make Σx zero by a multiple of z, the way on which the sum grows at the least cost."""
    along, across = 0.0, 0.0
    for i in range(size):
        along += x[i]
        across += z[i]
    for i in range(size):
        x[i] -= along / across * z[i]


@helper
def _flat_step(gram, members, size, q, y, x):  # type: ignore[no-untyped-def]
    """Turn x, along which G has next to no curvature, downhill; return the step to the minimum, or 0."""
    slope, rounding, curvature = 0.0, 0.0, 0.0
    for i in range(size):
        t = members[i]
        slope += x[i] * y[t]
        rounding += _ROUNDING * abs(x[i]) * (abs(q[t]) + abs(y[t] + q[t]))
        for j in range(size):
            curvature += x[i] * gram[t, members[j]] * x[j]
    if abs(slope) <= rounding:
        return 0.0
    if slope > 0.0:
        for i in range(size):
            x[i] = -x[i]
    return abs(slope) / curvature if curvature > 0.0 else np.inf


@helper
def _direction(gram, shift, pivoting, members, size, U, q, y, x, z):  # type: ignore[no-untyped-def]
    """Overwrite x with a way down for the passive topics; return the step, 1 to the minimum over all of them.

    Where some depend on others, it is a way on which the curvature is 0 and the slope is not, if there is
    one; the step then is negative, its size as far as to go at the most. With a shift, Σx = 0.
    """
    # The shift itself then makes no difference, but for a G that is singular without it.
    for i in range(size):
        U[i, size] = -y[members[i]]
        U[i, size + 1] = 1.0
    _eliminate(gram, shift, members, size, U)
    if shift > 0.0:
        _substitute(U, size, size + 1, z)
    for j in range(size + 1):
        if j < size and (pivoting or U[j, j] != 0.0):
            continue
        _substitute(U, j, j, x)
        for i in range(j, size):
            x[i] = 0.0 if i > j else -1.0
        if shift > 0.0:
            _keep_sum(size, z, x)
        if j < size:
            far = _flat_step(gram, members, size, q, y, x)
            if far > 0.0:
                return -far
    return 1.0


@helper
def _gradient(gram, q, f, y):  # type: ignore[no-untyped-def]
    """Overwrite y with G f − q."""
    k = len(q)
    for t in range(k):
        y[t] = -q[t]
    for j in range(k):
        if f[j] != 0.0:
            for t in range(k):
                y[t] += f[j] * gram[j, t]


@helper
def _members(passive, members):  # type: ignore[no-untyped-def]
    """List the passive topics; return how many they are."""
    size = 0
    for t in range(len(passive)):
        if passive[t]:
            members[size] = t
            size += 1
    return size


@helper
def _exchange(q, present, f, y, passive, wrong, members, size, U, constrained, only_last):  # type: ignore[no-untyped-def]
    """Let topics on the wrong side change sides, all or ``only_last``; return how many were wrong, −1: stuck.

    A dependent topic was solved for as if it were active. If it should grow, others would have to give way.
    Stuck also where G is so nearly singular that the passive topics were not solved for.
    """
    count, last, stuck = 0, 0, False
    level = y[members[0]] if constrained else 0.0
    for i in range(size):
        passive[members[i]] = U[i, i] != 0.0
    for t in range(len(q)):
        rounding = _ROUNDING * (abs(q[t]) + abs(y[t] + q[t]) + abs(level))
        wrong[t] = f[t] < 0.0 if passive[t] else present[t] and y[t] - level < -rounding
        stuck |= passive[t] and abs(y[t] - level) > _SOLVED / _ROUNDING * rounding
        if wrong[t]:
            count += 1
            last = t
    for i in range(size):
        stuck |= U[i, i] == 0.0 and wrong[members[i]]
    for t in range(len(q)):
        if wrong[t] and (t == last or not only_last):
            passive[t] = not passive[t]
    return -1 if stuck else count


@helper
def _enter(q, present, f, y, passive, banned, constrained, correct):  # type: ignore[no-untyped-def]
    """Return the topic whose growth from 0 gains the most; −1 where f is the solution.

    Returns −2 where f should be ``correct``ed: it is not quite the minimum over the topics that are passive.
    """
    level, weight = 0.0, 0.0
    for t in range(len(q)):  # with a sum, all passive topics have one gradient: what a unit more would cost
        level += f[t] * y[t]
        weight += f[t]
    level = level / weight if constrained else 0.0
    best, least, settled = -1, 0.0, True
    for t in range(len(q)):
        rounding = _ROUNDING * (abs(q[t]) + abs(y[t] + q[t]) + abs(level))
        gain = y[t] - level
        if passive[t]:
            settled &= abs(gain) <= rounding
        elif present[t] and not banned[t] and gain < -rounding and gain < least:
            best, least = t, gain
    return -2 if correct and not settled else best


@helper
def _give_sum(gram, q, total, f):  # type: ignore[no-untyped-def]
    """Scale f ≥ 0 to the sum ``total``; if it is zero, put all on the best single topic."""
    weight = 0.0
    for t in range(len(f)):
        weight += f[t]
    if weight > 1e-200 * total and weight < np.inf:  # else the quotient below is no number
        for t in range(len(f)):
            f[t] *= total / weight
        return
    best, least = 0, np.inf
    for t in range(len(f)):
        f[t] = 0.0
        height = 0.5 * total * gram[t, t] - q[t]
        if height < least:
            best, least = t, height
    f[best] = total


@helper
def _begin(gram, q, present, total, start, scale, f, passive, marked):  # type: ignore[no-untyped-def]
    """Set f to the positive part of ``start``, times a scale of 1 or 0, made feasible."""
    for t in range(len(f)):
        f[t] = scale * start[t] if present[t] and start[t] > 0.0 else 0.0
    if total > 0.0:
        _give_sum(gram, q, total, f)
    for t in range(len(f)):
        passive[t] = f[t] > 0.0
        marked[t] = False


@helper
def _move(f, passive, marked, members, size, x, step, entered):  # type: ignore[no-untyped-def]
    """Go along x, up to where a topic is 0, which then is no longer passive; return whether none was."""
    reach, blocking = step, -1
    for i in range(size):
        if x[i] < 0.0 and f[members[i]] < -x[i] * reach:
            reach, blocking = f[members[i]] / -x[i], members[i]
    if reach < np.inf:  # else nothing bounds the objective, which only rounding error can say
        for i in range(size):
            f[members[i]] = max(f[members[i]] + reach * x[i], 0.0)
    if blocking >= 0:
        f[blocking] = 0.0
        passive[blocking] = False
        marked[blocking] = blocking == entered and reach == 0.0  # its gain was rounding error
    return blocking < 0


@helper
def _solve(gram, shift, q, present, total, start, f, y, passive, marked, members, U, x, z):  # type: ignore[no-untyped-def]
    """Solve for one row."""
    # First by block principal pivoting (Kim and Park 2011) from the topics of ``start``: those on the wrong
    # side change sides together, until that makes no progress; then only the last of them does, which must
    # end where G is positive definite. Where it fails, by the primal active set method (Lawson and Hanson):
    # from nothing, for a singular G is slow with many passive topics; and should rounding error keep that
    # from ending, from ``start``. No step of it raises the objective, so f may be used when the turns are up.
    k = len(q)
    pivoting, solved, entered, corrections = True, False, -1, 0
    fewest, patience = k + 1, _FULL_EXCHANGES
    _begin(gram, q, present, total, start, 1.0, f, passive, marked)
    size = _members(passive, members)
    for turn in range(12 * k + 100):
        if turn == 6 * k + 50:
            pivoting = solved = False
            _begin(gram, q, present, total, start, 1.0, f, passive, marked)
        _gradient(gram, q, f, y)
        if pivoting and solved:
            count = _exchange(q, present, f, y, passive, marked, members, size, U, total > 0.0, patience < 0)
            if count == 0:
                return
            patience = _FULL_EXCHANGES if count < fewest else patience - 1
            fewest = min(count, fewest)
            if count < 0 or turn > 2 * k + 20:
                pivoting = solved = False
                _begin(gram, q, present, total, start, 0.0, f, passive, marked)
                _gradient(gram, q, f, y)
        elif solved:
            enters = _enter(q, present, f, y, passive, marked, total > 0.0, corrections < _CORRECTIONS)
            if enters == -1:
                return
            if enters >= 0:
                passive[enters] = True
                entered = enters
            corrections = corrections + 1 if enters == -2 else 0
        size = _members(passive, members)
        if pivoting:  # whatever f was: the passive topics alone say where it goes
            for t in range(k):
                f[t] = 0.0
            if total > 0.0:
                f[members[0]] = total
            _gradient(gram, q, f, y)
        step = _direction(gram, shift, pivoting, members, size, U, q, y, x, z)
        if pivoting:
            solved = True
            for i in range(size):
                f[members[i]] += x[i]
        else:
            solved = _move(f, passive, marked, members, size, x, abs(step), entered) and step > 0.0


@helper
def _height(gram, q, f, y):  # type: ignore[no-untyped-def]
    """Return ½ f G fᵀ − q·f; y is overwritten."""
    _gradient(gram, q, f, y)
    height = 0.0
    for t in range(len(q)):
        height += 0.5 * f[t] * (y[t] - q[t])
    return height


@helper
def _change(gram, old, f, moved):  # type: ignore[no-untyped-def]
    """Return (f − old) G (f − old)ᵀ."""
    count, change = 0, 0.0
    for t in range(len(f)):
        if f[t] != old[t]:
            moved[count] = t
            count += 1
    for i in range(count):
        t = moved[i]
        along = 0.0
        for j in range(count):
            along += gram[t, moved[j]] * (f[moved[j]] - old[moved[j]])
        change += along * (f[t] - old[t])
    return change


def solve_rows(
    P: Any, F: Any, gram: Any, present: Any, penalty: float, total: float, work: Any, members: Any, marks: Any,
    report: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Solve rows start:stop of F for min ½ f G fᵀ − (p − penalty)·f over f ≥ 0, with Σf = total if > 0.

    Only topics that are ``present`` may take weight. ``report`` has a line per block of rows, to which each
    row adds f·p and (f − f_before) G (f − f_before)ᵀ; ``start`` is where such a block begins. ``work``
    (k + 7 × k + 2), ``members`` (k) and ``marks`` (2 × k) are to work in.
    """
    k = gram.shape[0]
    lanes = LANE_BYTES // F.itemsize
    constrained = total > 0.0
    shift = 0.0
    if constrained:
        for t in range(k):
            shift += gram[t, t] / k
        shift = shift if shift > 0.0 else 1.0
    U, passive, marked = work[:k], marks[0], marks[1]
    q, f, y, x = work[k, :k], work[k + 1, :k], work[k + 2, :k], work[k + 3, :k]
    z, old, begun = work[k + 4, :k], work[k + 5, :k], work[k + 6, :k]
    for i in range(start, stop):
        for t in range(k):
            old[t] = F[i, t]
            q[t] = P[i, t] if constrained else P[i, t] - penalty
        _begin(gram, q, present, total, old, 1.0, begun, passive, marked)
        height = _height(gram, q, begun, y)
        _solve(gram, shift, q, present, total, old, f, y, passive, marked, members, U, x, z)
        if constrained:
            _give_sum(gram, q, total, f)
        if not _height(gram, q, f, y) <= height + _ROUNDING * abs(height):
            for t in range(k):
                f[t] = begun[t]  # G is too nearly singular to say more
        inner = 0.0
        for t in range(k):
            F[i, t] = f[t]
            f[t] = F[i, t]  # as it was stored
            inner += f[t] * P[i, t]
        report[i // lanes, 0] += inner
        report[i // lanes, 1] += _change(gram, old, f, members)


KERNELS = (solve_rows,)
