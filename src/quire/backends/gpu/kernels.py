"""The CUDA kernels, compiled on the machine with the GPU: a family at a time, once per width and dtype."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from quire.messages import Update
from quire.places.machine import allowed_threads, in_order

QUAD = 4  # numbers that are read at once
MOST_SHARED = 48 * 1024  # bytes of shared memory a block may have without asking
VECTORS = 9  # of k float64, beside U, that a warp of exact.cu needs room for
MOST_WARM = 128  # topics for which :func:`warm` compiles ahead
FAMILIES = {  # by the kernels that are compiled together, as who wants one will soon want the others
    ("add_pieces", "product", "multiply", "descend"): ("steps",),
    ("share_pieces", "rescale", "divergence"): ("losses",),
    ("gram_parts", "gram_sum", "add_up", "extrapolate", "carry_on"): ("gram",),
    ("solve_rows",): ("row_problem", "exact"),
    ("onto_simplex",): ("simplex",),
}


class Layout(NamedTuple):
    """How a row of a factor lies over the threads of a group."""

    width: int
    lanes: int
    quads: int
    threads: int
    shared: int
    """Bytes of shared memory for G; 0 where G is too large for it and is read through the cache."""

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.threads // self.lanes


@cache
def layout(k: int, itemsize: int) -> Layout:
    """Return the layout for k topics."""
    quads = -(-k // QUAD)
    lanes = min(32, 1 << (quads - 1).bit_length())
    width, size = quads * QUAD, itemsize * (quads * QUAD) ** 2
    fits = size <= MOST_SHARED
    return Layout(width, lanes, -(-quads // lanes), 512 if fits else 256, size if fits else 0)


def options(shape: Layout, dtype: np.dtype[Any]) -> tuple[str, ...]:
    """Return what the compiler is told."""
    real = "float" if dtype == np.float32 else "double"
    numbers = {
        "WIDTH": shape.width, "LANES": shape.lanes, "QUADS": shape.quads, "THREADS": shape.threads,
        "SHARED": int(shape.shared > 0), "VECTORS": VECTORS,
    }  # fmt: skip
    return ("--std=c++17", f"-DREAL={real}", *(f"-D{name}={value}" for name, value in numbers.items()))


@cache
def source(names: tuple[str, ...]) -> str:
    """Return the CUDA files of a family; all begin with what kernels on rows have in common."""
    folder = files("quire") / "backends" / "gpu" / "cuda"
    return "".join((folder / f"{name}.cu").read_text("utf-8") for name in ("rows", *names))


@cache
def _family(names: tuple[str, ...], shape: Layout, dtype: np.dtype[Any], device: int) -> Any:
    """Compile for one layout and dtype; CuPy keeps the machine code on disk."""
    import cupy

    return cupy.RawModule(code=source(names), options=options(shape, dtype))


@cache
def kernel(name: str, shape: Layout, dtype: np.dtype[Any], device: int) -> Any:
    """Return a kernel for one layout and dtype, on one device."""
    family = next(sources for kernels, sources in FAMILIES.items() if name in kernels)
    return _family(family, shape, dtype, device).get_function(name)


def warm(update: Update) -> None:
    """Compile, on all cores, what fits of float32 need for up to :data:`MOST_WARM` topics."""
    import cupy

    device, real = int(cupy.cuda.runtime.getDevice()), np.dtype(np.float32)
    jobs = [
        (name, layout(k, real.itemsize), real, device)
        for name in ("product", "divergence", "gram_parts")  # one of each family that has a code for every width
        for k in range(QUAD, MOST_WARM + 1, QUAD)
    ]
    jobs += [(name, layout(QUAD, real.itemsize), real, device) for name in ("solve_rows", "onto_simplex")]
    for done, _ in enumerate(in_order(kernel, jobs, allowed_threads())):
        update(done + 1, len(jobs))


def onto_simplex(q: Any, size: float) -> Any:
    """Return the point of the simplex nearest to an array on the device."""
    import cupy

    held, out = cupy.ascontiguousarray(q), cupy.empty(q.shape, q.dtype)
    device = int(cupy.cuda.runtime.getDevice())
    project = kernel("onto_simplex", layout(QUAD, q.dtype.itemsize), q.dtype, device)
    project((1,), (1024,), (held, np.int64(len(q)), np.float64(size), out))
    return out
