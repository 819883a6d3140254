"""The CUDA kernels, compiled on the machine with the GPU: a family at a time, once per width and dtype."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from quire.backends.gpu.cuda_common import ROW_SOURCE
from quire.backends.gpu.cuda_exact import EXACT_SOURCE, VECTORS
from quire.backends.gpu.cuda_gram import SMALL_SOURCE
from quire.backends.gpu.cuda_losses import BETA_SOURCE
from quire.backends.gpu.cuda_simplex import PROJECT_SOURCE
from quire.backends.gpu.cuda_steps import STEP_SOURCE

QUAD = 4  # numbers that are read at once
MOST_SHARED = 48 * 1024  # bytes of shared memory a block may have without asking
FAMILIES = {
    "steps": (STEP_SOURCE, ("add_pieces", "product", "multiply", "descend")),
    "losses": (BETA_SOURCE, ("share_pieces", "rescale", "divergence")),
    "small": (SMALL_SOURCE, ("gram_parts", "gram_sum", "add_up", "extrapolate", "carry_on")),
    "exact": (EXACT_SOURCE, ("solve_rows",)),
    "projections": (PROJECT_SOURCE, ("onto_simplex",)),
}
"""The kernels that are compiled together: who wants one will soon want the others."""


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
def _family(name: str, shape: Layout, dtype: np.dtype[Any], device: int) -> Any:
    """Compile for one layout and dtype; CuPy keeps the machine code on disk."""
    import cupy

    return cupy.RawModule(code=ROW_SOURCE + FAMILIES[name][0], options=options(shape, dtype))


@cache
def kernel(name: str, shape: Layout, dtype: np.dtype[Any], device: int) -> Any:
    """Return a kernel for one layout and dtype, on one device."""
    family = next(family for family, (_, names) in FAMILIES.items() if name in names)
    return _family(family, shape, dtype, device).get_function(name)


def onto_simplex(q: Any, size: float) -> Any:
    """Return the point of the simplex nearest to an array on the device."""
    import cupy

    held, out = cupy.ascontiguousarray(q), cupy.empty(q.shape, q.dtype)
    device = int(cupy.cuda.runtime.getDevice())
    project = kernel("onto_simplex", layout(QUAD, q.dtype.itemsize), q.dtype, device)
    project((1,), (1024,), (held, np.int64(len(q)), np.float64(size), out))
    return out
