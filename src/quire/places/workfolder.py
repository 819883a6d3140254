"""The folder of a run's blocks: taken by one process at a time, and nothing of anybody else's is touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO

from quire.places.atomic import make_folder
from quire.places.handles import enough_handles
from quire.places.portable import remove_file

CHECKPOINTS = "checkpoints"
_BLOCKS = "*.block"
_PRIVATE = 0o700
_SPARE = 64 << 20  # bytes of the disk that are left to others


class WorkFolder:
    """A folder for blocks, locked while it is in use."""

    LOCK = "lock"

    def __init__(self, path: Path, need: int = 0) -> None:
        self.path = path
        check_space(path, need)
        with writing_to(path):
            self._take()

    def _take(self) -> None:
        """Make the folder, or make sure that it is ours; lock it, and remove what nobody holds any more."""
        path = self.path
        make_folder(path.parent)
        try:
            path.mkdir(mode=_PRIVATE)  # which nobody else may look into: the texts are there
        except FileExistsError:
            if path.is_symlink() or not _ours(path):
                raise ValueError(
                    f"{path} is there already and holds other things: move it, or name another --out."
                ) from None
            _check_private(path)
        self._lock = _locked(path / self.LOCK)
        for left in path.glob(_BLOCKS):
            remove_file(left)

    def forget(self) -> None:
        """Remove the checkpoints of a killed run."""
        shutil.rmtree(self.path / CHECKPOINTS, ignore_errors=True)

    def leave(self) -> None:
        """Let another process have the folder as it is."""
        self._lock.close()

    def remove(self) -> None:
        """Remove all that is ours, and the folder where nothing else is in it."""
        try:
            self.forget()
            with enough_handles():
                for file in (*self.path.glob(_BLOCKS), self.path / self.LOCK):
                    remove_file(file)
        finally:
            self.leave()
        if sys.platform == "win32":  # where the lock, while it was open, could not go
            remove_file(self.path / self.LOCK)
        with contextlib.suppress(OSError):
            self.path.rmdir()


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Say in a sentence why the disk takes nothing."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # a sentence already
            raise
        why = (error.strerror or str(error)).lower()
        raise OSError(f"{folder} cannot be written ({why}): make room, or name another folder with --out.") from None


def check_space(folder: Path, need: int) -> None:
    """Refuse to begin what the disk has no room for."""
    whole = folder.absolute()
    free = shutil.disk_usage(next(one for one in (whole, *whole.parents) if one.exists())).free
    if need + _SPARE > free:
        raise OSError(
            f"The disk of {folder} has {free / 1e9:.1f} GB left and about {need / 1e9:.1f} GB are needed: "
            "free some, or name a folder on another disk with --out."
        )


def linked(path: Path, own: Path) -> None:
    """Give a file another name; copy it where the disk knows no links."""
    try:
        os.link(path, own)
    except FileNotFoundError:
        raise
    except OSError:
        check_space(own.parent, path.stat().st_size)
        shutil.copyfile(path, own)


def _ours(path: Path) -> bool:
    if not path.is_dir():
        return False
    names = [file.name for file in path.iterdir()]
    return all(name in (CHECKPOINTS, WorkFolder.LOCK) or Path(name).match(_BLOCKS) for name in names)


def _check_private(folder: Path) -> None:
    """Refuse what somebody else put here, or could have: a killed run goes on from what it finds."""
    if not hasattr(os, "geteuid"):  # a system that knows no such owners
        return
    remedy = f"remove {folder}, or name another --out."
    if folder.lstat().st_uid == os.geteuid() and not any(folder.iterdir()):
        folder.chmod(_PRIVATE)
    closed = not folder.lstat().st_mode & 0o077  # then the modes of what is inside do not matter
    for path in (folder, *(Path(here, name) for here, *names in os.walk(folder) for name in chain(*names))):
        with contextlib.suppress(FileNotFoundError):  # whoever works there has removed it
            status = path.lstat()
            if status.st_uid != os.geteuid():
                raise ValueError(f"{path} belongs to another user: {remedy}")
            if stat.S_ISLNK(status.st_mode) or (status.st_mode & 0o022 and not closed):
                raise ValueError(f"{path} could have been changed by others: {remedy}")


def _locked(path: Path) -> IO[str]:
    file = path.open("w")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # a system without such locks
        pass
    except OSError:
        file.close()
        raise ValueError(f"{path.parent} is in use by another process: wait for it, or name another --out.") from None
    return file
