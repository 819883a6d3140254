"""Where a corpus is worked on: in memory, in blocks on disk, or on a cluster; and what a killed run left."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quire.blocks.budget import memory_of, room_of
from quire.blocks.checkpoint import Checkpoint
from quire.blocks.disk import DiskPlace
from quire.blocks.place import Place
from quire.blocks.read import need_of
from quire.options import Options

_COMMAND = "command"


def fits(source: Any, options: Options) -> bool:
    """Say whether a corpus is to be worked on in memory.

    Examples
    --------
    >>> from quire.blocks.where import fits
    >>> from quire.options import Options
    >>> fits(["a moon"], Options()), fits(["a moon"], Options(dask="local:2"))
    (True, False)
    """
    return options.dask is None and need_of(source, options).memory <= memory_of(options.memory)


def place_for(source: Any, options: Options, out: Path) -> Place | None:
    """Return where to work on a corpus; None for in memory, where it fits.

    Parameters
    ----------
    source : as for :func:`quire.corpus.read_corpus`
        The documents.
    options : Options
        ``dask``, ``memory`` and ``device`` say where.
    out : Path
        The run's folder; blocks lie in one beside it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.blocks.where import place_for
    >>> from quire.options import Options
    >>> place_for(["a moon"], Options(memory="2GB"), Path("run")) is None
    True
    """
    if options.dask is not None:
        from quire.blocks.dask import DaskPlace

        return DaskPlace(options.dask, options.device, options.threads)
    if fits(source, options):
        return None
    need, folder = need_of(source, options), work_folder(out)
    room = room_of(memory_of(options.memory), need.documents, need.text_bytes)
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed, and is begun anew
    place = DiskPlace(folder, room, options.device, need.disk)
    Checkpoint(place).save(_COMMAND, {"source": _known(source), "options": asdict(options)})
    return place


def left_work(out: Path) -> tuple[str, Options, DiskPlace]:
    """Return the source, the options and the blocks of a run that was killed.

    Parameters
    ----------
    out : Path
        The folder that the run was to have.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.blocks.where import left_work
    >>> left_work(Path("nowhere"))
    Traceback (most recent call last):
    ValueError: There is nothing to resume for nowhere: only a killed run in blocks leaves what it has.
    """
    folder = work_folder(out)
    if not (folder / "checkpoints" / _COMMAND).exists():
        raise ValueError(
            f"There is nothing to resume for {out}: only a killed run in blocks leaves what it has."
        )
    place = DiskPlace(folder)
    command = Checkpoint(place).load(_COMMAND)
    if _known(command["source"]["path"]) != command["source"]:
        raise ValueError(
            f"{command['source']['path']} is not what it was when the run was begun: run quire cluster again."
        )
    options, source = Options(**command["options"]), command["source"]["path"]
    need = need_of(source, options)
    room = room_of(memory_of(options.memory), need.documents, need.text_bytes)
    return source, options, DiskPlace(folder, room, options.device)


def work_folder(out: Path) -> Path:
    """Return the folder of a run's blocks.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.blocks.where import work_folder
    >>> work_folder(Path("a/run")).name
    'run.unfinished'
    """
    return out.with_name(out.name + ".unfinished")


def _known(source: Any) -> dict[str, Any]:
    """Return what shows whether a source has changed."""
    path = Path(source) if isinstance(source, str | Path) else None
    if path is None or not path.exists():
        return {"path": str(source) if path is not None else None}
    said = path.stat()
    return {"path": str(path.absolute()), "size": said.st_size, "changed": said.st_mtime_ns}
