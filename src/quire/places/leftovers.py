"""Names of what is being written, which tell who writes it: so what a dead process left is known from a live one's."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from quire.places.handles import NONE_LEFT, enough_handles

PART, OLD = "part", "old"  # not yet in its place; no longer in its place
_NAME = re.compile(
    r"\.quire-(?P<target>[0-9a-f]{8})-(?P<host>[0-9a-f]{8})-(?P<boot>[0-9a-f]{8})-(?P<pid>\d+)-(?P<start>\d+)"
    rf"-[0-9a-f]{{8}}\.(?P<kind>{PART}|{OLD})"
)
_UNSIGNED = re.compile(r"\.quire-[0-9a-f]{16}\.(part|old)")  # as they were once named
_FORGOTTEN = 24 * 3600.0  # seconds after which what cannot be traced to a process is nobody's
_HIDDEN = -1  # of a process that is there but says nothing
_TRIES, _PAUSE = 50, 0.1  # of taking a lock, which somebody else could hold for ever


class Writer(NamedTuple):
    """A process, known from all others that there ever were."""

    host: str
    boot: str
    pid: int
    start: int

    @classmethod
    def here(cls) -> Writer:
        """Return this process."""
        return cls(*_machine(), os.getpid(), _started(os.getpid()) or 0)

    @property
    def alive(self) -> bool | None:
        """Whether it still runs; None where that cannot be known from here."""
        host, boot = _machine()
        if self.host != host:
            return None
        if self.boot != boot:
            return False
        if self.pid == os.getpid():
            return self.start == (_started(self.pid) or 0)
        if sys.platform == "win32":  # where asking would end it
            return None
        started = _started(self.pid)
        return None if started == _HIDDEN else started == self.start


class Leftover(NamedTuple):
    """Something that is being written, or was when its process died."""

    path: Path
    writer: Writer | None  # None: the name does not tell
    kind: str
    target: str | None

    @property
    def dead(self) -> bool:
        """Whether nobody will finish it, and it is this user's to remove."""
        if not _own(self.path):
            return False
        alive = None if self.writer is None else self.writer.alive
        if alive is not None:
            return not alive
        with contextlib.suppress(OSError):
            return time.time() - self.path.lstat().st_mtime > _FORGOTTEN
        return False

    def remove(self) -> None:
        """Remove it, where that is allowed."""
        with contextlib.suppress(OSError):
            if self.path.is_dir() and not self.path.is_symlink():
                shutil.rmtree(self.path, ignore_errors=True)
            else:
                self.path.unlink(missing_ok=True)


def is_leftover(name: str) -> bool:
    """Say whether a file or folder has a name that only Quire gives to what it writes."""
    return bool(_NAME.fullmatch(name) or _UNSIGNED.fullmatch(name))


def signed_path(target: Path, kind: str) -> Path:
    """Return a new path beside a target, signed by this process."""
    host, boot, pid, start = Writer.here()
    return target.with_name(f".quire-{_digest(target.name)}-{host}-{boot}-{pid}-{start}-{secrets.token_hex(4)}.{kind}")


def leftovers(folder: Path) -> list[Leftover]:
    """Return all that is or was being written in a folder."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return []
    return [_leftover(folder / name) for name in names if is_leftover(name)]


def leftovers_of(target: Path, kind: str) -> list[Leftover]:
    """Return what is or was being written for one target."""
    own = _digest(target.name)
    return [one for one in leftovers(target.parent) if one.target == own and one.kind == kind]


def sweep_folder(folder: Path) -> None:
    """Remove what dead processes did not finish; what one had moved aside is left to who writes that target next."""
    for one in leftovers(folder):
        if one.kind == PART and one.dead:
            one.remove()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder against other processes and threads for a moment, where the system and the disk know locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        held = os.open(folder, os.O_RDONLY)
    except OSError:  # whoever writes there will say why that cannot be
        yield
        return
    try:
        for _ in range(_TRIES):
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    break
                time.sleep(_PAUSE)
            else:
                break
        yield
    finally:
        os.close(held)


def _leftover(path: Path) -> Leftover:
    match = _NAME.fullmatch(path.name)
    if match is None:
        return Leftover(path, None, PART, None)
    writer = Writer(match["host"], match["boot"], int(match["pid"]), int(match["start"]))
    return Leftover(path, writer, match["kind"], match["target"])


@cache
def _machine() -> tuple[str, str]:
    """Return what tells this machine, or container, from others, and its present boot from earlier ones."""
    boot, processes = _text_of("/proc/sys/kernel/random/boot_id"), ""
    with contextlib.suppress(OSError):
        processes = str(Path("/proc/self/ns/pid").readlink())  # a container numbers its own
    return _digest(f"{platform.node()} {processes}"), _digest(boot)


def _started(pid: int) -> int | None:
    """Return when a process was started, in the system's own unit; None where there is none."""
    linux = sys.platform == "linux"
    if linux:
        with contextlib.suppress(ValueError):
            state, *rest = _text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
            return None if state in "ZX" else int(rest[18])  # one that ended is listed until its parent has asked
    if sys.platform == "win32":  # where signal 0 is Ctrl-C
        return 0
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except OSError:
        pass
    return _HIDDEN if linux else 0


def _text_of(path: str) -> str:
    """Return what the system tells, "" where nothing; without file handles nobody could be known from the dead."""
    with enough_handles():
        try:
            return Path(path).read_text("utf-8", "replace")
        except OSError as error:
            if error.errno in NONE_LEFT:
                raise
            return ""


def _own(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()
    return False


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
