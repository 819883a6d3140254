"""How much memory this process may still take."""

from __future__ import annotations

from pathlib import Path


def available_memory() -> float:
    """Bytes that can still be had: what the system has free, within the cgroup's limit; inf if unknown.

    Examples
    --------
    >>> from quire.ops.memory import available_memory
    >>> available_memory() > 0
    True
    """
    return min(_system_free(), _cgroup_free())


def _system_free() -> float:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    except OSError:
        pass
    return float("inf")


def _cgroup_free() -> float:
    root = Path("/sys/fs/cgroup")
    for limit, used in (
        (root / "memory.max", root / "memory.current"),
        (root / "memory/memory.limit_in_bytes", root / "memory/memory.usage_in_bytes"),
    ):
        try:
            return float(limit.read_text()) - float(used.read_text())
        except (OSError, ValueError):  # no such cgroup, or the limit reads "max"
            continue
    return float("inf")
