"""Where a corpus is worked on: in memory, in blocks on disk, or on a cluster; and what a killed run left."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from quire import __version__
from quire.backends.backend import device_there
from quire.corpus.formats.format import matching
from quire.corpus.presence import source_name
from quire.places.checkpoint import Checkpoint, checkpoint_of
from quire.places.disk import DiskPlace
from quire.places.machine import allowed_threads
from quire.places.memory import MemoryPlace
from quire.places.place import Place
from quire.places.workfolder import CHECKPOINTS
from quire.runs.budget import memory_of, room_of, spare_memory
from quire.runs.fit import check_whole
from quire.runs.folder import check_target
from quire.runs.need import Need, need_of
from quire.runs.options import Options
from quire.runs.recipe import Recipe

if TYPE_CHECKING:
    from quire.places.dask.cluster import DaskPlace

_COMMAND = "command"
P = TypeVar("P", bound=Place)


@dataclass(frozen=True)
class Work:
    """A run to be made: of what, how, at which place."""

    source: Any
    options: Options
    recipe: Recipe
    place: Place
    target: Path | None = None  # the folder of a run that is written part by part, as it may not fit whole
    resumed: bool = False


def work_on(
    source: Any, options: Options, out: Path | None, own_recipe: Recipe | None = None, *, resumable: bool = True,
    beside: Need | None = None,
) -> Work:  # fmt: skip
    """Decide where a corpus is worked on: in memory where it fits, in files beside ``out``, or on Dask.

    ``beside``: what else is worked on, the documents of a run that is updated.
    """
    if out is not None:
        check_unfinished(out)
    recipe = options.resolved_recipe(own_recipe)
    need, memory = need_of(source, options, recipe).joined(beside or Need()), memory_of(options.memory)
    if options.dask is None and need.memory <= memory:
        here = MemoryPlace(device_there(options.device, need.entries or math.inf), options.threads)
        options = replace(options, device="cpu") if here.device == "cpu" else options  # decided once, for all parts
        here.threads = allowed_threads(options.threads)  # X goes to a GPU as a whole, blocks of documents to none
        return Work(source, options, recipe, here)
    if out is None:
        why = "takes more memory than it may" if options.dask is None else "is made on a cluster"
        raise ValueError(f"A run that {why} is written block by block: name a folder for it with out=.")
    check_target(out)
    resumable = resumable and bool(_paths(source))
    if options.dask is not None:
        cluster = _cluster(options, work_folder(out) if resumable else None)
        cluster.forget()  # as below
        return Work(source, options, recipe, _begun(cluster, source, options, recipe), out)
    check_whole(recipe.make_estimator(1, options.seed, options.threads), need.entries, options)
    spare_memory()
    room = room_of(memory, need.documents, need.text_bytes)
    place = DiskPlace(work_folder(out), room, options.device, need.disk)
    place.forget()  # a run that was killed, and cannot go on
    return Work(source, options, recipe, _begun(place, source, options, recipe) if resumable else place, out)


def _cluster(options: Options, unfinished: Path | None) -> DaskPlace:
    from quire.places.dask.cluster import DaskPlace  # needs Dask

    return DaskPlace(options.dask, options.device, options.threads, unfinished=unfinished)


def _begun(place: P, source: Any, options: Options, recipe: Recipe) -> P:
    """Note what a run is begun with, so that it can go on where it is killed."""
    kept = checkpoint_of(place)
    if kept is not None:
        about = {"source": _known(source), "options": asdict(options), "recipe": recipe.as_dict()}
        try:
            kept.save(_COMMAND, about | {"version": __version__})
        except BaseException:
            place.close()
            raise
    return place


def left_work(out: Path, changes: Mapping[str, Any] | None = None) -> Work:
    """Return the run that was killed."""
    folder = work_folder(out)
    if not (folder / CHECKPOINTS / _COMMAND).exists():
        raise ValueError(f"There is nothing to resume for {out}: only a killed run in blocks leaves what it has.")
    spare_memory()
    place = DiskPlace(folder)
    command = _left_command(place)
    source = _source(command["source"])
    options = replace(Options(**command["options"]), **(changes or {}))
    recipe = Recipe.from_dict(command["recipe"])
    if options.dask is not None:
        place.leave()
        cluster = _cluster(options, folder)
        if cluster.folder is None:
            cluster.close()
            raise ValueError(f"The workers at {options.dask} do not see {folder}: name others with --dask.")
        return Work(source, options, recipe, cluster, out, resumed=True)
    need = need_of(source, options, recipe)
    place.allow(room_of(memory_of(options.memory), need.documents, need.text_bytes), options.device)
    return Work(source, options, recipe, place, out, resumed=True)


def check_unfinished(out: Path) -> None:
    """Refuse to begin a run where a killed one could go on; nobody asked for that to be thrown away."""
    folder = work_folder(out)
    if not (folder / CHECKPOINTS / _COMMAND).exists():
        return
    place = DiskPlace(folder)
    try:
        _left_command(place)
    except ValueError:
        return
    finally:
        place.leave()
    how = f"go on with `quire cluster --resume {shlex.quote(str(out))}`"
    raise ValueError(f"There is an unfinished run of {out}: {how}, or remove the folder {folder}.")


def _left_command(place: DiskPlace) -> dict[str, Any]:
    """Return what a killed run was begun with, if it can go on."""
    command: dict[str, Any] = Checkpoint(place).load(_COMMAND)
    if command["version"] != __version__:
        raise ValueError(f"The run was begun by Quire {command['version']}, this is {__version__}: begin anew.")
    source = _source(command["source"])
    if _known(source) != command["source"]:
        raise ValueError(f"{source_name(source)} is not what it was when the run was begun: run quire cluster again.")
    return command


def work_folder(out: Path) -> Path:
    """Return the folder of a run's blocks: hidden, so that nobody takes it for documents."""
    whole = out.resolve()  # where a link leads there is room, perhaps
    return whole.with_name(f".{whole.name}.unfinished")


def forget_work(out: Path) -> None:
    """Remove what an earlier run left that cannot go on, now that there is another of the same folder."""
    if (work_folder(out) / CHECKPOINTS / _COMMAND).exists():
        DiskPlace(work_folder(out)).close()


def _known(source: Any) -> dict[str, Any]:
    """Return what shows whether a source has changed: the names, sizes and times of its files."""
    paths, files = [path.absolute() for path in _paths(source)], list[Path]()
    for path in paths:
        if path.is_dir():
            files += sorted(file for file in path.rglob("*") if file.is_file())
        else:
            files += [path] if path.exists() else sorted(matching(path))
    seen = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return {"path": str(paths[0]), "files": seen} | ({"paths": list(map(str, paths))} if len(paths) > 1 else {})


def _source(known: dict[str, Any]) -> str | tuple[Path, ...]:
    """Return the source that this is known of."""
    return tuple(map(Path, known["paths"])) if "paths" in known else str(known["path"])


def _paths(source: Any) -> list[Path]:
    """Return the paths that a source is of; none where it is an object in memory."""
    if isinstance(source, str | Path):
        return [Path(source)]
    several = isinstance(source, list | tuple) and all(isinstance(one, Path) for one in source)
    return list(source) if several else []
