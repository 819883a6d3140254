"""Machine code from a file, made callable by llvmlite alone: importing numba would take longer than a small run.

A kernel is what numba made of a function that allocates nothing, so it needs nothing of numba's. It is called with
the GIL released and gets one block of memory, eight bytes a value: of an array its address and shape.
"""

from __future__ import annotations

import ctypes
import operator
import struct
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np

ENTRY = "quire_kernel"  # what the function is called in every object file
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p)
_NUMBERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "float32": ("f4x", float),
    "float64": ("d", float),
    "int64": ("q", operator.index),
}


class Parameter(NamedTuple):
    """What a kernel takes: an array of this many dimensions, or a number where there are none."""

    dtype: str
    ndim: int
    writes: bool


class Kernel:
    """A compiled function of arrays and numbers. It takes no other types than it was compiled for."""

    def __init__(self, code: bytes, parameters: Sequence[Parameter]) -> None:
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())  # keeps the code
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._function = _FUNCTION(self._engine.get_function_address(ENTRY))
        self._packers = [_packer(parameter) for parameter in parameters]

    def __call__(self, *given: Any) -> None:
        """Run it on arrays, which it may change, and numbers."""
        self.on(*given)()

    def on(self, *first: Any) -> Callable[..., None]:
        """Return it with its first arguments given, which it keeps: what is called many times looks at them once."""
        packed = b"".join([pack(value) for pack, value in zip(self._packers, first)])
        others = list(islice(self._packers, len(first), None))

        def call(*rest: Any) -> None:
            n = len(first) + len(rest)  # ``first`` stays here: addresses alone would not keep the arrays
            if n != len(self._packers):
                raise TypeError(f"A kernel takes {len(self._packers)} arguments, not {n}.")
            if status := self._function(b"".join([packed, *(pack(value) for pack, value in zip(others, rest))])):
                raise RuntimeError(f"A kernel ended with status {status}.")

        return call


def _packer(parameter: Parameter) -> Callable[[Any], bytes]:
    """Return what turns an argument into bytes, and refuses what the machine code would read amiss."""
    dtype, ndim, writes = np.dtype(parameter.dtype), parameter.ndim, parameter.writes
    if not ndim:
        layout, number = _NUMBERS[parameter.dtype]
        as_number = struct.Struct(layout).pack
        return lambda value: as_number(number(value))
    as_array = struct.Struct("q" * (1 + ndim)).pack

    def pack(array: Any) -> bytes:
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != ndim:
            raise TypeError(f"A kernel takes an array of {dtype} with {ndim} dimensions here.")
        flags = array.flags
        if not (flags.c_contiguous and (flags.writeable or not writes)):  # it need not be aligned, as from a network
            raise TypeError("A kernel takes arrays that are contiguous, and writes to none that is read-only.")
        return as_array(array.ctypes.data, *array.shape)

    return pack


def machine_code(assembly: str) -> bytes:
    """Return optimised LLVM assembly as an object file for this CPU."""
    return bytes(_target_machine().emit_object(llvm.parse_assembly(assembly)))


def _target_machine() -> Any:
    """Return this CPU as numba sees it: code that lies where it is loaded, for all its instructions."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3,
        reloc="static" if target.name.startswith("x86") else "default", codemodel="jitdefault", jit=True,
    )  # fmt: skip
