"""What a run on workers leaves for a later process: a file a block, written and read by the workers themselves."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from quire.places.codec import read_thing, write_thing
from quire.places.dask.tasks import DaskHandle
from quire.places.indices import check_indices
from quire.places.portable import remove_file
from quire.places.workfolder import WorkFolder, linked

_NUMBERS = count()


class Stored:
    """Stands for a block in a file that no other process removes; where it is unpickled, it is the block.

    The file goes when nobody holds this any more.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = folder / f"{next(_NUMBERS):08d}-{os.getpid()}.block"
        linked(path, self.path)
        weakref.finalize(self, remove_file, self.path)

    def read(self) -> Any:
        """Return the block; its arrays are mapped."""
        return _read(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return _read, (self.path,)


def _read(path: Path) -> Any:
    thing = read_thing(path)
    check_indices(thing, path.name)
    return thing


def unfinished_folder(client: Any, path: Path) -> WorkFolder | None:
    """Take the folder of a run; None where a worker does not see it, which could leave nothing there."""
    there = path.exists()
    folder = WorkFolder(path)
    if all(client.run(_sees, str(path / folder.LOCK)).values()):
        return folder
    if there:  # what is inside is of a run that other workers were at
        folder.leave()
    else:
        folder.remove()
    return None


def _sees(path: str) -> bool:
    return os.access(path, os.R_OK | os.W_OK)


def write_blocks(client: Any, blocks: Sequence[tuple[DaskHandle, Path]], gather: Callable[[Any], Any]) -> None:
    """Let workers write what they keep to files; what is here still is written here."""
    from quire.places.dask.graph import call_there  # needs Dask

    futures = []
    for handle, path in blocks:
        if handle.key is not None:
            futures.append(call_there(client, partial(_write, path, handle.at), handle.future))
        elif handle.filed is not None:
            futures.append(call_there(client, partial(_write, path, handle.at, handle.filed)))
        else:
            write_thing(path, handle.thing.read() if isinstance(handle.thing, Stored) else handle.thing)
    gather(futures)


def _write(path: Path, at: int, group: Any) -> None:
    write_thing(path, group[at])
