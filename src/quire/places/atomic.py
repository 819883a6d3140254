"""Files and folders that are written whole or not at all: under another name first, then renamed."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Give the path of a new file to be written, which takes its place at the end.

    It may be read by whoever could read the one that it replaces, or by whoever may read new files.
    """
    made = _beside(target, "part")
    try:
        _make_file(made)
        yield made
        made.chmod(_mode(target if target.exists() else made))
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Give the path of a new folder to be filled, which takes its place at the end, in one rename."""
    made = _beside(target, "part")
    try:
        made.mkdir()
        plain = made / "plain"
        _make_file(plain)
        mode = _mode(plain)
        plain.unlink()
        yield made
        for file in made.iterdir():
            file.chmod(mode)  # some libraries write files that nobody else may read
        _put_in_place(made, target)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _put_in_place(made: Path, target: Path) -> None:
    """Rename; an older folder steps aside first and is deleted once the new one is there."""
    if not target.exists():
        made.rename(target)
        return
    aside = _beside(target, "old")
    aside.mkdir()
    try:
        target.rename(aside / target.name)
        try:
            made.rename(target)
        except BaseException:  # also Ctrl-C: the old one comes back
            (aside / target.name).rename(target)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _beside(target: Path, kind: str) -> Path:
    return target.with_name(f".quire-{secrets.token_hex(8)}.{kind}")


def _make_file(path: Path) -> None:
    """Make an empty file that the process's umask, which no thread can ask for safely, gives its mode."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777
