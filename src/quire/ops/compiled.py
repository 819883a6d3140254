"""Kernels compiled once per machine and kept on disk.

numba would keep its cache beside the source, which may be read-only, and would not notice a change in a
module that the kernel calls. Quire keeps it in a folder of its own, named after everything the machine
code depends on. ``QUIRE_CACHE_DIR`` moves it.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import os
import platform
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba import types

from quire.ops import kernels

log = logging.getLogger("quire")
_lock = threading.RLock()


def _array(dtype: Any, ndim: int, *, readonly: bool = False) -> types.Array:
    return types.Array(dtype, ndim, "C", readonly=readonly)


# A parameter's name fixes its type: real is float32 or float64, index is int32 or int64.
TYPES: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("B", "P", "G"), lambda real, index: _array(real, 2, readonly=True)),
    **dict.fromkeys(("F", "old"), lambda real, index: _array(real, 2)),
    "out": lambda real, index: _array(real, 2),
    "inverse": lambda real, index: _array(real, 1, readonly=True),
    "data": lambda real, index: _array(real, 1, readonly=True),
    "out_data": lambda real, index: _array(real, 1),
    "indices": lambda real, index: _array(index, 1, readonly=True),
    "out_indices": lambda real, index: _array(types.int64 if index == types.int64 else types.int32, 1),
    "indptr": lambda real, index: _array(types.int64, 1, readonly=True),
    **dict.fromkeys(("counts", "places"), lambda real, index: _array(types.int64, 1)),
    "report": lambda real, index: _array(types.float64, 2),
    **dict.fromkeys(("l1", "beta", "patience"), lambda real, index: real),
    **dict.fromkeys(
        ("start", "stop", "column", "width", "sweeps", "topics"), lambda real, index: types.int64
    ),
    "fused": lambda real, index: types.boolean,
}


@cache
def cache_folder() -> Path:
    """Where this machine's compiled kernels are kept: the first writable of three places.

    Examples
    --------
    >>> from quire.ops.compiled import cache_folder
    >>> cache_folder().is_dir()
    True
    """
    here = Path(__file__).parent
    sources = b"".join((here / f"{name}.py").read_bytes() for name in ("compiled", "kernels", "simd"))
    machine = (numba.__version__, platform.python_version(), llvmlite.binding.get_host_cpu_name(),
               llvmlite.binding.get_host_cpu_features().flatten())  # fmt: skip
    name = "kernels-" + hashlib.sha256(sources + repr(machine).encode()).hexdigest()[:16]
    user = getattr(os, "getuid", lambda: "user")()
    chosen = os.environ.get("QUIRE_CACHE_DIR")
    places = [Path(chosen)] if chosen else []
    places += [platformdirs.user_cache_path("quire"), Path(tempfile.gettempdir()) / f"quire-{user}"]
    for place in places:
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
                continue  # machine code that another user wrote is not loaded
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="quire-"))


@cache
def compiled(name: str, real: np.dtype[Any], index: np.dtype[Any]) -> Callable[..., None]:
    """Return kernel ``name`` for one pair of types, from the cache where it is there.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.compiled import compiled
    >>> F, old = np.full((1, 8), 2.0), np.full((1, 8), 1.0)
    >>> compiled("extrapolate", np.dtype(np.float64), np.dtype(np.int32))(F, old, 0.5, 0, 1)
    >>> float(old[0, 0])
    2.5
    """
    function = getattr(kernels, name)
    real_type, index_type = numba.from_dtype(real), numba.from_dtype(index)
    signature = types.void(*(TYPES[p](real_type, index_type) for p in inspect.signature(function).parameters))
    with _lock:
        folder = cache_folder()
        marker = folder / f"{name}-{real}-{index}"
        if not marker.exists():
            _announce()
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            kernel = numba.njit([signature], nogil=True, cache=True, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = before
        marker.touch()
    return kernel  # type: ignore[no-any-return]


@cache
def _announce() -> None:
    log.warning("Quire compiles its kernels for this machine, once; this takes a few seconds.")


def warm() -> float:
    """Compile (or load) every kernel for every pair of types; return the seconds that took.

    Examples
    --------
    >>> from quire.ops.compiled import warm
    >>> warm() >= 0
    True
    """
    began = time.perf_counter()
    for real in (np.float32, np.float64):
        for index in (np.int32, np.int64):
            for function in kernels.KERNELS:
                compiled(function.__name__, np.dtype(real), np.dtype(index))
    return time.perf_counter() - began
