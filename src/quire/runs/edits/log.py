"""``edits.jsonl`` in the folder of a run: all edits, a line each; beside it the state that they lead to.

The log alone decides. It is replaced in one step, so that whoever dies leaves the old one or the new one; a state
that is missing, or another log's, is made again from the first run, which no edit changes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from quire.messages import counted
from quire.places.leftovers import locked
from quire.runs.edits.entry import Edit
from quire.runs.edits.fold import Edits, digest, parted
from quire.runs.edits.lines import read_edits, written
from quire.runs.folder import EDITED, BeingWrittenError, own_path, read_head, stored_head, write_file, write_folder
from quire.runs.names import NAMES, read_names
from quire.runs.write import CutFiles

LOG = "edits.jsonl"
_OF_FILES = ("format", "schema", "files", "checksum")  # what a folder adds to what a run knows


class ConflictError(ValueError):
    """An edit cannot be kept: somebody else edited the run meanwhile, or nothing can be written there."""


def read_log(folder: str | Path, first: Any) -> tuple[Edit, ...]:
    """Return the edits of a run; names that an older Quire kept in ``names.json`` are edits, too."""
    path = own_path(folder, LOG)
    if path.exists():
        return read_edits(path)
    sizes = {None: len(first.H), **{k: k for k in first.others}}
    return tuple(
        Edit("rename", {"topic": topic, "name": name}, cut=cut)
        for cut, k in sizes.items()
        for topic, name in sorted(read_names(folder, cut).items())
        if 0 <= topic < k
    )


def state_folder(folder: str | Path, edits: Edits | Sequence[Edit]) -> Path | None:
    """Return where the state is kept that edits lead to; None where they change no topics."""
    changes = parted(edits.history if isinstance(edits, Edits) else edits)[0]
    return own_path(folder, f"edited-{digest(changes)}") if changes else None


def read_state(folder: Path) -> dict[str, Any] | None:
    """Return what is known of a state beside its files; None where it is not there, or not whole."""
    try:
        head = read_head(folder)
        lists = [head.get(name) for name in ("own", "names", "notes")]
    except ValueError:
        return None
    sound = all(isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lists)
    return head if sound and all(len(one or ()) == head.get("n_topics") for one in lists) else None


def continues(folder: str | Path, edits: Edits) -> bool:
    """Say whether a folder holds the run that these edits began with."""
    head = stored_head(folder)
    if head is None:
        return False
    plain = json.loads(json.dumps(edits.first.info))
    return bool({name: value for name, value in head.items() if name not in _OF_FILES} == plain)


def commit(folder: str | Path, edits: Edits, state: CutFiles | None) -> Path:
    """Add new edits to those of a run; refuse where others were made meanwhile."""
    folder = Path(folder)
    _check_known(folder, edits)
    target = state_folder(folder, edits)
    if target is not None and state is not None and read_state(target) is None:
        try:
            _write_state(edits, state)(target)
        except BeingWrittenError:  # named by the edits that lead to it
            raise ConflictError("Somebody else is making the same edit: look at the run again first.") from None
    with locked(folder):
        _check_known(folder, edits)
        try:
            write_file(own_path(folder, LOG), written(edits.history))
        except OSError as error:
            why = error.strerror or error
            raise ConflictError(f"The edit could not be kept in {folder}: {why}; allow writing there.") from None
        _sweep(folder, target)
    return folder


def beside_run(edits: Edits, state: CutFiles | None) -> Mapping[str, Callable[[Path], Any]]:
    """Return what is written beside the first run: the log, and the state that it leads to."""
    target = state_folder("", edits)
    writers: dict[str, Callable[[Path], Any]] = {LOG: lambda path: path.write_text(written(edits.history), "utf-8")}
    if target is not None and state is not None:
        writers[target.name] = _write_state(edits, state)
    return writers


def conflict(now: Sequence[Edit], known: int) -> str:
    """Say that others edited a run meanwhile."""
    new = now[known:]  # none where the log was put back to an earlier one
    who = sorted({edit.who for edit in new if edit.who})
    by, many = f" by {', '.join(who)}" if who else "", f" ({counted(len(new), 'edit')})" if new else ""
    return f"The run was edited meanwhile{by}{many}: look at it again first."


def _check_known(folder: Path, edits: Edits) -> None:
    """Refuse to write over edits that these do not know."""
    now = read_log(folder, edits.first)
    if now != edits.history[: len(now)]:
        raise ConflictError(conflict(now, _shared(now, edits.history)))


def _shared(now: Sequence[Edit], known: Sequence[Edit]) -> int:
    return next((at for at, (one, other) in enumerate(zip(now, known)) if one != other), min(len(now), len(known)))


def _write_state(edits: Edits, state: CutFiles) -> Callable[[Path], Any]:
    head = {"n_topics": len(edits.own), "own": edits.own, "names": edits.names, "notes": edits.notes}
    return lambda path: write_folder(path, head, state.writers(None))


def _sweep(folder: Path, but: Path | None) -> None:
    """Remove states of other edits, and the names of an older Quire, which are edits now."""
    for path in folder.iterdir():
        if EDITED.fullmatch(path.name) and path != but:
            shutil.rmtree(path, ignore_errors=True)
        elif path.name == NAMES or (path.name.startswith("cut-") and path.name.endswith(f"-{NAMES}")):
            path.unlink(missing_ok=True)
