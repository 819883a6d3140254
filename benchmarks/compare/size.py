"""How much a program brings along: the packages it needs, directly or not, and their megabytes on the disk.

``python -m benchmarks.compare.size PACKAGE …`` in an environment that has them prints a line of JSON.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed(packages: Iterable[str]) -> set[str]:
    """Return the packages and all that they need on this machine and that is installed."""
    found: set[str] = set()
    waiting = [Requirement(one) for one in packages]
    seen: set[str] = set()
    while waiting:
        one = waiting.pop()
        asked = f"{canonicalize_name(one.name)}{sorted(one.extras)}"
        try:
            wants = importlib.metadata.requires(one.name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        found.add(canonicalize_name(one.name))
        if asked not in seen:
            seen.add(asked)
            waiting += [need for need in map(Requirement, wants) if _applies(need, one.extras)]
    return found


def _applies(need: Requirement, extras: Iterable[str]) -> bool:
    return need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def megabytes(packages: Iterable[str]) -> float:
    """Return the size of the packages' files; compiled Python is made by whoever runs it, and left out."""
    total = 0
    for package in packages:
        for file in importlib.metadata.files(package) or []:
            path = file.locate()
            if file.suffix != ".pyc" and path.is_file():
                total += path.stat().st_size
    return total / 1e6


if __name__ == "__main__":
    together = needed(sys.argv[1:])
    print(json.dumps({"packages": len(together), "megabytes": round(megabytes(together))}))
