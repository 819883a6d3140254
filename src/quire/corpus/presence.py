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


def as_text(path: str | os.PathLike[str]) -> str:
    r"""Return a path as text that can be kept: bytes of a name that are no UTF-8 as ``\\xe9``."""
    name = os.fspath(path)
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half of a surrogate pair, which stands for no byte
        return name.encode("utf-8", "backslashreplace").decode()


def is_utf8(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is UTF-8: names of old archives may hold any bytes, and Polars opens none of these."""
    return as_text(path) == os.fspath(path)


def check_utf8(path: str | os.PathLike[str]) -> None:
    """Refuse a path that Polars would have to open and cannot."""
    if not is_utf8(path):
        raise ValueError(f"The path {as_text(path)} is not valid UTF-8, which what opens it needs: rename it.")


def source_name(source: str | Path | Sequence[Path]) -> str:
    """Return what a source of one or several paths is called in the notes: several as a shell takes them."""
    if isinstance(source, str | Path):
        return as_text(Path(source))
    return shlex.join(map(as_text, source))


def nothing_at(path: str | os.PathLike[str]) -> ValueError:
    """Return the error that says so."""
    if is_pattern(os.fspath(path)):
        return ValueError(f"There is no file or folder that {path} stands for: check the pattern.")
    return ValueError(f"There is no file or folder {path}: check the path.")
