"""What a disk may hold after the power failed: what was not flushed is lost, or half there.

The model is stricter than most disks: the content of a file is safe only where the file was flushed, the names in a
folder only where the folder was; names change in the order in which they were changed, each folder for itself.
"""

from __future__ import annotations

import os
import random
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import crash


class Recorder(crash.Counter):  # type: ignore[misc]
    """Notes, before every file operation below a folder, what names there are, and what has been flushed."""

    def __init__(self, root: Path, into: Path, disks: int, seed: int) -> None:
        super().__init__(None)
        self._root, self._into, self._disks, self._seed = root, into, disks, seed
        self._held: dict[int, int] = {}  # inode → descriptor: a number that is in use is not given again
        self._names: dict[int, list[tuple[int, dict[str, int]]]] = {}  # folder → versions, by operation
        self._safe_names: dict[int, list[int]] = {}  # folder → operations at which it was flushed
        self._safe_content: dict[int, list[tuple[int, bytes]]] = {}
        self._lock = threading.RLock()
        self._scan(is_safe=True)

    def operation(self) -> None:
        """Note what is there, before it changes."""
        if self.counting:
            with self._lock:
                self._scan()
                self.done += 1

    def before(self, function: Any) -> Any:
        """Note what a flush has made safe."""

        def recorded(descriptor: int) -> None:
            self.operation()
            function(descriptor)
            self._note_flush(os.fstat(descriptor).st_ino)

        return recorded

    def end(self) -> None:
        """Write what the disk may hold, after some of the operations and after all."""
        self._scan()
        draw = random.Random(self._seed)
        moments = [draw.randint(0, self.done) for _ in range(self._disks - 1)] + [self.done]
        for number, moment in enumerate(moments):
            disk = self._into / f"{number}-{'ended' if moment == self.done else moment}"
            self._write(self._root.stat().st_ino, disk, moment, draw, draw.choice(("oldest", "newest", "any", "any")))

    def _scan(self, is_safe: bool = False) -> None:
        todo = [self._root]
        while todo:
            folder = todo.pop()
            with suppress(FileNotFoundError, NotADirectoryError):
                here = self._hold(folder, is_safe)
                names = {}
                for entry in sorted(folder.iterdir()):
                    with suppress(FileNotFoundError):
                        names[entry.name] = self._hold(entry, is_safe)
                        todo += [entry] if entry.is_dir() else []
                versions = self._names.setdefault(here, [] if is_safe else [(self.done, {})])
                if not versions or versions[-1][1] != names:
                    versions.append((self.done, names))

    def _hold(self, path: Path, is_safe: bool) -> int:
        inode = path.stat().st_ino
        if inode not in self._held:
            self._held[inode] = os.open(path, os.O_RDONLY)
            if is_safe and path.is_file():
                self._safe_content[inode] = [(-1, path.read_bytes())]
        return inode

    def _note_flush(self, inode: int) -> None:
        if inode in self._names:
            self._safe_names.setdefault(inode, []).append(self.done - 1)
        elif inode in self._held:
            self._safe_content.setdefault(inode, []).append((self.done - 1, self._content(inode)))

    def _content(self, inode: int) -> bytes:
        return os.pread(self._held[inode], os.fstat(self._held[inode]).st_size, 0)

    def _write(self, inode: int, path: Path, moment: int, draw: random.Random, which: str) -> None:
        if inode not in self._names:
            path.write_bytes(self._surviving_content(inode, moment, draw))
            path.chmod(0o600)
            return
        path.mkdir(parents=True, mode=0o700)
        for name, below in self._surviving_names(inode, moment, draw, which).items():
            self._write(below, path / name, moment, draw, which)

    def _surviving_names(self, inode: int, moment: int, draw: random.Random, which: str) -> dict[str, int]:
        safe = max((at for at in self._safe_names.get(inode, []) if at < moment), default=-1)
        versions = [names for at, names in self._names[inode] if at <= moment]
        oldest = max(0, sum(at <= safe for at, _ in self._names[inode]) - 1)
        candidates = versions[oldest:] or [{}]
        return candidates[0] if which == "oldest" else candidates[-1] if which == "newest" else draw.choice(candidates)

    def _surviving_content(self, inode: int, moment: int, draw: random.Random) -> bytes:
        flushed = [content for at, content in self._safe_content.get(inode, []) if at < moment]
        last = self._content(inode)
        if flushed and flushed[-1] == last:
            return last
        lost = [b"", last[: draw.randint(0, len(last))], bytes(len(last))]
        return draw.choice([*lost, *flushed[-1:]])
