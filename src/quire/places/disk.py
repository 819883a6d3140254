"""A place for blocks on this machine: files that are mapped into memory while a task looks at them."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self

import numpy as np

from quire.places.codec import read_thing, write_thing
from quire.places.indices import check_indices
from quire.places.machine import in_order, pool_of, works_beside_others
from quire.places.place import Merge, Task, Tree, Update, add_into
from quire.places.portable import remove_file
from quire.places.workfolder import WorkFolder, linked

_MERGING = 4  # threads that add up what blocks told
_NUMBERS = count()  # of blocks; a file goes with its handle, so no other place of this process may give its name again


@contextmanager
def merging(merge: Merge, threads: int) -> Iterator[Tree]:
    """Give a tree whose branches, which may be large, are merged by threads of their own beside the work."""
    if threads < 2 or works_beside_others():
        yield Tree(merge)
        return
    with pool_of(threads) as pool:  # a sum waits only for others that were begun before it

        def ready(summary: Any) -> Any:
            return summary.result() if isinstance(summary, Future) else summary

        yield Tree(lambda first, second: pool.submit(lambda: merge(ready(first), ready(second))))


class Kept:
    """Something kept: in memory, or in a file that goes when nobody holds this any more."""

    def __init__(self, thing: Any = None, path: Path | None = None) -> None:
        self.thing, self.path = thing, path
        if path is not None:
            self._finalizer = weakref.finalize(self, remove_file, path)


class LocalPlace:
    """Works on blocks in this process; a subclass says where things are kept."""

    device: str
    copies: bool = True
    threads: int = 1  # that work on a block each

    def put(self, thing: Any) -> Kept:
        """Keep something."""
        raise NotImplementedError

    def close(self) -> None:
        """Forget everything that is kept."""

    def fetch(self, handle: Kept | None) -> Any:
        """Return what is kept; arrays of a file are mapped, and read when they are looked at."""
        if handle is None:
            return None
        return handle.thing if handle.path is None else read_thing(handle.path)

    def sweep(
        self,
        task: Task,
        *lists: Sequence[Kept | None],
        args: tuple[Any, ...] = (),
        merge: Merge | None = None,
        update: Update | None = None,
    ) -> tuple[list[Kept | None], Any]:
        """Run a task for every block (see :class:`quire.places.place.Place`), for some at the same time."""
        handles: list[Kept | None] = []

        def work(*parts: Kept | None) -> tuple[Any, Any]:
            return task(*map(self.fetch, parts), *args)

        # Fewer blocks than threads are better worked on one after the other, all threads within each.
        threads = self.threads if len(lists[0]) >= self.threads else 1
        with merging(merge or add_into, min(threads, _MERGING)) as tree:
            for done, (kept, summary) in enumerate(in_order(work, zip(*lists, strict=True), threads)):
                handles.append(None if kept is None else self.put(kept))
                tree.add(summary)
                del kept, summary
                if update is not None:
                    update(done + 1, len(lists[0]))
            told = tree.whole()
            return handles, told.result() if isinstance(told, Future) else told

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class DiskPlace(LocalPlace):
    """Keeps blocks in files of a folder and works on one after the other; small factors stay in memory.

    Parameters
    ----------
    folder : path
        Made where it is not there, refused where it holds other things; removed by :meth:`close`
        (:class:`quire.places.workfolder.WorkFolder`).
    room : int
        Bytes of arrays that may stay in memory instead of files.
    device : {"cpu", "cuda", "auto"}
        Where tasks hold X.
    need : int
        Bytes that will be written: refused at once where the disk has fewer.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from quire.places.disk import DiskPlace
    >>> with DiskPlace(tempfile.mkdtemp()) as place:
    ...     place.fetch(place.put(np.arange(3))).tolist()
    [0, 1, 2]
    """

    def __init__(self, folder: str | Path, room: int = 0, device: str = "cpu", need: int = 0) -> None:
        self.device = device
        self._work = WorkFolder(Path(folder), need)
        self._room = room

    @property
    def folder(self) -> Path:
        """Where blocks are, and what a later process can go on from."""
        return self._work.path

    def allow(self, room: int, device: str) -> None:
        """Set what may stay in memory, and where tasks hold X."""
        self._room, self.device = room, device

    def forget(self) -> None:
        """Remove the checkpoints that a killed run left."""
        self._work.forget()

    def leave(self) -> None:
        """Let another process go on with what is here."""
        self._work.leave()

    def put(self, thing: Any) -> Kept:
        """Keep something: arrays in memory while there is room, all else in a file."""
        if isinstance(thing, np.ndarray) and thing.nbytes <= self._room:
            self._room -= thing.nbytes
            kept = Kept(thing)
            weakref.finalize(kept, self._give_back, thing.nbytes)
            return kept
        path = self._free_path()
        write_thing(path, thing)
        return Kept(path=path)

    def keeps(self, thing: Any) -> bool:
        """Say whether something is a handle of this place."""
        return isinstance(thing, Kept)

    def write_down(self, blocks: Sequence[tuple[Kept, Path]]) -> None:
        """Link what is in a file, which is never changed; write what is in memory."""
        for kept, path in blocks:
            if kept.path is None:
                write_thing(path, kept.thing)
            else:
                linked(kept.path, path)

    def adopt(self, path: Path) -> Kept:
        """Keep what a file holds that was written by another process; the file itself stays."""
        check_indices(read_thing(path), path.name)
        own = self._free_path()
        linked(path, own)
        return Kept(path=own)

    def _free_path(self) -> Path:
        return self.folder / f"{next(_NUMBERS):08d}-{os.getpid()}.block"

    def _give_back(self, size: int) -> None:
        self._room += size

    def close(self) -> None:
        """Remove all that is kept, and the folder."""
        self._work.remove()
