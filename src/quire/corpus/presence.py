"""Whether there is anything at a path: asked before what reads it is imported, which takes a while."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

_PATTERN = "*?["  # what stands for several files


def check_present(path: str | os.PathLike[str]) -> None:
    """Refuse a path where nothing is; standard input and a pattern are looked at when they are read."""
    name = os.fspath(path)
    if name != "-" and not is_pattern(name) and not os.path.lexists(name):
        raise nothing_at(path)


def is_pattern(name: str) -> bool:
    """Return whether a path may stand for several files."""
    return any(sign in name for sign in _PATTERN)


def source_name(source: str | Path | Sequence[Path]) -> str:
    """Return what a source of one or several paths is called in the notes: several as a shell takes them."""
    if isinstance(source, str | Path):
        return str(Path(source))
    return shlex.join(os.fsencode(path).decode("utf-8", "backslashreplace") for path in source)


def nothing_at(path: str | os.PathLike[str]) -> ValueError:
    """Return the error that says so."""
    if is_pattern(os.fspath(path)):
        return ValueError(f"There is no file or folder that {path} stands for: check the pattern.")
    return ValueError(f"There is no file or folder {path}: check the path.")
