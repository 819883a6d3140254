"""Whether there is anything at a path: asked before what reads it is imported, which takes a while."""

from __future__ import annotations

import os

_PATTERN = "*?["  # what stands for several files


def check_present(path: str | os.PathLike[str]) -> None:
    """Refuse a path where nothing is; standard input and a pattern are looked at when they are read."""
    name = os.fspath(path)
    if name != "-" and not any(sign in name for sign in _PATTERN) and not os.path.lexists(name):
        raise nothing_at(path)


def nothing_at(path: str | os.PathLike[str]) -> ValueError:
    """Return the error that says so."""
    return ValueError(f"There is no file or folder {path}: check the path.")
