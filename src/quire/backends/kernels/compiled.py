"""Kernels compiled once per machine and kept on disk.

numba would keep its cache beside the source, which may be read-only, and would not notice a change in a
module that the kernel calls. Quire keeps it in a folder of its own, named after everything the machine
code depends on. ``QUIRE_CACHE_DIR`` moves it.
"""

from __future__ import annotations

import atexit
import hashlib
import inspect
import logging
import os
import platform
import shutil
import stat
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

from quire.backends.kernels import exact, losses, mixture, points, sort, steps, text

log = logging.getLogger("quire")
_lock = threading.RLock()
_FLOAT, _INDEX = np.dtype(np.float32), np.dtype(np.int32)  # for kernels that deal with neither


def _array(dtype: Any, ndim: int, *, readonly: bool = False) -> types.Array:
    return types.Array(dtype, ndim, "C", readonly=readonly)


def _of(dtype: Any) -> Callable[[Any, Any], types.Array]:
    return lambda real, index: _array(dtype, 1)


# A parameter's name fixes its type: real is float32 or float64, index is int32 or int64.
TYPES: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("B", "P", "G"), lambda real, index: _array(real, 2, readonly=True)),
    **dict.fromkeys(("F", "old"), lambda real, index: _array(real, 2)),
    "out": lambda real, index: _array(real, 2),
    **dict.fromkeys(("inverse", "sums", "floors"), lambda real, index: _array(real, 1, readonly=True)),
    "data": lambda real, index: _array(real, 1, readonly=True),
    "out_data": lambda real, index: _array(real, 1),
    "indices": lambda real, index: _array(index, 1, readonly=True),
    "out_indices": lambda real, index: _array(index, 1),
    "indptr": lambda real, index: _array(types.int64, 1, readonly=True),
    **dict.fromkeys(("counts", "places"), lambda real, index: _array(types.int64, 1)),
    "report": lambda real, index: _array(types.float64, 2),
    "gram": lambda real, index: _array(types.float64, 2, readonly=True),
    "present": lambda real, index: _array(types.boolean, 1, readonly=True),
    **dict.fromkeys(("penalty", "total"), lambda real, index: types.float64),
    **dict.fromkeys(("l1", "l2", "beta", "patience"), lambda real, index: real),
    **dict.fromkeys(("start", "stop", "column", "width", "sweeps", "topics"), lambda real, index: types.int64),
    "fused": lambda real, index: types.boolean,
    "text": lambda real, index: _array(types.uint8, 1, readonly=True),
    "offsets": lambda real, index: _array(types.int64, 1, readonly=True),
    "forms": lambda real, index: _array(types.uint8, 1, readonly=True),
    "characters": lambda real, index: _array(types.uint32, 1, readonly=True),
    **dict.fromkeys(("table", "old_table"), lambda real, index: _array(types.uint64, 2)),
    "spots": lambda real, index: _array(types.int64, 2),
    **dict.fromkeys(("ids", "times", "mapping", "columns", "owners"), _of(types.int32)),
    **dict.fromkeys(
        ("begins", "into_begins", "last", "ends", "state", "into_state", "order", "spare_order", "values", "free"),
        _of(types.int64),
    ),
    **dict.fromkeys(("keys", "items", "spare_items"), _of(types.uint64)),
    **dict.fromkeys(("folded", "store", "into_store", "lines"), _of(types.uint8)),
}
_PER_REAL: tuple[Callable[..., None], ...] = (
    *steps.KERNELS, *points.KERNELS, *mixture.KERNELS, *exact.KERNELS, *losses.KERNELS,
)  # fmt: skip
# These know neither real nor index.
_ONCE: tuple[Callable[..., None], ...] = (*text.KERNELS, *sort.KERNELS)
KERNELS: dict[str, Callable[..., None]] = {function.__name__: function for function in (*_PER_REAL, *_ONCE)}


@cache
def cache_folder() -> Path:
    """Where this machine's compiled kernels are kept: the first writable of three places."""
    name = f"kernels-{_fingerprint()}"
    chosen = os.environ.get("QUIRE_CACHE_DIR")
    user = getattr(os, "getuid", lambda: "user")()
    places = [Path(chosen) / name] if chosen else []
    places += [platformdirs.user_cache_path("quire") / name]
    places += [Path(tempfile.gettempdir()) / f"quire-{user}-{name}"]
    for folder in places:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _private(folder):
                with tempfile.TemporaryFile(dir=folder):
                    return folder
        except OSError:
            continue
    last = Path(tempfile.mkdtemp(prefix="quire-"))  # lives as long as the process
    atexit.register(shutil.rmtree, last, ignore_errors=True)
    return last


def _fingerprint() -> str:
    """Name everything the machine code depends on; numba itself goes by a source's path and time, too."""
    here = Path(__file__).parent
    sources = sorted(here.glob("*.py"))
    cpu = llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()
    parts = [numba.__version__, platform.python_version(), str(here), [s.stat().st_mtime_ns for s in sources], cpu]
    content = b"".join(path.read_bytes() for path in sources) + repr(parts).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def _private(folder: Path) -> bool:
    """Machine code is loaded only from a folder that nobody else can write to."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


@cache
def compiled(name: str, real: np.dtype[Any] = _FLOAT, index: np.dtype[Any] = _INDEX) -> Callable[..., None]:
    """Return kernel ``name`` for one pair of types, from the cache where it is there."""
    function = KERNELS[name]
    real_type, index_type = numba.from_dtype(real), numba.from_dtype(index)
    signature = types.void(*(TYPES[p](real_type, index_type) for p in inspect.signature(function).parameters))
    with _lock:
        folder = cache_folder()
        marker = folder / f"{name}-{real}-{index}"
        if not marker.exists():
            _announce()
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            kernel = numba.njit([signature], nogil=True, cache=True, error_model="numpy", no_cfunc_wrapper=True)(
                function
            )
        finally:
            numba.config.CACHE_DIR = before
        marker.touch()
    return kernel  # type: ignore[no-any-return]


@cache
def _announce() -> None:
    log.warning("Quire compiles its kernels for this machine, once; this takes a few seconds.")


def warm() -> float:
    """Compile (or load) what most fits need, for either real type; return the seconds that took.

    The rest is compiled when first used: exact rows (ANLS, PPC), other losses (KL, IS, PLSI), and indices of
    64 bits, for more than 2³¹ rows or columns.
    """
    began = time.perf_counter()
    for function in (*steps.KERNELS, *points.KERNELS, *mixture.KERNELS):
        for real in (np.float32, np.float64):
            compiled(function.__name__, np.dtype(real))
    for function in _ONCE:
        compiled(function.__name__)
    return time.perf_counter() - began
