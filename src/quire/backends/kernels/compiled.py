"""Kernels compiled once per machine and kept on disk.

They are object files in a folder of their own, named after everything the machine code depends on: numba's cache
would not notice a change in a module that a kernel calls, and reading it takes numba, half a second in itself.
``QUIRE_CACHE_DIR`` moves the folder.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import logging
import os
import platform
import shutil
import stat
import tempfile
import threading
import time
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llvmlite.binding
import numpy as np
import platformdirs

from quire.backends.kernels.native import Kernel, Parameter

log = logging.getLogger("quire")
_lock = threading.RLock()
_FLOAT, _INDEX = np.dtype(np.float32), np.dtype(np.int32)  # for kernels that deal with neither


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
    parts = [version("numba"), platform.python_version(), str(here), [s.stat().st_mtime_ns for s in sources], cpu]
    content = b"".join(path.read_bytes() for path in sources) + repr(parts).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def _private(folder: Path) -> bool:
    """Machine code is loaded only from a folder that nobody else can write to."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


@cache
def compiled(name: str, real: np.dtype[Any] = _FLOAT, index: np.dtype[Any] = _INDEX) -> Kernel:
    """Return kernel ``name`` for one pair of types, from the cache where it is there."""
    with _lock:
        path = cache_folder() / f"{name}-{real}-{index}.o"
        return _kept(path) or _made(path, name, real, index)


def load(*names: str) -> None:
    """Load kernels before threads ask for them, which would all wait for one."""
    for name in names:
        compiled(name)


def _kept(path: Path) -> Kernel | None:
    """Load a kernel that is whole: a line that says what it is, and the object file."""
    try:
        line, code = path.read_bytes().split(b"\n", 1)
        about = json.loads(line)
    except (OSError, ValueError):
        return None
    if about.get("sha256") != hashlib.sha256(code).hexdigest():
        return None
    return Kernel(code, [Parameter(*parameter) for parameter in about["parameters"]])


def _made(path: Path, name: str, real: np.dtype[Any], index: np.dtype[Any]) -> Kernel:
    from quire.backends.kernels.compiling import object_code  # numba, which most runs can do without

    _announce()
    code, parameters = object_code(name, real, index)
    about = {"parameters": parameters, "sha256": hashlib.sha256(code).hexdigest()}
    _keep(path, json.dumps(about).encode() + b"\n" + code)
    return Kernel(code, parameters)


def _keep(path: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all; on a full disk the kernel is compiled again next time."""
    with contextlib.suppress(OSError), tempfile.TemporaryDirectory(dir=path.parent) as folder:
        file = Path(folder) / path.name
        file.write_bytes(content)
        file.replace(path)


@cache
def _announce() -> None:
    log.warning("Quire compiles its kernels for this machine, once; this takes a few seconds.")


def warm() -> float:
    """Compile (or load) what most fits need, for either real type; return the seconds that took.

    The rest is compiled when first used: exact rows (ANLS, PPC), other losses (KL, IS, PLSI), and indices of
    64 bits, for more than 2³¹ rows or columns.
    """
    from quire.backends.kernels.compiling import ONCE, PER_REAL

    began = time.perf_counter()
    for name in PER_REAL:
        for real in (np.float32, np.float64):
            compiled(name, np.dtype(real))
    for name in ONCE:
        compiled(name)
    return time.perf_counter() - began
