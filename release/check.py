"""``make release-check``: is what would be published sound? Built twice, looked into, installed, tried offline.

``python release/check.py [--only build|pythons|lowest|extras] [--extra NAME]`` tries a part. Nothing is published.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import environments as environment

ROOT = Path(__file__).parents[1]
SMOKE = Path(__file__).parent / "smoke.py"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOT_HERE = {"gpu": "its packages are only resolved: no GPU is asked for here"}
_VERSION = re.compile(r"^(?:__version__|version)\s*[:=]\s*[\"']?(\d[^\"'\s]*)", re.MULTILINE)
_WHEEL_HOLDS = re.compile(r"quire/|quire_topics-[^/]+\.dist-info/")
_LEFTOVER = re.compile(r"__pycache__|\.pyc$|\.nbi$|\.nbc$|\.orig$|\.DS_Store|(^|/)tests?/|(^|/)test_\w+\.py$|~$")
_NOT_IN_SDIST = re.compile(r"/(\.venv|node_modules|dist|docs/_build|\.github|\.ci)/")


class UnfitError(Exception):
    """Something that would have been published wrong; the sentence says what."""


def version() -> str:
    """Return the version, and make sure that it stands in one place."""
    named = (ROOT / "pyproject.toml", ROOT / "CITATION.cff", ROOT / "docs" / "conf.py")
    places = [
        (path, found)
        for path in (*named, *(ROOT / "src").rglob("*.py"))
        for found in _VERSION.findall(path.read_text("utf-8"))
    ]
    if [path for path, _ in places] != [ROOT / "src" / "quire" / "__init__.py"]:
        where = ", ".join(str(path.relative_to(ROOT)) for path, _ in places)
        raise UnfitError(f"The version stands in {where}: leave it in src/quire/__init__.py alone.")
    return places[0][1]


def changelog() -> None:
    """Make sure that the changelog tells of the version, with a date where it is not one of development."""
    released, _, development = version().partition(".dev")
    heading = re.search(rf"^## {re.escape(released)} – (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if heading is None:
        raise UnfitError(f"CHANGELOG.md has no section ## {released}.")
    if not development and not re.match(r"\d{4}-\d\d-\d\d", heading[1]):
        raise UnfitError(f"CHANGELOG.md says of {released} {heading[1]!r} where its date should be.")


def build(folder: Path) -> tuple[Path, Path]:
    """Build wheel and sdist twice, from what is committed or tracked, with the time of the last commit; return them."""
    tools = environment.make(folder / "tools", sys.executable)
    environment.install(tools, "hatchling>=1.27", "twine>=6")
    time = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    around = os.environ | {"SOURCE_DATE_EPOCH": time.strip() or "1577836800"}
    builds = [folder / "first", folder / "second"]
    for to in builds:
        subprocess.run(
            [tools, "-m", "hatchling", "build", "-d", to], cwd=ROOT, env=around, check=True, capture_output=True
        )
    first, second = ({path.name: _digest(path) for path in to.iterdir()} for to in builds)
    if first != second or len(first) != 2:
        raise UnfitError(f"Two builds of the same sources differ: {first} and {second}.")
    for name, digest in sorted(first.items()):
        print(f"    {digest}  {name}")
    made = sorted(builds[0].iterdir())
    checked = subprocess.run(
        [tools, "-m", "twine", "check", "--strict", *made], capture_output=True, text=True, check=False
    )
    if checked.returncode:
        raise UnfitError(f"twine check: {checked.stdout}{checked.stderr}")
    wheel = next(path for path in made if path.suffix == ".whl")
    return wheel, next(path for path in made if path != wheel)


def look_into(wheel: Path, sdist: Path) -> None:
    """Make sure that the wheel has the package and nothing else, and the sdist nothing that was made."""
    names = zipfile.ZipFile(wheel).namelist()
    odd = [name for name in names if not _WHEEL_HOLDS.match(name) or _LEFTOVER.search(name)]
    if odd:
        raise UnfitError(f"The wheel holds what it should not: {', '.join(odd[:5])}.")
    for needed in ("quire/pages/app.html", "quire/py.typed", "quire/runs/recipes/default.toml"):
        if needed not in names:
            raise UnfitError(f"The wheel lacks {needed}.")
    with tarfile.open(sdist) as archive:
        inside = archive.getnames()
    odd = [name for name in inside if _NOT_IN_SDIST.search(name + "/") or "__pycache__" in name]
    if odd:
        raise UnfitError(f"The sdist holds what it should not: {', '.join(odd[:5])}.")
    for path, held in ((wheel, names), (sdist, inside)):
        print(f"    {path.name}: {len(held)} files, {path.stat().st_size / 1e6:.1f} MB")


def try_out(python: Path, folder: Path, *extras: str) -> None:
    """Run the smoke test in an environment, without a network where that can be."""
    # A cache of its own: compiled kernels must come from this installation.
    around = os.environ | {"QUIRE_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": ""}
    with tempfile.TemporaryDirectory(dir=folder) as here:
        command = [
            *environment.without_network(),
            str(python),
            "-W",
            "error::ImportWarning",
            str(SMOKE),
            version(),
            *extras,
        ]
        found = subprocess.run(command, cwd=here, env=around, capture_output=True, text=True, check=False)
    if found.returncode:
        raise UnfitError((found.stderr or found.stdout).strip()[-2000:])
    print(f"    {'; '.join(found.stdout.split(chr(10))[:2])}")


def on_python(folder: Path, wheel: Path, python: str) -> None:
    """Install the newest versions of everything with one Python, and try it."""
    into = environment.make(folder / "environment", python)
    environment.install(into, str(wheel))
    try_out(into, folder)


def with_lowest(folder: Path, wheel: Path, python: str) -> None:
    """Install the lowest versions that are allowed, and try it."""
    into = environment.make(folder / "environment", python)
    environment.install(into, str(wheel), "--constraint", str(environment.lowest_constraints(folder)))
    try_out(into, folder)


def with_extra(folder: Path, wheel: Path, python: str, extra: str) -> None:
    """Install one extra, and try what it is for."""
    into = environment.make(folder / "environment", python)
    environment.install(into, f"{wheel}[{extra}]", dry=extra in NOT_HERE)
    if extra in NOT_HERE:
        print(f"    {NOT_HERE[extra]}")
    else:
        try_out(into, folder, extra)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def step(title: str, task: Callable[[], None], failures: list[str]) -> None:
    """Do one thing and say how it went."""
    print(f"{title} …", flush=True)
    try:
        task()
    except (UnfitError, RuntimeError, subprocess.CalledProcessError) as error:
        failures.append(title)
        print(f"    FAILED: {error}", flush=True)


def main() -> None:
    """Check all, or a part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("build", "pythons", "lowest", "extras"))
    parser.add_argument("--extra", choices=tuple(PROJECT["optional-dependencies"]))
    given = parser.parse_args()
    wanted = {given.only} if given.only else {"pythons", "lowest", "extras"}
    failures: list[str] = []
    print(f"Quire {version()}")
    changelog()
    pythons = environment.interpreters()
    absent = [one for one in environment.PYTHONS if one not in pythons]
    print(f"Python {', '.join(pythons)} are here" + (f"; {', '.join(absent)} could not be had" if absent else ""))
    if not environment.without_network():
        print("No network namespace can be made here: what is tried could reach the network.")
    oldest = next(iter(pythons.values()))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, sdist = build(folder)
        look_into(wheel, sdist)
        if "pythons" in wanted:
            for one, path in pythons.items():
                step(f"Python {one}, newest versions", lambda path=path: on_python(folder, wheel, path), failures)  # type: ignore[misc]
        if "lowest" in wanted:
            step("lowest versions", lambda: with_lowest(folder, wheel, oldest), failures)
        if "extras" in wanted:
            for extra in [given.extra] if given.extra else PROJECT["optional-dependencies"]:
                step(f"extra {extra}", lambda extra=extra: with_extra(folder, wheel, oldest, extra), failures)  # type: ignore[misc]
    if failures:
        sys.exit(f"Not fit to be released: {', '.join(failures)}.")
    print("Fit to be released." if not given.only else "Nothing wrong with the part that was asked for.")


if __name__ == "__main__":
    try:
        main()
    except UnfitError as error:
        sys.exit(f"Not fit to be released: {error}")
