"""Vector instructions for the losses other than least squares: eight entries of a sparse row at once.

For one row f of a factor and the entries x_j of its row of X, all need y_j = f·B_j. Eight rows of B are taken
together: their products with f are summed in eight accumulators, which a tree of shuffles turns into one
vector of eight y, so that divisions and logarithms are vector operations too. The rows of B are fetched two
blocks ahead, and used again, from the nearest cache, for the sums over the entries.

==============  ==============================================================================
``pull_kl``     q += Σ_j x_j / y_j · B_j
``pull_is``     q += Σ_j x_j / y_j² · B_j and v += Σ_j 1 / y_j · B_j
``renew_kl``    the new f from q, and what that gains, for Kullback-Leibler
``renew_is``    the same from q and v, for Itakura-Saito
``misfit``      Σ_j x_j log(x_j / y_j) − x_j, or Σ_j x_j / y_j − log(x_j / y_j) − 1
==============  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from quire.backends.kernels.layout import WIDTH
from quire.backends.kernels.simd import (
    _I32,
    _I64,
    _index,
    _int,
    _load,
    _multiply_add,
    _pointer,
    _prefetch,
    _scalar,
    _splat,
    _store,
    _zero,
)

_AHEAD = 2 * WIDTH  # how many entries ahead the rows of B are fetched into cache
_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)


class _Logarithm(NamedTuple):
    """fdlibm's constants for one type of number."""

    bits: int
    mantissa_bits: int
    root_half: int  # the bits of √½, or a little less
    ln2: tuple[float, float]  # in two parts, the first with zeros at its end: times an exponent it is exact
    series: tuple[float, ...]  # of log((1 + s) / (1 − s)) / s − 2 in s²: the best polynomial


_LOGARITHMS = {
    ir.FloatType(): _Logarithm(
        32, 23, 0x3F3504F3, (6.9313812256e-01, 9.0580006145e-06),
        (0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841),
    ),
    ir.DoubleType(): _Logarithm(
        64, 52, 0x3FE6A09E00000000, (6.93147180369123816490e-01, 1.90821492927058770002e-10),
        (6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
         2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
         1.479819860511658591e-01),
    ),
}  # fmt: skip


class _Row(NamedTuple):
    """One row of a factor and the entries of its row of X, as an intrinsic sees them."""

    f: Any
    B: Any
    width: Any
    data: Any
    indices: Any
    start: Any
    stop: Any
    until: Any  # where the entries end that the kernel will come to, those of later rows included
    floor: Any  # y is at least floor + slope · x, so that every quotient is a number
    slope: Any
    vector: ir.VectorType


def _row_types(F: Any, B: Any, data: Any, indices: Any, floors: Any) -> tuple[Any, ...]:
    """Types of the parameters that each of the intrinsics over entries begins with."""
    i8 = types.int64
    return F, i8, B, data, indices, i8, i8, i8, floors


def _row(context: Any, builder: Any, kinds: Any, args: Any) -> _Row:
    F, B, data, indices, floors = (_pointer(context, builder, kinds[i], args[i]) for i in (0, 2, 3, 4, 8))
    vector = ir.VectorType(context.get_data_type(kinds[3].dtype), WIDTH)
    floor, slope = (_splat(builder, _scalar(builder, floors, _int(i)), vector) for i in range(2))
    width = builder.extract_value(context.make_array(kinds[2])(context, builder, args[2]).shape, 1)
    f, (start, stop, until) = builder.gep(F, [args[1]]), args[5:8]
    return _Row(f, B, width, data, indices, start, stop, until, floor, slope, vector)


def _constant(value: float, vector: ir.VectorType) -> ir.Constant:
    return ir.Constant(vector, [value] * vector.count)


def _larger(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _at_topics(builder: Any, width: Any, step: int = WIDTH) -> Any:
    """Loop over the topics, ``step`` at a time."""
    return cgutils.for_range_slice(builder, _int(0), width, _int(step), _I64)


def _each_block(builder: Any, row: _Row, body: Callable[[Any, Any, list[Any]], None]) -> None:
    """Call ``body(x, y, rows of B)`` for every eight entries; those beyond the row's end are 0."""
    spare_x = cgutils.alloca_once(builder, row.data.type.pointee, size=_int(WIDTH))
    spare_indices = cgutils.alloca_once(builder, row.indices.type.pointee, size=_int(WIDTH))
    lanes = ir.Constant(ir.VectorType(_I64, WIDTH), list(range(WIDTH)))
    with cgutils.for_range_slice(builder, row.start, row.stop, _int(WIDTH), _I64) as (p, _):
        ahead = builder.add(p, _int(_AHEAD))
        with builder.if_then(builder.icmp_signed("<=", builder.add(ahead, _int(WIDTH)), row.until), likely=True):
            _fetch(builder, row, _rows(builder, row, builder.gep(row.indices, [ahead])))
        # What is loaded may reach into later rows, not beyond the last entry: there a copy is read instead.
        whole = builder.icmp_signed("<=", builder.add(p, _int(WIDTH)), row.until)
        with builder.if_then(builder.not_(whole), likely=False):
            for u in range(WIDTH):
                place = builder.add(p, _int(u))
                place = builder.select(builder.icmp_signed("<", place, row.until), place, p)
                builder.store(_scalar(builder, row.data, place), builder.gep(spare_x, [_int(u)]))
                builder.store(_scalar(builder, row.indices, place), builder.gep(spare_indices, [_int(u)]))
        x = builder.select(whole, builder.gep(row.data, [p]), spare_x)
        indices = builder.select(whole, builder.gep(row.indices, [p]), spare_indices)
        left = _splat(builder, builder.sub(row.stop, p), lanes.type)
        there = builder.icmp_signed("<", lanes, left)
        x = builder.select(there, _load(builder, x, _int(0), row.vector), _zero(row.vector))
        rows = _rows(builder, row, indices)
        y = _dots(builder, row, rows)
        body(x, _larger(builder, y, _multiply_add(builder, row.slope, x, row.floor)), rows)


def _rows(builder: Any, row: _Row, indices: Any) -> list[Any]:
    """Pointers to the eight rows of B that the next eight indices name."""
    offsets = (builder.mul(_index(builder, indices, _int(u)), row.width) for u in range(WIDTH))
    return [builder.gep(row.B, [offset]) for offset in offsets]


def _fetch(builder: Any, row: _Row, rows: list[Any]) -> None:
    """Bring eight rows of B into the nearest cache."""
    item = 4 if isinstance(row.vector.element, ir.FloatType) else 8
    with _at_topics(builder, row.width, 64 // item) as (c, _):
        for b in rows:
            _prefetch(builder, b, c, 64, item)


def _dots(builder: Any, row: _Row, rows: list[Any]) -> Any:
    """f·B_j for eight rows of B: eight sums over every eighth topic, then a tree over those."""
    sums = [cgutils.alloca_once(builder, row.vector) for _ in rows]
    for total in sums:
        builder.store(_zero(row.vector), total)
    with _at_topics(builder, row.width) as (c, _):
        f = _load(builder, row.f, c, row.vector)
        for b, total in zip(rows, sums):
            product = _multiply_add(builder, f, _load(builder, b, c, row.vector), builder.load(total))
            builder.store(product, total)
    parts = [builder.load(total) for total in sums]
    for distance in (1, 2, 4):
        low = [i if not i & distance else i - distance + WIDTH for i in range(WIDTH)]
        high = [i + distance if not i & distance else i + WIDTH for i in range(WIDTH)]
        masks = [ir.Constant(ir.VectorType(_I32, WIDTH), mask) for mask in (low, high)]
        pairs = zip(parts[::2], parts[1::2])  # neighbours here are `distance` lanes apart in the end
        parts = [builder.fadd(*(builder.shuffle_vector(a, b, mask) for mask in masks)) for a, b in pairs]
    return parts[0]


def _add_rows(builder: Any, row: _Row, rows: list[Any], weights: list[Any], sums: list[Any]) -> None:
    """Add Σ_u weight[u] · B[u] to ``sum`` for each of ``weights`` and ``sums``, in two independent chains."""
    lanes = [[_lane(builder, weight, u) for u in range(WIDTH)] for weight in weights]
    with _at_topics(builder, row.width) as (c, _):
        b = [_load(builder, pointer, c, row.vector) for pointer in rows]
        for of_weight, total in zip(lanes, sums):
            first = _load(builder, total, c, row.vector)
            second = builder.fmul(of_weight[4], b[4])
            for u in range(4):
                first = _multiply_add(builder, of_weight[u], b[u], first)
            for u in range(5, WIDTH):
                second = _multiply_add(builder, of_weight[u], b[u], second)
            _store(builder, builder.fadd(first, second), total, c)


def _lane(builder: Any, vector: Any, lane: int) -> Any:
    """Fill a vector with one of its lanes."""
    mask = ir.Constant(ir.VectorType(_I32, WIDTH), [lane] * WIDTH)
    return builder.shuffle_vector(vector, vector, mask)


@intrinsic
def pull_kl(typingctx, F, f_at, B, data, indices, start, stop, until, floors, q):  # type: ignore[no-untyped-def]
    """Add Σ_j x_j / y_j · B_j over the entries start:stop to q; f is F.flat[f_at:f_at + k]."""
    signature = types.void(*_row_types(F, B, data, indices, floors), q)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row = _row(context, builder, signature.args, args)
        sums = [_pointer(context, builder, signature.args[9], args[9])]

        def add(x: Any, y: Any, rows: list[Any]) -> None:
            _add_rows(builder, row, rows, [builder.fdiv(x, y)], sums)

        _each_block(builder, row, add)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def pull_is(typingctx, F, f_at, B, data, indices, start, stop, until, floors, q, v):  # type: ignore[no-untyped-def]
    """Add Σ_j x_j / y_j² · B_j over the entries start:stop to q, and Σ_j 1 / y_j · B_j to v."""
    signature = types.void(*_row_types(F, B, data, indices, floors), q, v)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row = _row(context, builder, signature.args, args)
        sums = [_pointer(context, builder, signature.args[i], args[i]) for i in (9, 10)]
        one = _constant(1.0, row.vector)

        def add(x: Any, y: Any, rows: list[Any]) -> None:
            there = builder.fcmp_ordered(">", x, _zero(row.vector))
            inverse = builder.select(there, builder.fdiv(one, y), _zero(row.vector))
            weights = [builder.fmul(builder.fmul(x, inverse), inverse), inverse]
            _add_rows(builder, row, rows, weights, sums)

        _each_block(builder, row, add)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def misfit(typingctx, F, f_at, B, data, indices, start, stop, until, floors, kullback):  # type: ignore[no-untyped-def]
    """Return Σ_j x_j log(x_j / y_j) − x_j if ``kullback``, else Σ_j x_j / y_j − log(x_j / y_j) − 1."""
    signature = types.float64(*_row_types(F, B, data, indices, floors), types.boolean)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row = _row(context, builder, signature.args, args)
        one = _constant(1.0, row.vector)
        total = cgutils.alloca_once(builder, _DOUBLES)
        builder.store(_zero(_DOUBLES), total)
        kullback = builder.icmp_unsigned("!=", args[9], ir.Constant(args[9].type, 0))

        def double(value: Any) -> Any:
            return value if row.vector == _DOUBLES else builder.fpext(value, _DOUBLES)

        def add(x: Any, y: Any, rows: list[Any]) -> None:
            there = builder.fcmp_ordered(">", x, _zero(row.vector))
            ratio = builder.select(there, builder.fdiv(x, y), one)  # 0 log 0 = 0
            x, ratio, logarithm = double(x), double(ratio), double(_log(builder, ratio))
            of_kl = builder.fsub(builder.fmul(x, logarithm), x)
            of_is = builder.fsub(builder.fsub(ratio, logarithm), _constant(1.0, _DOUBLES))
            builder.store(builder.fadd(builder.load(total), builder.select(kullback, of_kl, of_is)), total)

        _each_block(builder, row, add)
        return _lane_sum(builder, builder.load(total))

    return signature, codegen


def _log(builder: Any, r: Any) -> Any:
    """Return log r of positive normal numbers: r = 2ⁿ m, √½ ≤ m < √2, and a series in (m − 1) / (m + 1)."""
    vector, known = r.type, _LOGARITHMS[r.type.element]
    integers = ir.VectorType(ir.IntType(known.bits), WIDTH)
    bias = 2 ** (known.bits - known.mantissa_bits - 2) - 1

    def integer(value: int) -> ir.Constant:
        return ir.Constant(integers, [value] * WIDTH)

    one = bias << known.mantissa_bits
    bits = builder.add(builder.bitcast(r, integers), integer(one - known.root_half))
    # An integer or-ed to the bits of a large power of two adds itself to that: faster than a conversion.
    large = (bias + known.mantissa_bits) << known.mantissa_bits
    exponent = builder.or_(builder.lshr(bits, integer(known.mantissa_bits)), integer(large))
    n = builder.fsub(builder.bitcast(exponent, vector), _constant(2.0**known.mantissa_bits + bias, vector))
    mantissa = builder.and_(bits, integer((1 << known.mantissa_bits) - 1))
    m = builder.bitcast(builder.add(mantissa, integer(known.root_half)), vector)
    f = builder.fsub(m, _constant(1.0, vector))
    half = builder.fmul(_constant(0.5, vector), builder.fmul(f, f))
    s = builder.fdiv(f, builder.fadd(_constant(2.0, vector), f))
    z = builder.fmul(s, s)
    series = _constant(known.series[-1], vector)
    for coefficient in known.series[-2::-1]:
        series = _multiply_add(builder, z, series, _constant(coefficient, vector))
    high, low = (_constant(part, vector) for part in known.ln2)
    rest = builder.fmul(s, _multiply_add(builder, z, series, half))
    rest = builder.fsub(half, _multiply_add(builder, n, low, rest))
    return _multiply_add(builder, n, high, builder.fsub(f, rest))


def _lane_sum(builder: Any, value: Any) -> Any:
    """Sum a vector's lanes: halves, quarters, pairs."""
    for distance in (4, 2, 1):
        mask = ir.Constant(ir.VectorType(_I32, WIDTH), [i ^ distance for i in range(WIDTH)])
        value = builder.fadd(value, builder.shuffle_vector(value, value, mask))
    return builder.extract_element(value, _I32(0))


@intrinsic
def renew_kl(typingctx, F, f_at, q, sums, l1, l2):  # type: ignore[no-untyped-def]
    """Set f_t to the root of l2 f² + (s_t + l1) f − f_t q_t = 0; return Σ_t (s_t + l1 + l2 f_t) δ² / f_t."""
    signature = types.float64(F, types.int64, q, sums, l1, l2)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        q, sums = (_pointer(context, builder, signature.args[i], args[i]) for i in (2, 3))

        def step(f: Any, c: Any, l1: Any, l2: Any) -> tuple[Any, Any]:
            target = builder.fmul(f, _load(builder, q, c, f.type))
            slope = builder.fadd(_load(builder, sums, c, f.type), l1)
            zero, four = _zero(f.type), _constant(4.0, f.type)
            new = cgutils.alloca_once(builder, f.type)
            with builder.if_else(builder.fcmp_ordered(">", args[5], ir.Constant(args[5].type, 0.0))) as (yes, no):
                with yes:
                    curved = builder.fmul(builder.fmul(four, l2), target)
                    root = _sqrt(builder, builder.fadd(builder.fmul(slope, slope), curved))
                    below = builder.fadd(slope, root)
                    value = builder.fdiv(builder.fadd(target, target), below)
                    builder.store(builder.select(builder.fcmp_ordered(">", below, zero), value, zero), new)
                with no:
                    there = builder.fcmp_ordered(">", slope, zero)
                    builder.store(builder.select(there, builder.fdiv(target, slope), f), new)
            return builder.load(new), _multiply_add(builder, l2, f, slope)

        return _renew(context, builder, signature.args, args, args[4:6], step)

    return signature, codegen


@intrinsic
def renew_is(typingctx, F, f_at, q, v, l1, l2):  # type: ignore[no-untyped-def]
    """Set f_t to f_t √(q_t / c_t) with c_t = v_t + l1 + l2 f_t; return Σ_t c_t δ_t² / f_t."""
    signature = types.float64(F, types.int64, q, v, l1, l2)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        q, v = (_pointer(context, builder, signature.args[i], args[i]) for i in (2, 3))

        def step(f: Any, c: Any, l1: Any, l2: Any) -> tuple[Any, Any]:
            below = _multiply_add(builder, l2, f, builder.fadd(_load(builder, v, c, f.type), l1))
            ratio = builder.fdiv(_load(builder, q, c, f.type), below)
            new = builder.fmul(f, _sqrt(builder, ratio))
            return builder.select(builder.fcmp_ordered(">", below, _zero(f.type)), new, f), below

        return _renew(context, builder, signature.args, args, args[4:6], step)

    return signature, codegen


def _renew(
    context: Any, builder: Any, kinds: Any, args: Any, penalties: Any, step: Callable[..., tuple[Any, Any]]
) -> Any:
    """Overwrite f, eight topics at a time, with what ``step`` makes of it; return Σ_t cost_t δ_t² / f_t."""
    f_p = _pointer(context, builder, kinds[0], args[0])
    width = builder.extract_value(context.make_array(kinds[0])(context, builder, args[0]).shape, 1)
    vector = ir.VectorType(context.get_data_type(kinds[0].dtype), WIDTH)
    l1, l2 = (_splat(builder, penalty, vector) for penalty in penalties)
    tiny = _constant(float(np.finfo(f"f{kinds[0].dtype.bitwidth // 8}").tiny), vector)
    total = cgutils.alloca_once(builder, vector)
    builder.store(_zero(vector), total)
    with _at_topics(builder, width) as (c, _):
        at = builder.add(args[1], c)
        f = _load(builder, f_p, at, vector)
        new, cost = step(f, c, l1, l2)
        # Numbers below the smallest normal one are slow, and no topic comes back from there.
        new = builder.select(builder.fcmp_ordered(">", tiny, new), _zero(vector), new)
        _store(builder, new, f_p, at)
        delta = builder.fsub(new, f)
        relative = builder.fdiv(delta, _larger(builder, f, tiny))
        gained = _multiply_add(builder, builder.fmul(cost, delta), relative, builder.load(total))
        builder.store(gained, total)
    sum_ = _lane_sum(builder, builder.load(total))
    return sum_ if sum_.type == ir.DoubleType() else builder.fpext(sum_, ir.DoubleType())


def _sqrt(builder: Any, value: Any) -> Any:
    name = f"llvm.sqrt.v{WIDTH}f{32 if isinstance(value.type.element, ir.FloatType) else 64}"
    signature = ir.FunctionType(value.type, [value.type])
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, name), [value])
