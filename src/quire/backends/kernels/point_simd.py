"""Vector instructions for points: the distance of two of them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from quire.backends.kernels.layout import CHAINS, WIDTH
from quire.backends.kernels.loss_simd import _at_topics, _lane_sum
from quire.backends.kernels.simd import _int, _load, _multiply_add, _pointer, _zero


@intrinsic
def squared_distance(typingctx, P, one, other):  # type: ignore[no-untyped-def]
    """Return ‖p − q‖² of two rows of P, which begin at ``one`` and ``other`` of all its numbers."""
    signature = P.dtype(P, types.int64, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        P_p = _pointer(context, builder, signature.args[0], args[0])
        width = builder.extract_value(context.make_array(signature.args[0])(context, builder, args[0]).shape, 1)
        vector = ir.VectorType(context.get_data_type(signature.args[0].dtype), WIDTH)
        sums = [cgutils.alloca_once(builder, vector) for _ in range(CHAINS)]
        for total in sums:
            builder.store(_zero(vector), total)
        with _at_topics(builder, width, CHAINS * WIDTH) as (c, _):
            for number, total in enumerate(sums):
                at = builder.add(c, _int(number * WIDTH))
                p, q = (_load(builder, P_p, builder.add(row, at), vector) for row in args[1:])
                away = builder.fsub(p, q)
                builder.store(_multiply_add(builder, away, away, builder.load(total)), total)
        first, second, third, fourth = (builder.load(total) for total in sums)
        return _lane_sum(builder, builder.fadd(builder.fadd(first, second), builder.fadd(third, fourth)))

    return signature, codegen
