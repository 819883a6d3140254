"""Vector instructions for the mixture: the posteriors of one document, eight topics at once, in float64.

==============  ==============================================================================
``posterior``   memberships from scores by · p_t + of_size · log size_t, and how far they moved
``log_shares``  log((by · p_t + held) / total_t) / unit, of the topics of a term
==============  ==============================================================================
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from quire.backends.kernels.layout import WIDTH
from quire.backends.kernels.loss_simd import _DOUBLES, _at_topics, _constant, _lane_sum, _larger, _log
from quire.backends.kernels.simd import _I32, _I64, _int, _load, _multiply_add, _pointer, _splat, _store, _zero

_LONGS = ir.VectorType(_I64, WIDTH)
_ROUNDS = 1.5 * 2.0**52  # added to a small number it leaves the nearest whole one in the last bits
_LN2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # in two parts: times an exponent the first is exact
_LEAST = -708.0  # below it e^x is as good as 0, and no normal number
_DEGREE = 13  # of the series: its next term is below the last digit


def _exp(builder: Any, x: Any) -> Any:
    """Return e^x of numbers up to 0: x = n log 2 + r, |r| ≤ log 2 / 2, and a series in r."""
    held = _larger(builder, x, _constant(_LEAST, _DOUBLES))
    whole = builder.fadd(builder.fmul(held, _constant(1 / math.log(2), _DOUBLES)), _constant(_ROUNDS, _DOUBLES))
    n = builder.fsub(whole, _constant(_ROUNDS, _DOUBLES))
    r = held
    for part in _LN2:
        r = builder.fsub(r, builder.fmul(n, _constant(part, _DOUBLES)))
    series = _constant(1 / math.factorial(_DEGREE), _DOUBLES)
    for power in reversed(range(_DEGREE)):
        series = _multiply_add(builder, r, series, _constant(1 / math.factorial(power), _DOUBLES))
    exponent = builder.shl(builder.bitcast(whole, _LONGS), ir.Constant(_LONGS, [52] * WIDTH))
    power_of_two = builder.bitcast(builder.add(builder.bitcast(series, _LONGS), exponent), _DOUBLES)
    return builder.select(builder.fcmp_ordered(">=", x, _constant(_LEAST, _DOUBLES)), power_of_two, _zero(_DOUBLES))


def _lane_max(builder: Any, value: Any) -> Any:
    for distance in (4, 2, 1):
        mask = ir.Constant(ir.VectorType(_I32, WIDTH), [i ^ distance for i in range(WIDTH)])
        value = _larger(builder, value, builder.shuffle_vector(value, value, mask))
    return builder.extract_element(value, _I32(0))


def _doubles(builder: Any, value: Any) -> Any:
    return value if value.type == _DOUBLES else builder.fpext(value, _DOUBLES)


@intrinsic
def posterior(typingctx, P, p_at, F, f_at, logs, topics, by, of_size, sharpness, numerator, work, report, r_at):  # type: ignore[no-untyped-def]
    """Set F.flat[f_at:f_at + topics] to e^score / Σ e^score · numerator; report the highest, the sum, what moved.

    A score is (by · p_t + of_size · log size_t) · sharpness. The rest of the row becomes 0.
    """
    i8, f8 = types.int64, types.float64
    signature = types.void(P, i8, F, i8, logs, i8, f8, f8, f8, f8, work, report, i8)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        P_p, F_p, logs_p, work_p, report_p = (_pointer(context, builder, kinds[i], args[i]) for i in (0, 2, 4, 10, 11))
        width = builder.extract_value(context.make_array(kinds[0])(context, builder, args[0]).shape, 1)
        vector = ir.VectorType(context.get_data_type(kinds[0].dtype), WIDTH)
        by, of_size, sharpness, numerator = (_splat(builder, args[i], _DOUBLES) for i in range(6, 10))
        lanes, last = ir.Constant(_LONGS, list(range(WIDTH))), _splat(builder, args[5], _LONGS)
        top, total, moved = (cgutils.alloca_once(builder, _DOUBLES) for _ in range(3))
        builder.store(_constant(-math.inf, _DOUBLES), top)
        builder.store(_zero(_DOUBLES), total)
        builder.store(_zero(_DOUBLES), moved)

        def there(c: Any) -> Any:  # which of the next eight are topics
            return builder.icmp_signed("<", builder.add(_splat(builder, c, _LONGS), lanes), last)

        with _at_topics(builder, width) as (c, _):
            p = _doubles(builder, _load(builder, P_p, builder.add(args[1], c), vector))
            of_sizes = builder.fmul(_load(builder, logs_p, c, _DOUBLES), of_size)
            score = builder.fmul(builder.fadd(builder.fmul(p, by), of_sizes), sharpness)
            score = builder.select(there(c), score, _constant(-math.inf, _DOUBLES))
            _store(builder, score, work_p, c)
            builder.store(_larger(builder, score, builder.load(top)), top)
        highest = _lane_max(builder, builder.load(top))
        level = _splat(builder, highest, _DOUBLES)
        with _at_topics(builder, width) as (c, _):
            share = _exp(builder, builder.fsub(_load(builder, work_p, c, _DOUBLES), level))
            _store(builder, share, work_p, c)
            builder.store(builder.fadd(builder.load(total), share), total)
        whole = _lane_sum(builder, builder.load(total))
        factor = builder.fdiv(numerator, _splat(builder, whole, _DOUBLES))
        with _at_topics(builder, width) as (c, _):
            at = builder.add(args[3], c)
            new = builder.fmul(_load(builder, work_p, c, _DOUBLES), factor)
            away = builder.fsub(new, _doubles(builder, _load(builder, F_p, at, vector)))
            away = _larger(builder, away, builder.fsub(_zero(_DOUBLES), away))
            away = builder.select(there(c), away, _zero(_DOUBLES))
            builder.store(builder.fadd(builder.load(moved), away), moved)
            _store(builder, new if vector == _DOUBLES else builder.fptrunc(new, vector), F_p, at)
        for place, value in enumerate((highest, whole, _lane_sum(builder, builder.load(moved)))):
            builder.store(value, builder.gep(report_p, [builder.add(args[12], _int(place))]))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def log_shares(typingctx, P, p_at, F, f_at, logs, topics, by, held, unit):  # type: ignore[no-untyped-def]
    """Set F.flat[f_at:f_at + topics] to log((by · p_t + held) / logs_t) / unit, and the rest of the row to 0."""
    i8, f8 = types.int64, types.float64
    signature = types.void(P, i8, F, i8, logs, i8, f8, f8, f8)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        P_p, F_p, totals_p = (_pointer(context, builder, kinds[i], args[i]) for i in (0, 2, 4))
        width = builder.extract_value(context.make_array(kinds[0])(context, builder, args[0]).shape, 1)
        vector = ir.VectorType(context.get_data_type(kinds[0].dtype), WIDTH)
        by, held, unit = (_splat(builder, args[i], _DOUBLES) for i in range(6, 9))
        lanes, last = ir.Constant(_LONGS, list(range(WIDTH))), _splat(builder, args[5], _LONGS)
        with _at_topics(builder, width) as (c, _):
            p = _doubles(builder, _load(builder, P_p, builder.add(args[1], c), vector))
            words = builder.fadd(builder.fmul(p, by), held)
            share = builder.fdiv(words, _load(builder, totals_p, c, _DOUBLES))
            value = builder.fdiv(_log(builder, share), unit)
            there = builder.icmp_signed("<", builder.add(_splat(builder, c, _LONGS), lanes), last)
            value = builder.select(there, value, _zero(_DOUBLES))
            _store(
                builder, value if vector == _DOUBLES else builder.fptrunc(value, vector), F_p, builder.add(args[3], c)
            )
        return context.get_dummy_value()

    return signature, codegen
