"""Vector instructions over text: 64 bytes looked at together, 32 hashed or compared, 8 loaded as one number.

A scan byte by byte would spend most of its time on branches that no CPU can foresee. All loads may start
anywhere and reach past what they are asked for, so every buffer here ends in ``layout.PAD`` bytes to spare.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from quire.backends.kernels.layout import HASHED, LOOK, NEWLINE

# For what kernels call: without counting references to arrays, which would take longer than the work itself.
lean = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
# For what they call once per word: a call with some arrays takes longer than a look into a table.
inlined = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True)

_BYTE, _I64 = ir.IntType(8), ir.IntType(64)
_BYTES = ir.VectorType(_BYTE, LOOK)
_PART, _NUMBERS = ir.VectorType(_BYTE, HASHED), ir.VectorType(_I64, HASHED // 8)
_ODD = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xC2B2AE3D27D4EB4F, 0xFF51AFD7ED558CCD)  # bits everywhere


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any, kind: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), kind.as_pointer())


def _all(value: int) -> ir.Constant:
    return ir.Constant(_BYTES, [value] * LOOK)


def _within(builder: Any, bytes_: Any, first: str, last: str) -> Any:
    """Mark the bytes from ``first`` to ``last``."""
    from_first = builder.sub(bytes_, _all(ord(first)))
    return builder.icmp_unsigned("<=", from_first, _all(ord(last) - ord(first)))


@intrinsic
def load_part(typingctx, array, at, left):  # type: ignore[no-untyped-def]
    """array[at:at + 8] as one number, the first byte lowest; zeros for all but the ``left`` ≥ 1 first."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = builder.load(_pointer(context, builder, signature.args[0], args[0], args[1], _I64), align=1)
        beyond = builder.sub(_I64(64), builder.shl(args[2], _I64(3)))
        part = builder.and_(whole, builder.lshr(_I64(-1), beyond))
        return builder.select(builder.icmp_signed("<", args[2], _I64(8)), part, whole)

    return types.uint64(array, types.int64, types.int64), codegen


def _first(builder: Any, length: Any) -> Any:
    """Mark the first bytes of :data:`HASHED`; a length beyond them marks all."""
    short = builder.icmp_signed("<", length, _I64(HASHED))
    least = builder.trunc(builder.select(short, length, _I64(HASHED)), _BYTE)
    every = builder.insert_element(ir.Constant(_PART, ir.Undefined), least, ir.IntType(32)(0))
    every = builder.shuffle_vector(every, every, ir.Constant(ir.VectorType(ir.IntType(32), HASHED), [0] * HASHED))
    return builder.icmp_unsigned("<", ir.Constant(_PART, list(range(HASHED))), every)


@intrinsic
def hash_part(typingctx, array, at, length):  # type: ignore[no-untyped-def]
    """Return a hash of array[at:at + length], of no more than its first 32 bytes: Σ odd number · 8 bytes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        seen = builder.load(_pointer(context, builder, signature.args[0], args[0], args[1], _PART), align=1)
        kept = builder.select(_first(builder, args[2]), seen, ir.Constant(_PART, [0] * HASHED))
        products = builder.mul(builder.bitcast(kept, _NUMBERS), ir.Constant(_NUMBERS, list(_ODD)))
        total = builder.extract_element(products, ir.IntType(32)(0))
        for i in range(1, HASHED // 8):
            total = builder.add(total, builder.extract_element(products, ir.IntType(32)(i)))
        return total

    return types.uint64(array, types.int64, types.int64), codegen


@intrinsic
def same_part(typingctx, array, at, other, begin, length):  # type: ignore[no-untyped-def]
    """Whether array[at:at + length] and other[begin:begin + length] agree, as far as the first 32 bytes go."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        one = builder.load(_pointer(context, builder, kinds[0], args[0], args[1], _PART), align=1)
        two = builder.load(_pointer(context, builder, kinds[2], args[2], args[3], _PART), align=1)
        differ = builder.and_(builder.icmp_unsigned("!=", one, two), _first(builder, args[4]))
        return builder.icmp_unsigned("==", builder.bitcast(differ, ir.IntType(HASHED)), ir.IntType(HASHED)(0))

    return types.boolean(array, types.int64, other, types.int64, types.int64), codegen


@intrinsic
def load_unit(typingctx, text, at):  # type: ignore[no-untyped-def]
    """Return the two bytes at ``at`` as one number, which need not begin at an even place."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], ir.IntType(16))
        return builder.zext(builder.load(pointer, align=1), _I64)

    return types.uint64(text, types.int64), codegen


@intrinsic
def store_four(typingctx, target, to, number):  # type: ignore[no-untyped-def]
    """Write the four bytes of a number, the lowest first."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature.args[0], args[0], args[1], ir.IntType(32)), align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.uint32), codegen


@intrinsic
def reversed_bytes(typingctx, number):  # type: ignore[no-untyped-def]
    """Return the number with its bytes in the other order, so that numbers compare as their bytes do."""
    return types.uint64(types.uint64), lambda context, builder, signature, args: builder.bswap(args[0])


@intrinsic
def trailing_zeros(typingctx, number):  # type: ignore[no-untyped-def]
    """How many zero bits come before the first one; 64 for zero."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def word_bits(typingctx, array, at):  # type: ignore[no-untyped-def]
    """Bit i says that array[at + i] is no newline."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], _BYTES)
        seen = builder.load(pointer, align=1)
        return builder.bitcast(builder.icmp_unsigned("!=", seen, _all(NEWLINE)), _I64)

    return types.uint64(array, types.int64), codegen


@intrinsic
def copy_look(typingctx, source, at, target, to):  # type: ignore[no-untyped-def]
    """Copy 64 bytes, whether or not all are wanted."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        seen = builder.load(_pointer(context, builder, signature.args[0], args[0], args[1], _BYTES), align=1)
        builder.store(seen, _pointer(context, builder, signature.args[2], args[2], args[3], _BYTES), align=1)
        return context.get_dummy_value()

    return types.void(source, types.int64, target, types.int64), codegen


@intrinsic
def fold_ascii(typingctx, text, at, folded, to):  # type: ignore[no-untyped-def]
    """Copy 64 bytes of ASCII, letters in lower case and a newline for what is in no word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        seen = builder.load(_pointer(context, builder, signature.args[0], args[0], args[1], _BYTES), align=1)
        upper = builder.select(_within(builder, seen, "A", "Z"), _all(32), _all(0))
        lower = builder.or_(seen, upper)
        word = builder.or_(_within(builder, lower, "a", "z"), _within(builder, seen, "0", "9"))
        word = builder.or_(word, _within(builder, seen, "_", "_"))
        target = _pointer(context, builder, signature.args[2], args[2], args[3], _BYTES)
        builder.store(builder.select(word, lower, _all(NEWLINE)), target, align=1)
        return context.get_dummy_value()

    return types.void(text, types.int64, folded, types.int64), codegen
