"""A folder that is written whole or not at all, and that notices when a file of it was changed."""

from __future__ import annotations

import errno
import hashlib
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from quire.corpus.presence import check_utf8
from quire.places.atomic import check_free, make_folder, restore, whole_file, whole_folder
from quire.places.leftovers import is_leftover

HEAD = "run.json"
SCHEMA = 1  # raised when an older Quire could no longer read what a newer one writes
_FORMAT = "quire-run"
# Made from the run, and made anew at any time: no part of what is checked. A person's work is not among them.
DERIVED = frozenset({"page.html", "search.sqlite", "tree.safetensors"})
EDITED = re.compile(r"edited-[0-9a-f]{16}")  # the state after edits, which follows from them
_TRIES, _PAUSE = 60, 0.05  # of reading a run that is replaced meanwhile
_Read = TypeVar("_Read")


def check_target(path: str | Path) -> Path:
    """Make sure, before any work is done, that a run can be written here."""
    target = Path(path)
    whole = _resolved(target)
    check_utf8(whole)
    restore(whole)
    if whole.exists() and (whole == Path.cwd() or whole.is_mount()):
        raise ValueError(f"A run cannot take the place of {target}: name a new folder inside it with --out.")
    if target.exists():
        _check_replaceable(target)
    try:
        check_free(whole)
    except OSError as error:
        raise _not_written(target, error) from None
    nearest = next(folder for folder in whole.parents if folder.exists())
    try:
        tempfile.TemporaryFile(dir=nearest).close()
    except OSError as error:
        raise ValueError(f"Nothing can be written to {nearest}: {reason(error)}.") from None
    return target


def _check_replaceable(target: Path) -> None:
    """Refuse to replace anything but a run, or a folder with nothing in it."""
    if target.is_dir() and not any(target.iterdir()):
        return
    try:
        known = {HEAD, *_parsed(target)["files"]} if target.is_dir() else set()
    except ValueError:
        known = set()
    if not known:
        raise ValueError(f"{target} exists and is no run of Quire: name another folder with --out.")
    names = {path.name for path in target.iterdir() if not is_leftover(path.name)}
    more = sorted(name for name in names - known - DERIVED if not EDITED.fullmatch(name))
    if more:
        raise ValueError(
            f"The run {target} also holds {', '.join(more[:3])}{', …' * (len(more) > 3)}: move that away, or "
            "name another folder with --out."
        )


class BeingWrittenError(ValueError):
    """A folder cannot be written: somebody else is writing it."""


def write_folder(
    path: str | Path,
    head: Mapping[str, Any],
    writers: Mapping[str, Callable[[Path], Any]],
    beside: Mapping[str, Callable[[Path], Any]] = MappingProxyType({}),
) -> Path:
    """Write files and a head that knows their checksums; then, in one rename, put the folder in its place.

    The head knows nothing of what is ``beside``.
    """
    from quire.places.machine import allowed_threads, in_order  # here: to say that there is no run takes less

    target = check_target(path)
    try:
        make_folder(target.resolve().parent)
        with whole_folder(target) as made:
            for name, write in writers.items():
                write(made / name)
            kept = [name for name in writers if name not in DERIVED]
            checksums = in_order(_checksum, ((made / name,) for name in kept), allowed_threads())
            files = dict(zip(kept, checksums))
            full = {"format": _FORMAT, "schema": SCHEMA, **head, "files": files}
            full["checksum"] = _head_checksum(full)
            (made / HEAD).write_text(json.dumps(full, indent=1, ensure_ascii=False) + "\n", "utf-8")
            for name, write in beside.items():
                write(made / name)
    except OSError as error:
        raise _not_written(target, error) from None
    return target


def check_file(path: str | Path) -> Path:
    """Make sure, before any work is done, that a file can be written here; return where a link leads."""
    target = _resolved(Path(path))
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is no file that could be replaced: name another one.")
    if not target.parent.is_dir():
        raise ValueError(f"{path} would be in a folder that is not there: make {target.parent} first.")
    return target


def own_path(folder: str | Path, name: str) -> Path:
    """Return the path of what a run holds; refuse what leads out of it, or would never end.

    Anybody may have made the folder: a link in it would let whoever edits the run write to a file of his own elsewhere,
    and whoever passes on what was made of it pass on such a file.
    """
    path = Path(folder) / name
    if path.is_symlink() and not _resolved(path).is_relative_to(_resolved(Path(folder))):
        raise ValueError(f"{path} is a link that leads out of the run: remove it.")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(f"{path} is neither a file nor a folder: remove it.")
    return path


def write_file(path: str | Path, text: str) -> None:
    """Write a text to a file, whole or not at all (:func:`quire.places.atomic.whole_file`)."""
    with whole_file(check_file(path)) as made:
        made.write_text(text, encoding="utf-8", newline="\n")


def stored_head(path: str | Path) -> dict[str, Any] | None:
    """Return what ``run.json`` says, sound or not; None where there is no run."""
    try:
        return _parsed(Path(path))
    except ValueError:
        return None


def steadily(folder: Path, read: Callable[[], _Read]) -> _Read:
    """Read a run again where another took its place meanwhile, of which some files might have been read."""
    for _ in range(_TRIES):
        before = _identity(folder)
        try:
            result = read()
        except ValueError:
            if _identity(folder) == before:
                raise
        else:
            if _identity(folder) == before:
                return result
        time.sleep(_PAUSE)
    raise ValueError(f"The run {folder} is replaced over and over: wait for whoever does that.")


def check_run(path: str | Path) -> Path:
    """Refuse a folder that is no run: sooner told than what reads one is imported."""
    folder = Path(path)
    if not folder.exists():
        restore(folder)
    check_utf8(folder.resolve())
    if not (folder / HEAD).is_file():
        there = f"{folder} is no run: it holds no {HEAD}" if folder.exists() else f"There is no run at {folder}"
        raise ValueError(f"{there}; name a folder that `quire cluster` wrote.")
    return folder


def read_head(path: str | Path) -> dict[str, Any]:
    """Return what ``run.json`` holds, once the whole folder was found sound."""
    folder = check_run(path)
    head = _parsed(folder)
    if head["schema"] > SCHEMA:
        raise ValueError(
            f"{folder} was written by a newer Quire (schema {head['schema']}, this one reads up to "
            f"{SCHEMA}): install a newer version."
        )
    try:
        unchanged = head.get("checksum") == _head_checksum(head)
    except (ValueError, RecursionError):  # half a surrogate pair, or lists within lists: not ours
        unchanged = False
    if not unchanged:
        raise ValueError(f"{folder / HEAD} was changed after it was written: make the run anew.")
    for name, checksum in head["files"].items():
        if Path(name).name != name:
            raise ValueError(f"{folder / HEAD} names a file that is not in its folder, {name}: make the run anew.")
        try:
            path = own_path(folder, name)
            if not path.is_file():
                raise ValueError(f"The run {folder} is damaged: {name} is missing; make the run anew.")
            unchanged = _checksum(path) == checksum
        except OSError as error:
            raise ValueError(f"{folder / name} cannot be read: {reason(error)}.") from None
        if not unchanged:
            raise ValueError(
                f"The run {folder} is damaged: {name} was cut or changed after it was written; make the run anew."
            )
    return head


def check_listed(folder: Path, files: Mapping[str, str], names: Iterable[str]) -> None:
    """Refuse a run whose head does not know one of the files that will be read: at that nobody looked."""
    unknown = next((name for name in names if name not in files), None)
    if unknown is not None:
        raise ValueError(f"The run {folder} is damaged: {HEAD} does not list {unknown}; make the run anew.")


def _identity(folder: Path) -> tuple[int, ...] | None:
    """Return what tells the present run of a folder from the one before; None where there is none."""
    try:
        status = (folder / HEAD).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise ValueError(f"{path} is a link that leads to itself: remove it, or name another place.") from None


def _not_written(target: Path, error: OSError) -> ValueError:
    kind = BeingWrittenError if error.errno == errno.EBUSY else ValueError
    return kind(f"The run could not be written to {target}: {reason(error)}.")


def _parsed(folder: Path) -> dict[str, Any]:
    path = own_path(folder, HEAD)
    try:
        head = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{folder / HEAD} cannot be read: {reason(error)}.") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{folder / HEAD} is damaged: it is no JSON; make the run anew.") from None
    sound = isinstance(head, dict) and head.get("format") == _FORMAT and isinstance(head.get("schema"), int)
    if not sound or not isinstance(head.get("files"), dict):
        raise ValueError(f"{folder / HEAD} is not what Quire writes: name a folder that `quire cluster` wrote.")
    return dict(head)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _head_checksum(head: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in head.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def reason(error: OSError) -> str:
    """Say why something could not be written or read, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "the disk is full, make room or name another folder with --out"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "it is read-only for you, name another folder with --out"
    return (error.strerror or str(error)).rstrip(".")
