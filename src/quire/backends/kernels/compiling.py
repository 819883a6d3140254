"""Kernels → machine code, by numba. Imported only where a kernel is not compiled yet."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from quire.backends.kernels.native import ENTRY, Parameter, machine_code
from quire.backends.kernels.numba_import import import_numba

import_numba()  # before anything below does

import numba  # noqa: E402
from numba import types  # noqa: E402

from quire.backends.kernels import exact, lines, losses, mixture, points, sort, steps, tallies, text  # noqa: E402


def _array(dtype: Any, ndim: int, *, readonly: bool = False) -> types.Array:
    return types.Array(dtype, ndim, "C", readonly=readonly)


def _of(dtype: Any) -> Callable[[Any, Any], types.Array]:
    return lambda real, index: _array(dtype, 1)


# A parameter's name fixes its type: real is float32 or float64, index is int32 or int64.
TYPES: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("B", "P", "G"), lambda real, index: _array(real, 2, readonly=True)),
    **dict.fromkeys(("F", "old", "out", "rows", "blocks"), lambda real, index: _array(real, 2)),
    **dict.fromkeys(("inverse", "sums", "floors"), lambda real, index: _array(real, 1, readonly=True)),
    "data": lambda real, index: _array(real, 1, readonly=True),
    "out_data": lambda real, index: _array(real, 1),
    "indices": lambda real, index: _array(index, 1, readonly=True),
    "out_indices": lambda real, index: _array(index, 1),
    "indptr": lambda real, index: _array(types.int64, 1, readonly=True),
    **dict.fromkeys(("counts", "places", "members"), lambda real, index: _array(types.int64, 1)),
    **dict.fromkeys(("report", "work"), lambda real, index: _array(types.float64, 2)),
    "gram": lambda real, index: _array(types.float64, 2, readonly=True),
    "logs": lambda real, index: _array(types.float64, 1, readonly=True),
    "present": lambda real, index: _array(types.boolean, 1, readonly=True),
    "marks": lambda real, index: _array(types.boolean, 2),
    **dict.fromkeys(("penalty", "total"), lambda real, index: types.float64),
    **dict.fromkeys(("l1", "l2", "beta", "patience"), lambda real, index: real),
    **dict.fromkeys(("start", "stop", "column", "width", "sweeps", "topics", "fused"), lambda real, index: types.int64),
    "text": lambda real, index: _array(types.uint8, 1, readonly=True),
    "offsets": lambda real, index: _array(types.int64, 1, readonly=True),
    "forms": lambda real, index: _array(types.uint8, 1, readonly=True),
    "characters": lambda real, index: _array(types.uint32, 1, readonly=True),
    **dict.fromkeys(("table", "old_table"), lambda real, index: _array(types.uint64, 2)),
    "tallies": lambda real, index: _array(types.int32, 2),
    "sketches": lambda real, index: _array(types.uint16, 2),
    "spots": lambda real, index: _array(types.int64, 2),
    **dict.fromkeys(("ids", "times", "mapping", "columns", "owners"), _of(types.int32)),
    **dict.fromkeys(
        ("begins", "into_begins", "last", "ends", "state", "into_state", "order", "spare_order", "values", "free"),
        _of(types.int64),
    ),
    **dict.fromkeys(("keys", "items", "spare_items"), _of(types.uint64)),
    **dict.fromkeys(("folded", "store", "into_store", "lines"), _of(types.uint8)),
}
_RARE: tuple[Callable[..., None], ...] = (*exact.KERNELS, losses.rescale)
_FOR_MOST: tuple[Callable[..., None], ...] = (*steps.KERNELS, *points.KERNELS, *mixture.KERNELS, losses.divergence)
# These know no real.
_ONCE: tuple[Callable[..., None], ...] = (*text.KERNELS, *sort.KERNELS, *lines.KERNELS, *tallies.KERNELS)
KERNELS: dict[str, Callable[..., None]] = {function.__name__: function for function in (*_FOR_MOST, *_RARE, *_ONCE)}
PER_REAL, ONCE = (tuple(function.__name__ for function in functions) for functions in (_FOR_MOST, _ONCE))


def object_code(name: str, real: np.dtype[Any], index: np.dtype[Any]) -> tuple[bytes, list[Parameter]]:
    """Return a kernel for one pair of types as an object file, and what it takes."""
    function = KERNELS[name]
    real_type, index_type = numba.from_dtype(real), numba.from_dtype(index)
    kinds = [TYPES[parameter](real_type, index_type) for parameter in inspect.signature(function).parameters]
    parameters = [_parameter(kind) for kind in kinds]
    dispatcher = numba.njit(
        [types.void(*kinds)], nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True,
        _nrt=False,
    )(function)  # fmt: skip
    (overload,) = dispatcher.overloads.values()
    assembly = overload.library.get_llvm_str()
    needs = set(re.findall(r"^declare .*@([^ (]+)\(", assembly, re.MULTILINE))
    if foreign := sorted(symbol for symbol in needs if not symbol.startswith("llvm.")):
        raise TypeError(f"The kernel {name} needs {', '.join(foreign)}, which is not there without numba.")
    return machine_code(assembly + _entry(overload.fndesc.llvm_func_name, parameters)), parameters


def _parameter(kind: Any) -> Parameter:
    if not isinstance(kind, types.Array):
        return Parameter(str(kind), 0, writes=False)
    return Parameter(str(numba.np.numpy_support.as_dtype(kind.dtype)), kind.ndim, kind.mutable)


def _entry(symbol: str, parameters: list[Parameter]) -> str:
    """Return the function that takes one block of memory and calls numba's with what lies there.

    numba's takes addresses for what is returned and for an exception, then of each array its owners (none), number of
    values, bytes of one, address, shape and strides.
    """
    lines, given, at = [], ["ptr %block", "ptr %block"], 0

    def loaded(kind: str) -> str:
        nonlocal at
        lines.append(f"%p{at} = getelementptr i64, ptr %given, i64 {at}\n%v{at} = load {kind}, ptr %p{at}")
        at += 1
        return f"{kind} %v{at - 1}"

    for dtype, ndim, _ in parameters:
        if not ndim:
            given.append(loaded({"float32": "float", "float64": "double", "int64": "i64"}[dtype]))
            continue
        address, shape = loaded("ptr"), [loaded("i64") for _ in range(ndim)]
        bytes_of = f"i64 {np.dtype(dtype).itemsize}"
        lines.append(f"%n{at} = mul {shape[0]}, {shape[1].split()[1] if ndim == 2 else 1}")
        strides = [bytes_of]
        if ndim == 2:
            lines.append(f"%s{at} = mul {shape[1]}, {bytes_of.split()[1]}")
            strides.insert(0, f"i64 %s{at}")
        given += ["ptr null", "ptr null", f"i64 %n{at}", bytes_of, address, *shape, *strides]
    body = "\n".join(lines)
    return (
        f"\ndefine i32 @{ENTRY}(ptr %given) {{\n%block = alloca [8 x i64]\n{body}\n"
        f'%status = call i32 @"{symbol}"({", ".join(given)})\nret i32 %status\n}}\n'
    )
