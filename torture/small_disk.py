"""A small disk for a case: a tmpfs in a namespace of mounts that ends with the case, where that is allowed."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_PRIVATE, _BELOW, _REMOUNT, _READ_ONLY = 1 << 18, 1 << 14, 1 << 5, 1
PAGE = 4096


class SmallDisk:
    """A mounted folder whose size can be changed, and that can be made read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._system = folder, ctypes.CDLL(None, use_errno=True)
        if self._system.unshare(_NEW_MOUNTS) and self._system.unshare(_NEW_USER | _NEW_MOUNTS):
            raise PermissionError("Nothing may be mounted here.")
        self._mount(b"none", "/", None, _PRIVATE | _BELOW, b"")
        folder.mkdir()
        self._mount(b"quire", str(folder), b"tmpfs", 0, b"size=256m")

    def set_room(self, pages: int) -> None:
        """Let there be so many free pages beside what is there."""
        used = shutil.disk_usage(self.folder).used
        self._mount(b"quire", str(self.folder), b"tmpfs", _REMOUNT, f"size={used + pages * PAGE}".encode())

    def make_read_only(self, is_so: bool) -> None:
        """Let nothing be written there, or again."""
        self._mount(b"quire", str(self.folder), b"tmpfs", _REMOUNT | (_READ_ONLY if is_so else 0), b"")

    def _mount(self, source: bytes, target: str, kind: bytes | None, flags: int, data: bytes) -> None:
        if self._system.mount(source, os.fsencode(target), kind, flags, data):
            number = ctypes.get_errno()
            raise PermissionError(number, os.strerror(number))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nothing be written into a folder, by its mode: root is not kept from it."""
    mode = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(mode)
