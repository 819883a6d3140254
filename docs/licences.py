"""Write docs/licences.md: the licence of every dependency, as its installed metadata say it.

``python docs/licences.py`` after ``make lock`` and ``make setup``.
"""

from __future__ import annotations

import contextlib
import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
_HEAD = """# Licences

Quire is BSD-3-Clause. These are the licences of what it needs, as each package's own metadata say them; made by
`python docs/licences.py` from `requirements/dev.lock`, what is installed, and `web/package-lock.json`. The extras
`gpu` and `embed` are pinned nowhere, and so are not listed.
"""
_LONGEST = 60  # characters of a licence's name; what is longer is the licence itself


def locked() -> list[str]:
    """Return the names of all packages that are pinned."""
    lock = (ROOT / "requirements" / "dev.lock").read_text("utf-8")
    return sorted({canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)})


def needed() -> set[str]:
    """Return the names of what Quire and its extras need, and what these need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    todo = project["dependencies"] + [one for name, given in extras.items() if name != "all" for one in given]
    names: set[str] = set()
    while todo:
        one = Requirement(todo.pop())
        name = canonicalize_name(one.name)
        if name not in names and (one.marker is None or one.marker.evaluate({"extra": ""})):
            names.add(name)
            with contextlib.suppress(PackageNotFoundError):
                todo += requires(name) or []
    return names


def licence(name: str) -> str | None:
    """Return the licence of a package; None where it is not installed."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return None
    said = about["License-Expression"] or about["License"] or ""
    if 0 < len(said) <= _LONGEST and "\n" not in said:
        return str(said)
    kinds = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier") or [] if one.startswith("License")]
    return ", ".join(kinds) or "not said"


def of_the_page() -> list[tuple[str, str]]:
    """Return what is built into the page, with its licences."""
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))["packages"]
    built = {path.rpartition("node_modules/")[2]: one for path, one in packages.items() if path and not one.get("dev")}
    return [(name, built[name].get("license", "not said")) for name in sorted(built)]


def page() -> str:
    """Return the page."""
    names, ours = locked(), needed()
    rows = {name: licence(name) or "not installed where this was made" for name in names}
    parts = [
        ("What Quire and its extras install", [(name, rows[name]) for name in names if name in ours]),
        ("What is built into the page", of_the_page()),
        ("What tests, documentation and checks need too", [(name, rows[name]) for name in names if name not in ours]),
    ]
    lines = [_HEAD]
    for heading, packages in parts:
        lines += [f"## {heading}\n", "| package | licence |", "|---|---|"]
        lines += [*(f"| {name} | {said} |" for name, said in packages), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
