"""The CPU kernels: plain functions over a range of rows, compiled by :mod:`quire.backends.kernels.compiled`.

Each has a twin in ``reference.matrix`` that says the same in NumPy. A kernel's parameter names fix
its types (see ``compiling.TYPES``). None allocates, so that none needs anything of numba's (room to work in is
given), none holds the GIL, and the result for a row depends neither on the range it came in nor on the rows beside it.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from quire.backends.kernels import simd
from quire.backends.kernels.layout import LANE_BYTES, WIDTH
from quire.backends.kernels.simd import axpy, prefetch, sweep, transpose

_AHEAD = 48  # entries ahead for which a transpose fetches places
# Called by kernels alone: without the wrappers for Python and C it compiles faster.
helper = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


@helper
def _row_product(data, indices, start, stop, B, out, out_at):  # type: ignore[no-untyped-def]
    """out[out_at:out_at + k] += Σ_p data[p] · B[indices[p], :], eight vectors of eight at a time."""
    k = B.shape[1]
    column = 0
    while k - column >= 8 * WIDTH:
        simd.gather8(out, out_at + column, data, indices, start, stop, B, column)
        column += 8 * WIDTH
    left = (k - column) // WIDTH
    if left == 1:
        simd.gather1(out, out_at + column, data, indices, start, stop, B, column)
    elif left == 2:
        simd.gather2(out, out_at + column, data, indices, start, stop, B, column)
    elif left == 3:
        simd.gather3(out, out_at + column, data, indices, start, stop, B, column)
    elif left == 4:
        simd.gather4(out, out_at + column, data, indices, start, stop, B, column)
    elif left == 5:
        simd.gather5(out, out_at + column, data, indices, start, stop, B, column)
    elif left == 6:
        simd.gather6(out, out_at + column, data, indices, start, stop, B, column)
    elif left == 7:
        simd.gather7(out, out_at + column, data, indices, start, stop, B, column)


@helper
def _to_lanes(source, source_at, block):  # type: ignore[no-untyped-def]
    """block[topic, lane] = source[lane, topic], source given as a flat offset to its first row."""
    k, lanes = block.shape
    for r in range(0, lanes, WIDTH):
        for t in range(0, k, WIDTH):
            transpose(source, source_at + r * k + t, k, block, t * lanes + r, lanes)


@helper
def _load_block(source, first, count, rows, block):  # type: ignore[no-untyped-def]
    """Bring ``count`` rows of ``source`` into lane order; the last, short block goes through ``rows``."""
    k, lanes = block.shape
    if count == lanes:
        _to_lanes(source, first * k, block)
    else:
        for r in range(count):
            for t in range(k):
                rows[r, t] = source[first + r, t]
        _to_lanes(rows, 0, block)


@helper
def _store_block(block, target, first, count, rows):  # type: ignore[no-untyped-def]
    """Undo :func:`_load_block`."""
    k, lanes = block.shape
    whole = count == lanes
    for r in range(0, lanes, WIDTH):
        for t in range(0, k, WIDTH):
            if whole:
                transpose(block, t * lanes + r, lanes, target, (first + r) * k + t, k)
            else:
                transpose(block, t * lanes + r, lanes, rows, r * k + t, k)
    if not whole:
        for r in range(count):
            for t in range(k):
                target[first + r, t] = rows[r, t]


def product(indptr: Any, indices: Any, data: Any, B: Any, out: Any, start: int, stop: int) -> None:
    """Add rows start:stop of X B to ``out``."""
    for i in range(start, stop):
        _row_product(data, indices, indptr[i], indptr[i + 1], B, out, i * B.shape[1])


def scatter(
    indptr: Any, indices: Any, data: Any, B: Any, out: Any, start: int, stop: int, column: int, width: int
) -> None:
    """Add to columns column:column + width of Xᵀ B what rows start:stop of X give it."""
    k = B.shape[1]
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            axpy(out, np.int64(indices[p]) * k + column, data[p], B, i * k + column, width)


def descend(
    indptr: Any, indices: Any, data: Any, B: Any, P: Any, fused: bool, G: Any, inverse: Any, l1: float,
    topics: int, F: Any, sweeps: int, patience: float, rows: Any, blocks: Any, report: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Coordinate descent on rows start:stop of F, for min ½ f G fᵀ − p·f + l1·Σf over f ≥ 0.

    p is the row's product with B, computed here while it is in cache (``fused``), or its row of P. A row
    stops after ``sweeps`` sweeps, or once a sweep gains at most ``patience`` times what its first one did.
    """
    # Topics from ``topics`` on are empty. ``report`` has a line per block of rows: Σ f·p after the last
    # sweep, and Σ_t G_tt δ_t² of the first. ``rows`` (lanes × k) and ``blocks`` (2k + 4 × lanes) are zeros to work in.
    k = G.shape[0]
    lanes = LANE_BYTES // F.itemsize
    w, p, state, enough = blocks[:k], blocks[k : 2 * k], blocks[2 * k : 2 * k + 3], blocks[2 * k + 3]
    for block in range(start, stop, lanes):
        count = min(lanes, stop - block)
        if fused:
            for r in range(count):
                i = block + r
                for t in range(k):
                    rows[r, t] = 0
                _row_product(data, indices, indptr[i], indptr[i + 1], B, rows, r * k)
            _to_lanes(rows, 0, p)
        else:
            _load_block(P, block, count, rows, p)
        _load_block(F, block, count, rows, w)

        first = 0.0
        for r in range(lanes):
            state[0, r] = 1 if r < count else 0
        for s in range(sweeps):
            sweep(G, inverse, l1, topics, w, p, state)
            going = False
            for r in range(lanes):
                if s == 0:
                    enough[r] = state[1, r] * patience
                    first += state[1, r]
                if state[0, r] > 0:
                    if state[1, r] <= enough[r]:
                        state[0, r] = 0
                    else:
                        going = True
            if not going:
                break

        inner = 0.0
        for r in range(count):
            inner += state[2, r]
        report[block // lanes, 0] = inner
        report[block // lanes, 1] = first
        _store_block(w, F, block, count, rows)


def multiply(
    indptr: Any, indices: Any, data: Any, B: Any, P: Any, fused: bool, G: Any, l1: float, F: Any, rows: Any,
    report: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Multiply rows start:stop of F by p / (f G + l1); p as for :func:`descend`.

    ``report`` has a line per block of rows: Σ f·p afterwards, and Σ (denominator)·δ² / f. ``rows`` (2 × k) is to
    work in.
    """
    k = G.shape[0]
    lanes = LANE_BYTES // F.itemsize
    p, below = rows[:1], rows[1]
    for i in range(start, stop):
        for t in range(k):
            p[0, t] = 0 if fused else P[i, t]
            below[t] = l1
        if fused:
            _row_product(data, indices, indptr[i], indptr[i + 1], B, p, 0)
        for t in range(k):
            weight = F[i, t]
            if weight > 0:
                for s in range(k):
                    below[s] += weight * G[t, s]
        inner, moved = 0.0, 0.0
        for t in range(k):
            old = F[i, t]
            new = old * p[0, t] / below[t] if below[t] > 0 else 0  # p / below alone may overflow
            F[i, t] = new
            inner += new * p[0, t]
            moved += (new - old) * (p[0, t] - below[t])
        report[i // lanes, 0] += inner
        report[i // lanes, 1] += moved


def extrapolate(F: Any, old: Any, beta: float, start: int, stop: int) -> None:
    """Overwrite rows start:stop of ``old`` with [F + beta (F − old)]₊."""
    for i in range(start, stop):
        for t in range(F.shape[1]):
            new = F[i, t] + beta * (F[i, t] - old[i, t])
            old[i, t] = new if new > 0 else 0


def count_columns(indptr: Any, indices: Any, counts: Any, start: int, stop: int) -> None:
    """Add to ``counts`` the number of entries that rows start:stop hold in each column."""
    for p in range(indptr[start], indptr[stop]):
        counts[indices[p]] += 1


def place_columns(
    indptr: Any, indices: Any, data: Any, places: Any, out_indices: Any, out_data: Any, start: int, stop: int
) -> None:
    """Put the entries of rows start:stop where ``places`` (next free place per column) says."""
    last = indptr[stop] - 1
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            soon = places[indices[min(p + _AHEAD, last)]]  # few places are in cache: twice as fast with this
            prefetch(out_indices, soon)
            prefetch(out_data, soon)
            place = places[indices[p]]
            places[indices[p]] = place + 1
            out_indices[place] = i
            out_data[place] = data[p]


KERNELS = (product, scatter, descend, multiply, extrapolate, count_columns, place_columns)
