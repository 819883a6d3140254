"""Vector instructions for the numba kernels.

Plain loops over the topics do not become vector code: the trip count is small and unknown to the
compiler. These intrinsics write the vector operations out. Everything works on blocks whose last axis is
a multiple of :data:`WIDTH`, so no kernel needs a remainder loop over topics.

==============  ==============================================================================
``gather``      out[0:8·nv] += Σ_p x_p · B[j_p, c:c+8·nv] for one row of a sparse matrix
``axpy``        out[0:m] += x · b[0:m]
``transpose``   an 8 × 8 block, between row order and lane order
``sweep``       one coordinate-descent sweep over all topics, for one vector of rows at once
==============  ==============================================================================

Lane order means ``block[topic, lane]``: one vector holds the same topic of 16 (float32) or 8 (float64)
neighbouring rows. Lanes never mix, so a row's result does not depend on its neighbours.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from quire.backends.kernels.layout import LANE_BYTES, TILE, WIDTH

_AHEAD = 8  # how many non-zeros ahead the rows of B are fetched into cache

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_FUSE = ("contract",)  # a multiply and an add may become one fused instruction


def _int(value: int) -> ir.Constant:
    return ir.Constant(_I64, value)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    return context.make_array(array_type)(context, builder, array).data


def _at(builder: Any, base: Any, offset: Any, vector: ir.VectorType) -> tuple[Any, int]:
    pointer = builder.bitcast(builder.gep(base, [offset]), vector.as_pointer())
    return pointer, 4 if isinstance(vector.element, ir.FloatType) else 8


def _load(builder: Any, base: Any, offset: Any, vector: ir.VectorType) -> Any:
    pointer, align = _at(builder, base, offset, vector)
    return builder.load(pointer, align=align)


def _store(builder: Any, value: Any, base: Any, offset: Any) -> None:
    pointer, align = _at(builder, base, offset, value.type)
    builder.store(value, pointer, align=align)


def _scalar(builder: Any, base: Any, offset: Any) -> Any:
    return builder.load(builder.gep(base, [offset]))


def _index(builder: Any, base: Any, offset: Any) -> Any:
    """Load a column index as 64 bits, so that index × width cannot overflow."""
    value = _scalar(builder, base, offset)
    return builder.sext(value, _I64) if value.type.width < 64 else value


def _splat(builder: Any, scalar: Any, vector: ir.VectorType) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, zeros)


def _multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    return builder.fadd(builder.fmul(a, b, flags=_FUSE), c, flags=_FUSE)


def _zero(vector: ir.VectorType) -> ir.Constant:
    return ir.Constant(vector, [0.0] * vector.count)


def _prefetch(builder: Any, base: Any, offset: Any, n_bytes: int, item_bytes: int) -> None:
    pointer_type = ir.IntType(8).as_pointer()
    signature = ir.FunctionType(ir.VoidType(), [pointer_type, _I32, _I32, _I32])
    fetch = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    for byte in range(0, n_bytes, 64):
        where = builder.gep(base, [builder.add(offset, _int(byte // item_bytes))])
        builder.call(fetch, [builder.bitcast(where, pointer_type), _I32(0), _I32(3), _I32(1)])


@intrinsic
def prefetch(typingctx, array, at):  # type: ignore[no-untyped-def]
    """Begin to fetch item ``at`` of a C-contiguous array, counted over all its axes, into cache."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _prefetch(builder, _pointer(context, builder, signature.args[0], args[0]), args[1], 1, 1)
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


def _gather(n_vectors: int) -> Any:
    """Make the intrinsic that keeps ``n_vectors`` accumulators in registers."""

    @intrinsic
    def gather(typingctx, out, out_at, data, indices, start, stop, B, column):  # type: ignore[no-untyped-def]
        i8 = types.int64
        signature = types.void(out, i8, data, indices, i8, i8, B, i8)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kinds = signature.args
            out_p, data_p, indices_p, B_p = (_pointer(context, builder, kinds[i], args[i]) for i in (0, 2, 3, 6))
            out_at, start, stop, column = args[1], args[4], args[5], args[7]
            width = builder.extract_value(context.make_array(kinds[6])(context, builder, args[6]).shape, 1)
            real = context.get_data_type(kinds[2].dtype)
            item = kinds[2].dtype.bitwidth // 8
            vector = ir.VectorType(real, WIDTH)
            sums = [cgutils.alloca_once(builder, vector) for _ in range(n_vectors)]
            for v, total in enumerate(sums):
                held = _load(builder, out_p, builder.add(out_at, _int(WIDTH * v)), vector)
                builder.store(held, total)
            last = builder.sub(stop, _int(1))
            with cgutils.for_range_slice(builder, start, stop, _int(1), _I64) as (p, _):
                ahead = builder.add(p, _int(_AHEAD))
                ahead = builder.select(builder.icmp_signed("<", ahead, last), ahead, last)
                later = builder.add(builder.mul(_index(builder, indices_p, ahead), width), column)
                _prefetch(builder, B_p, later, n_vectors * WIDTH * item, item)
                x = _splat(builder, _scalar(builder, data_p, p), vector)
                row = builder.add(builder.mul(_index(builder, indices_p, p), width), column)
                for v, total in enumerate(sums):
                    b = _load(builder, B_p, builder.add(row, _int(WIDTH * v)), vector)
                    builder.store(_multiply_add(builder, x, b, builder.load(total)), total)
            for v, total in enumerate(sums):
                _store(builder, builder.load(total), out_p, builder.add(out_at, _int(WIDTH * v)))
            return context.get_dummy_value()

        return signature, codegen

    return gather


gather1, gather2, gather3, gather4, gather5, gather6, gather7, gather8 = (_gather(n) for n in range(1, 9))


@intrinsic
def axpy(typingctx, out, out_at, x, b, b_at, length):  # type: ignore[no-untyped-def]
    """out[out_at:out_at + length] += x · b[b_at:b_at + length]; length is a multiple of WIDTH."""
    i8 = types.int64
    signature = types.void(out, i8, x, b, i8, i8)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        out_p = _pointer(context, builder, signature.args[0], args[0])
        b_p = _pointer(context, builder, signature.args[3], args[3])
        vector = ir.VectorType(context.get_data_type(signature.args[0].dtype), WIDTH)
        x = _splat(builder, args[2], vector)
        with cgutils.for_range_slice(builder, _int(0), args[5], _int(WIDTH), _I64) as (c, _):
            at = builder.add(args[1], c)
            b = _load(builder, b_p, builder.add(args[4], c), vector)
            _store(builder, _multiply_add(builder, x, b, _load(builder, out_p, at, vector)), out_p, at)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def transpose(typingctx, source, source_at, source_ld, target, target_at, target_ld):  # type: ignore[no-untyped-def]
    """Write the transpose of an 8 × 8 block of ``source`` into ``target`` (flat offsets, row lengths)."""
    i8 = types.int64
    signature = types.void(source, i8, i8, target, i8, i8)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source_p = _pointer(context, builder, signature.args[0], args[0])
        target_p = _pointer(context, builder, signature.args[3], args[3])
        vector = ir.VectorType(context.get_data_type(signature.args[0].dtype), WIDTH)
        rows = [
            _load(builder, source_p, builder.add(args[1], builder.mul(args[2], _int(r))), vector) for r in range(WIDTH)
        ]
        for distance in (1, 2, 4):  # swap the off-diagonal squares of side `distance`
            low = [i if not i & distance else i - distance + WIDTH for i in range(WIDTH)]
            high = [i + distance if not i & distance else i + WIDTH for i in range(WIDTH)]
            masks = [ir.Constant(ir.VectorType(_I32, WIDTH), mask) for mask in (low, high)]
            for r in range(WIDTH):
                if not r & distance:
                    a, b = rows[r], rows[r + distance]
                    rows[r] = builder.shuffle_vector(a, b, masks[0])
                    rows[r + distance] = builder.shuffle_vector(a, b, masks[1])
        for r, row in enumerate(rows):
            _store(builder, row, target_p, builder.add(args[4], builder.mul(args[5], _int(r))))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def sweep(typingctx, G, inverse, l1, topics, w, p, state):  # type: ignore[no-untyped-def]
    """One pass of coordinate descent over the first ``topics`` topics of one lane block.

    w_t ← [w_t − ((G w)_t − p_t + l1) / G_tt]₊ for t = 0, 1, …; ``inverse`` holds 1 / G_tt, or 0 where G_tt
    is 0, which leaves that coordinate alone.
    """
    # ``state`` (3 × lanes): row 0 is read, lanes that hold 0 are frozen; row 1 receives Σ_t G_tt δ_t², the
    # progress made; row 2 receives Σ_t w_t p_t.
    signature = types.void(G, inverse, l1, types.int64, w, p, state)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        G_p, inverse_p, w_p, p_p, state_p = (_pointer(context, builder, kinds[i], args[i]) for i in (0, 1, 4, 5, 6))
        k = builder.extract_value(context.make_array(kinds[0])(context, builder, args[0]).shape, 0)
        lanes = LANE_BYTES * 8 // kinds[0].dtype.bitwidth
        vector = ir.VectorType(context.get_data_type(kinds[0].dtype), lanes)
        zero = _zero(vector)
        l1 = _splat(builder, args[2], vector)
        active = builder.fcmp_ordered(">", _load(builder, state_p, _int(0), vector), zero)
        progress, inner = (cgutils.alloca_once(builder, vector) for _ in range(2))
        builder.store(zero, progress)
        builder.store(zero, inner)
        topics = args[3]
        with cgutils.for_range_slice(builder, _int(0), topics, _int(TILE), _I64) as (t, _):
            gradients = _tile_gradients(builder, G_p, w_p, k, topics, t, vector)
            for q in range(TILE):
                tq = builder.add(t, _int(q))
                at, row = builder.mul(tq, _int(lanes)), builder.mul(tq, k)
                target = _load(builder, p_p, at, vector)
                gradient = builder.fadd(builder.fsub(gradients[q], target), l1)
                old = _load(builder, w_p, at, vector)
                scale = _splat(builder, _scalar(builder, inverse_p, tq), vector)
                new = _multiply_add(builder, builder.fneg(gradient), scale, old)
                new = builder.select(builder.fcmp_ordered(">", new, zero), new, zero)
                new = builder.select(active, new, old)
                _store(builder, new, w_p, at)
                delta = builder.fsub(new, old)
                diagonal = _splat(builder, _scalar(builder, G_p, builder.add(row, tq)), vector)
                gained = _multiply_add(builder, builder.fmul(delta, delta), diagonal, builder.load(progress))
                builder.store(gained, progress)
                builder.store(_multiply_add(builder, new, target, builder.load(inner)), inner)
                for r in range(q + 1, TILE):  # what this step means for the rest of the tile
                    g = _splat(builder, _scalar(builder, G_p, builder.add(row, builder.add(t, _int(r)))), vector)
                    gradients[r] = _multiply_add(builder, g, delta, gradients[r])
        _store(builder, builder.load(progress), state_p, _int(lanes))
        _store(builder, builder.load(inner), state_p, _int(2 * lanes))
        return context.get_dummy_value()

    return signature, codegen


def _tile_gradients(builder: Any, G_p: Any, w_p: Any, k: Any, topics: Any, t: Any, vector: ir.VectorType) -> list[Any]:
    """(G w)_t for the TILE topics from t on; G is symmetric, so its row s holds what w_s multiplies."""
    sums = [cgutils.alloca_once(builder, vector) for _ in range(TILE)]
    for total in sums:
        builder.store(_zero(vector), total)
    with cgutils.for_range_slice(builder, _int(0), topics, _int(2), _I64) as (s, _):
        for u in range(2):
            su = builder.add(s, _int(u))
            w = _load(builder, w_p, builder.mul(su, _int(vector.count)), vector)
            row = builder.add(builder.mul(su, k), t)
            for q, total in enumerate(sums):
                g = _splat(builder, _scalar(builder, G_p, builder.add(row, _int(q))), vector)
                builder.store(_multiply_add(builder, g, w, builder.load(total)), total)
    return [builder.load(total) for total in sums]
