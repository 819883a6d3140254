"""Files and folders that are written whole or not at all, whenever a process is killed.

They are written beside their place, flushed to the disk, and put there in one step. Whoever reads sees the old or
the new; what a killed process left is removed by the next one that writes there.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from quire.places.leftovers import OLD, PART, leftovers_of, locked, signed_path, sweep_folder
from quire.places.portable import replace_file

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_HERE = -100  # AT_FDCWD
_TRIES, _PAUSE = 200, 0.01  # of looking for what another process is about to put in its place


@contextmanager
def whole_file(target: Path, *, durable: bool = True) -> Iterator[Path]:
    """Give the path of a new file to be written, which takes its place at the end.

    It may be read by whoever could read the one that it replaces, or by whoever may read new files. Where several
    write at once, the last one wins. What need not outlive the machine is not ``durable``.
    """
    target = _real(target)
    sweep_folder(target.parent)
    part = signed_path(target, PART)
    try:
        _make_file(part)
        yield part
        part.chmod(_mode(target if target.exists() else part))
        if durable:
            flush(part)
        replace_file(part, target)
        if durable:
            flush(target.parent)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Give the path of a new folder to be filled, which takes its place at the end, in one step.

    Where another process, or thread, is writing the same one, an OSError says so.
    """
    target = _real(target)
    sweep_folder(target.parent)
    with locked(target.parent):
        check_free(target)
        restore(target)
        part = signed_path(target, PART)
        part.mkdir()
    try:
        plain = part / "plain"
        _make_file(plain)
        mode = _mode(plain)
        plain.unlink()
        yield part
        for file in filter(Path.is_file, part.iterdir()):
            file.chmod(mode)  # some libraries write files that nobody else may read
        flush_folder(part)
        _put_in_place(part, target)
        flush(target.parent)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_free(target: Path) -> None:
    """Raise an OSError where a living process is writing this folder."""
    if any(one.writer is not None and one.writer.alive for one in leftovers_of(_real(target), PART)):
        raise OSError(errno.EBUSY, "another process is writing it, wait for that or name another folder with --out")


def restore(target: Path) -> None:
    """Put back what a process that was killed had moved aside; wait where one that lives is about to.

    Only where folders cannot be exchanged in one step: everywhere else there is nothing to do.
    """
    target = _real(target)
    for _ in range(_TRIES):
        aside = leftovers_of(target, OLD)
        dead = [one for one in aside if one.dead]
        if os.path.lexists(target):
            if dead:
                with contextlib.suppress(OSError):
                    flush(target.parent)  # who moved it aside may have been killed before
            for one in dead:
                one.remove()
            return
        if dead:
            with contextlib.suppress(OSError):  # another process was faster, or nothing may be written here
                dead[-1].path.rename(target)
            return
        if not aside:
            return
        time.sleep(_PAUSE)


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder where there is none, with those above it: its name is on the disk before anything is put there."""
    if path.is_dir():
        return
    if not path.parent.is_dir():
        make_folder(path.parent)
    path.mkdir(mode=mode, exist_ok=True)
    flush(path.parent)


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    is_folder = path.is_dir()
    if is_folder and sys.platform == "win32":  # where folders cannot be opened
        return
    held = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(held)
    except OSError as error:
        if not (is_folder and error.errno in (errno.EINVAL, errno.ENOTSUP, errno.EBADF)):  # some disks cannot
            raise
    finally:
        os.close(held)


def flush_folder(folder: Path) -> None:
    """Wait until a folder and the files in it are on the disk."""
    for file in folder.iterdir():
        flush(file)
    flush(folder)


def _put_in_place(part: Path, target: Path) -> None:
    """Let the new folder and an older one change places; where that cannot be, the older steps aside first."""
    if not target.exists():
        part.rename(target)
        return
    part.chmod(_mode(target) | 0o700)
    if _exchange(part, target):
        return
    aside = signed_path(target, OLD)  # its name is the journal: see restore
    target.rename(aside)
    try:
        part.rename(target)
    except BaseException:  # also Ctrl-C: the old one comes back
        if not target.exists():
            aside.rename(target)
        raise
    flush(target.parent)  # the old one is there until the new one is sure to be
    shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Let two paths change places in one step; false where the system or the disk cannot do that."""
    swap = _swap()
    return swap is not None and swap(os.fsencode(one), os.fsencode(other)) == 0


@cache
def _swap() -> Callable[[bytes, bytes], int] | None:
    """Return the system's function that exchanges two names; None where it has none."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            mac = library.renamex_np
            mac.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint)
            return lambda one, other: int(mac(one, other, _EXCHANGE))
        linux = library.renameat2
        linux.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        return lambda one, other: int(linux(_HERE, one, _HERE, other, _EXCHANGE))
    except (OSError, AttributeError, TypeError):
        return None


def _real(target: Path) -> Path:
    """Return where a link leads, so that the link stays."""
    return target.resolve() if target.is_symlink() else target


def _make_file(path: Path) -> None:
    """Make an empty file that the process's umask, which no thread can ask for safely, gives its mode."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777
