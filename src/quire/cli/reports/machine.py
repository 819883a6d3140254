"""What Quire finds on a machine, as data and for a terminal."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire import __version__
from quire.messages import counted

_PACKAGE = "quire-topics"
_REQUIREMENT = re.compile(r"^([\w.-]+)(\[[^\]]*\])?.*?(?:extra == ['\"]([\w-]+)['\"])?\s*$")


def found_here() -> dict[str, Any]:
    """Return versions, kernels, threads, memory, the GPU and extras."""
    from quire.backends.gpu.device import why_no_gpu
    from quire.places.machine import allowed_threads, available_memory
    from quire.runs.budget import default_memory

    packages = _packages()
    return {
        "quire": __version__, "python": platform.python_version(), "system": platform.platform(terse=True),
        "kernels": _kernels(), "threads": {"used": allowed_threads(), "cores": os.cpu_count()},
        "memory": {"free": int(available_memory()), "budget": default_memory()},
        "gpu": {"usable": not (why := why_no_gpu()), "why_not": why or None},
        "versions": {name: _version(name) for name in packages.pop("", [])},
        "extras": {
            extra: {"there": all(map(_version, names)), "missing": [name for name in names if not _version(name)]}
            for extra, names in packages.items()
        },
    }  # fmt: skip


def machine_report(found: dict[str, Any]) -> RenderableType:
    """Return one screen: a line for each thing, and what to do where something is missing."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    kernels, threads, memory = found["kernels"], found["threads"], found["memory"]
    ready = f"{counted(kernels['compiled'], 'kernel')} compiled, in {kernels['folder']}"
    rows = {
        "Quire": f"{found['quire']}, Python {found['python']}, {found['system']}",
        "Kernels": ready if kernels["compiled"] else "none compiled yet: run `quire warm`, or wait at the first run",
        "Threads": f"{threads['used']} of {counted(threads['cores'] or 1, 'core')}",
        "Memory": f"{_gigabytes(memory['free'])} free, of which a run takes up to {_gigabytes(memory['budget'])}",
        "GPU": "ready: --device cuda" if found["gpu"]["usable"] else f"not in use. {found['gpu']['why_not']}",
        "Libraries": ", ".join(f"{name} {at or 'missing'}" for name, at in found["versions"].items()),
    }
    for name, said in rows.items():
        table.add_row(name, Text(said))
    for name, extra in found["extras"].items():
        missing = f"needs {', '.join(extra['missing'])}: pip install '{_PACKAGE}[{name}]'"
        table.add_row(f"[{name}]".replace("[", "\\["), Text("installed" if extra["there"] else missing))
    return Group(table)


def _gigabytes(n: int) -> str:
    return f"{n / 1e9:.1f} GB"


def _kernels() -> dict[str, Any]:
    from quire.backends.kernels.compiled import cache_folder

    folder = cache_folder()
    compiled = sum(1 for path in folder.iterdir() if path.is_file()) if folder.is_dir() else 0
    return {"folder": str(folder), "compiled": compiled}


def _packages() -> dict[str, list[str]]:
    """Return the packages that Quire needs, under "", and those of each extra, as its own metadata has them."""
    try:
        declared = requires(_PACKAGE) or []
    except PackageNotFoundError:  # run from a folder of sources
        declared = []
    packages: dict[str, list[str]] = {"": []}
    for line in declared:
        found = _REQUIREMENT.match(line)
        if found and found[1] != _PACKAGE:  # an extra that is made of others is told by these
            packages.setdefault(found[3] or "", []).append(found[1])
    return packages


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
