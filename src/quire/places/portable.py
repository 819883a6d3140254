"""What systems do in ways of their own: files in use that cannot go or be replaced, memory that is free or kept."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_MOST_HEAPS, _TRIMMED, _MAPPED = -8, -1, -3  # M_ARENA_MAX, M_TRIM_THRESHOLD, M_MMAP_THRESHOLD of malloc.h
_KEPT, _OWN_PAGES = 1 << 30, 1 << 25  # bytes that are kept when freed, and from which on an array is mapped for itself
_TRIES, _PAUSE = 50, 0.02  # of replacing a file that a reader, or a virus scanner, has open


def remove_file(path: Path) -> None:
    """Remove a file where it is there; Windows keeps one that is mapped, which goes with its folder."""
    try:
        path.unlink(missing_ok=True)
    except PermissionError:
        if not _windows():
            raise


def replace_file(part: Path, target: Path) -> None:
    """Put a file in another's place in one step; on Windows, once nobody reads that one."""
    for left in reversed(range(_TRIES)):
        try:
            part.replace(target)
            return
        except PermissionError:
            if not (_windows() and left):
                raise
            time.sleep(_PAUSE)


def _windows() -> bool:
    return sys.platform == "win32"


def free_memory() -> float:
    """Return the bytes of memory that the system could give away; inf where it does not tell."""
    try:
        if sys.platform == "darwin":
            return _of_vm_stat(subprocess.run(["vm_stat"], capture_output=True, text=True, check=True).stdout)
        if sys.platform == "win32":
            return _of_windows()
        return _of_meminfo(Path("/proc/meminfo").read_text())
    except (OSError, subprocess.CalledProcessError):
        return float("inf")


def _of_meminfo(told: str) -> float:
    match = re.search(r"MemAvailable:\s+(\d+) kB", told)
    return 1024.0 * int(match[1]) if match else float("inf")


def _of_vm_stat(told: str) -> float:
    """Add up what is free and what is only kept in case it is asked for again."""
    size = re.search(r"page size of (\d+) bytes", told)
    pages = re.findall(r"^Pages (?:free|inactive|speculative|purgeable): +(\d+)\.", told, re.MULTILINE)
    return float(int(size[1]) * sum(map(int, pages))) if size and pages else float("inf")


def keep_one_heap() -> None:
    """Let all threads have their memory from one heap: glibc has one for each, which keeps what was freed in it.

    What is freed there is kept for the next array until :func:`give_back_memory`: to get new pages takes as long as to
    fill them, and all threads wait for it.
    """
    if (set_option := _of_glibc("mallopt")) is not None:
        for option, value in ((_MOST_HEAPS, 1), (_MAPPED, _OWN_PAGES), (_TRIMMED, _KEPT)):
            set_option(option, value)


def give_back_memory() -> None:
    """Let the system have what was freed, which glibc keeps otherwise."""
    if (trim := _of_glibc("malloc_trim")) is not None:
        trim(ctypes.c_size_t(0))


def _of_glibc(name: str) -> Any:
    """Return a function that only glibc has; None elsewhere."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = (
        ("length", ctypes.c_uint32), ("load", ctypes.c_uint32), ("total", ctypes.c_uint64), ("free", ctypes.c_uint64),
        *((name, ctypes.c_uint64) for name in ("total_page", "free_page", "total_virtual", "free_virtual", "extended")),
    )  # fmt: skip


def _of_windows() -> float:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    system = getattr(ctypes, "windll").kernel32  # noqa: B009 (only there on Windows)
    return float(status.free) if system.GlobalMemoryStatusEx(ctypes.byref(status)) else float("inf")
