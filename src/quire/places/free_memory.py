"""How much memory this process may still take."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")


def available_memory() -> float:
    """Bytes that can still be had: what the system has free, within every cgroup's limit; inf if unknown."""
    return min([_system_free(), *(_group_free(group) for group in _groups())])


def _system_free() -> float:
    found = re.search(r"MemAvailable:\s+(\d+) kB", _read(Path("/proc/meminfo")))
    return 1024.0 * int(found[1]) if found else float("inf")


def _groups() -> list[Path]:
    """List the cgroup of this process and all above it, in version 2 or 1."""
    groups = []
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            root = _ROOT / controllers
            own = root / path.lstrip("/")
            groups += [own, *(p for p in own.parents if p.is_relative_to(root))]
    return groups


def _group_free(group: Path) -> float:
    """Limit less what is used; pages that only cache files are given back on demand."""
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        numbers = [_read(group / name).strip() for name in (limit, used)]
        if all(number.isdigit() for number in numbers):  # no limit reads "max"
            cached = re.search(r"^(?:total_)?inactive_file (\d+)", _read(group / "memory.stat"), re.MULTILINE)
            return float(numbers[0]) - float(numbers[1]) + (float(cached[1]) if cached else 0.0)
    return float("inf")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
