"""A place for blocks on this machine: files that are mapped into memory while a task looks at them."""

from __future__ import annotations

import errno
import mmap
import os
import pickle
import weakref
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, Self

import numpy as np

from quire.places.place import Merge, Task, Update, add_up
from quire.places.workfolder import WorkFolder, check_space, linked

_ALIGNED = 64  # bytes: where an array begins in a file


class Kept:
    """Something kept: in memory, or in a file that goes when nobody holds this any more."""

    def __init__(self, thing: Any = None, path: Path | None = None) -> None:
        self.thing, self.path = thing, path
        if path is not None:
            self._finalizer = weakref.finalize(self, path.unlink, missing_ok=True)


class SerialPlace:
    """Works on one block after the other, in this process; a subclass says where things are kept."""

    device: str
    copies: bool = True

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
        """Run a task for one block after the other (see :class:`quire.places.place.Place`)."""
        handles: list[Kept | None] = []
        told = None
        for done, parts in enumerate(zip(*lists, strict=True)):
            kept, said = task(*map(self.fetch, parts), *args)
            handles.append(None if kept is None else self.put(kept))
            told = said if told is None else told if said is None else (merge or add_up)(told, said)
            del kept, said
            if update is not None:
                update(done + 1, len(lists[0]))
        return handles, told

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class DiskPlace(SerialPlace):
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
        self.folder, self.device = Path(folder), device
        self._work = WorkFolder(self.folder, need)
        self._room, self._names = room, count()

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

    def adopt(self, path: Path) -> Kept:
        """Keep what a file holds that was written by another process; the file itself stays."""
        own = self._free_path()
        linked(path, own)
        return Kept(path=own)

    def _free_path(self) -> Path:
        return self.folder / f"{next(self._names):08d}-{os.getpid()}.block"

    def _give_back(self, size: int) -> None:
        self._room += size

    def close(self) -> None:
        """Remove all that is kept, and the folder."""
        self._work.remove()


def write_thing(path: Path, thing: Any) -> None:
    """Write anything that can be pickled; its arrays lie in the file as they are, ready to be mapped."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    views = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    sizes = np.array([view.nbytes for view in views], np.int64)
    check_space(path.parent, int(sizes.sum()))
    try:
        with path.open("wb") as file:
            file.write(np.int64(len(sizes)).tobytes() + sizes.tobytes())
            for view in views:
                file.write(bytes(-file.tell() % _ALIGNED))
                file.write(view)
    except OSError as error:
        path.unlink(missing_ok=True)
        if error.errno == errno.ENOSPC:
            check_space(path.parent, 1 << 62)  # which says it in a sentence
        raise


def read_thing(path: Path) -> Any:
    """Return what :func:`write_thing` wrote; its arrays are mapped and cannot be changed."""
    with path.open("rb") as file:
        held = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    n = int(np.frombuffer(held[:8], np.int64)[0])
    sizes = np.frombuffer(held[8 : 8 + 8 * n], np.int64)
    at, views = 8 + 8 * n, []
    for size in sizes.tolist():
        at += -at % _ALIGNED
        views.append(held[at : at + size])
        at += size
    return pickle.loads(views[0], buffers=views[1:])
