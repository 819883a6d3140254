"""What holds files: a folder, a list of paths. An archive does too."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from quire.corpus.content import content, is_packed
from quire.corpus.formats.document import UnreadableError
from quire.corpus.formats.format import PACKED


class Holdings(Protocol):
    """Files under their names, wherever they are; names of folders that may not be entered end with a slash."""

    name: str
    """Of what holds them, for messages."""
    what: str
    """Is it: "folder"."""
    files: list[str]
    left: dict[str, str]
    """Those that are not read whatever they hold, and why."""

    def read(self, name: str) -> bytes:
        """Return what a file holds; raises `UnreadableError` where it cannot be read."""

    def close(self) -> None:
        """Let go of what is open."""


class Folder:
    """The files of a folder and all its sub-folders, in the order of their names."""

    what = "folder"

    def __init__(self, folder: Path, follow_links: bool) -> None:
        self.folder, self.name, links = folder, str(folder), list[str]()
        self.files = list(_files(folder, None if follow_links else links))
        self.left = dict.fromkeys(links, "a link, read with --follow-links")
        if self.files == [""]:
            raise ValueError(f"The folder {folder} may not be entered: check its permissions.")
        if links and not self.files:
            raise ValueError(f"The folder {folder} holds nothing but links: follow them with --follow-links.")

    def read(self, name: str) -> bytes:
        """Return what a file holds."""
        return _bytes(self.folder / name)

    def close(self) -> None:
        """Nothing is open."""


class Listed:
    """Files that were named one by one, or by a pattern."""

    what, name = "list of files", "the files that were named"

    def __init__(self, paths: Sequence[Path]) -> None:
        self.files, self.left = [str(path) for path in paths], dict[str, str]()

    def read(self, name: str) -> bytes:
        """Return what a file holds."""
        return _bytes(Path(name))

    def close(self) -> None:
        """Nothing is open."""


def _files(folder: Path, links: list[str] | None) -> Iterator[str]:
    """Yield the relative paths of all files, sorted. Links are gathered; if None, followed, once where they lead back.

    Who gives documents away could lead out of their folder by a link.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [""]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(folder / here), key=lambda entry: entry.name)
            about = (folder / here).stat()
        except OSError:  # a folder that may not be entered; its name is told like that of a file
            yield here
            continue
        if (about.st_dev, about.st_ino) in seen:
            continue
        seen.add((about.st_dev, about.st_ino))
        entries = [entry for entry in entries if not entry.name.startswith(".")]
        if links is not None:
            links += [here + entry.name for entry in entries if entry.is_symlink()]
            entries = [entry for entry in entries if not entry.is_symlink()]
        yield from (here + entry.name for entry in entries if not entry.is_dir())
        waiting += reversed([f"{here}{entry.name}/" for entry in entries if entry.is_dir()])


def _bytes(path: Path) -> bytes:
    """Return what a file holds, decompressed where its name says that it is compressed."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UnreadableError("folder that may not be entered")
        if not stat.S_ISREG(mode):  # reading a pipe would wait for ever
            raise UnreadableError("not a file")
        packed = path.suffix.lower() in PACKED and is_packed(path)
        return content(path) if packed else path.read_bytes()
    except OSError as error:
        raise UnreadableError((error.strerror or str(error)).lower()) from None
    except UnreadableError:
        raise
    except ValueError as error:
        raise UnreadableError(str(error).removesuffix(".")) from None
