"""Interpreters that can be had here, clean environments of them, and a way to run something without a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_ROOT = Path(__file__).parents[1]
_UV = shutil.which("uv")


def interpreters() -> dict[str, str]:
    """Return the interpreters of the supported versions that are on this machine."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": getattr(sys, "_base_executable", sys.executable)}
    for version in PYTHONS:
        candidates = [shutil.which(f"python{version}"), *_of_uv(version), *_of_pyenv(version)]
        for candidate in filter(None, candidates):
            if _version_of(candidate) == version:
                found.setdefault(version, candidate)
    return {version: found[version] for version in PYTHONS if version in found}


def _of_uv(version: str) -> list[str]:
    if _UV is None:
        return []
    told = subprocess.run([_UV, "python", "find", version], capture_output=True, text=True, check=False)
    return told.stdout.split("\n")[:1] if told.returncode == 0 else []


def _of_pyenv(version: str) -> list[str]:
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return [str(path) for path in sorted(folder.glob(f"{version}.*/bin/python"), reverse=True)]


def _version_of(python: str) -> str | None:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return told.stdout.strip() if told.returncode == 0 else None


def make(folder: Path, python: str) -> Path:
    """Make a clean environment; return its interpreter."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [_UV, "venv", "--quiet", "--python", python] if _UV else [python, "-m", "venv"]
    subprocess.run([*command, str(folder)], check=True)
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def install(python: Path, *what: str, dry: bool = False) -> None:
    """Install wheels and requirements, newest versions where nothing else is said."""
    into = (
        [_UV, "pip", "install", "--quiet", "--python", str(python)]
        if _UV
        else [str(python), "-m", "pip", "install", "--quiet"]
    )
    found = subprocess.run([*into, *(["--dry-run"] if dry else []), *what], capture_output=True, text=True, check=False)
    if found.returncode:
        raise RuntimeError(found.stderr.strip())


def lowest_constraints(folder: Path) -> Path:
    """Write the versions of requirements/lowest.lock as constraints, which need no hashes."""
    text = (_ROOT / "requirements" / "lowest.lock").read_text("utf-8")
    pins = re.findall(r"^([A-Za-z0-9_.-]+==[^\s\\]+(?: ;[^\\\n]+)?)", text, re.MULTILINE)
    path = folder / "lowest.txt"
    path.write_text("\n".join(pins) + "\n", "utf-8")
    return path


def without_network() -> list[str]:
    """Return what to put before a command to give it a network without interfaces; nothing where none can be had."""
    unshare = shutil.which("unshare")
    prefix = [unshare, "--map-root-user", "--net"] if unshare else []
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
        return prefix
    return []
