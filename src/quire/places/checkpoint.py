"""What a killed run goes on from: states by name, with blocks linked instead of copied."""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from pathlib import Path
from typing import Any

from quire.places.atomic import flush, flush_folder, make_folder, whole_file
from quire.places.codec import read_thing, write_thing
from quire.places.place import Handle, Keeping, Place
from quire.places.workfolder import CHECKPOINTS, writing_to

_DAMAGED = (
    ImportError, RecursionError, AttributeError, TypeError, KeyError, IndexError, ValueError, FileNotFoundError,
    NotADirectoryError,
)  # fmt: skip


class Checkpoint:
    """States by name, in a folder within that of a place."""

    def __init__(self, place: Keeping) -> None:
        assert place.folder is not None
        self.place, self.folder = place, place.folder / CHECKPOINTS
        with writing_to(self.folder):
            make_folder(self.folder, 0o700)
            flush(place.folder.parent)  # the place flushed nothing, as its blocks do not outlive the process

    def save(self, name: str, state: Any) -> None:
        """Keep a state instead of the last of that name, which goes when the new one is whole."""
        with writing_to(self.folder):
            self._save(name, state)

    def _save(self, name: str, state: Any) -> None:
        beside = self.folder / f"{name}-{time.time_ns()}"
        beside.mkdir(mode=0o700)
        blocks = _Naming(self.place)
        write_thing(beside / "state", state, blocks)
        self.place.write_down([(handle, beside / name) for handle, name in blocks.named.values()])
        flush_folder(beside)  # whole on the disk before anything points to it
        flush(self.folder)
        with whole_file(self.folder / name) as pointer:
            pointer.write_text(f"{beside.name} {_checksum(beside)}")
        for other in self.folder.glob(f"{name}-*"):  # the last one, and what a killed process did not finish
            if other.name != beside.name:
                shutil.rmtree(other, ignore_errors=True)

    def has(self, name: str) -> bool:
        """Say whether there is a state of that name."""
        return (self.folder / name).exists()

    def load(self, name: str) -> Any:
        """Return the state of that name; None where there is none."""
        if not self.has(name):
            return None
        try:
            last, _, checksum = (self.folder / name).read_text("ascii").partition(" ")
            if re.fullmatch(rf"{name}-\d{{1,20}}", last) is None:  # a name of ours, and no way out of the folder
                raise ValueError(f"{last} is no state.")
            beside = self.folder / last
            if _checksum(beside) != checksum:
                raise ValueError(f"{last} is not what was written.")
            return read_thing(beside / "state", _Adopting(self.place, beside), copies=True)
        except _DAMAGED:
            raise ValueError(
                f"What {self.place.folder} holds is damaged, or of another version of Quire: begin anew."
            ) from None


def _checksum(folder: Path) -> str:
    """Return a hash of all files of a state: a run that goes on from a wrong bit would end in wrong topics."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            whole.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def checkpoint_of(place: Place) -> Checkpoint | None:
    """Return where a run at a place keeps its states; None where nothing of it outlives the process."""
    return Checkpoint(place) if isinstance(place, Keeping) and place.folder is not None else None


class LoopKeeper:
    """Keeps the state of an outer loop every so often, and gives it back once."""

    def __init__(self, checkpoint: Checkpoint, every: float = 20.0) -> None:
        self._checkpoint, self._every = checkpoint, every
        self._saved: dict[str, Any] = checkpoint.load("fit") or {}
        self._around: dict[str, Any] = {}
        self._last = time.monotonic()

    def take(self, name: str) -> Any:
        """Return what was found of a killed run; None where there is nothing, or it was taken before."""
        return self._saved.pop(name, None)

    def around(self, **state: Any) -> None:
        """Set what is to be kept beside the state of the loop."""
        self._around |= state

    def save(self, loop: Any) -> None:
        """Keep a state, unless the last one is recent."""
        if time.monotonic() - self._last >= self._every:
            self._checkpoint.save("fit", self._around | {"loop": loop})
            self._last = time.monotonic()


class _Naming:
    """Encodes the place, and blocks that are kept there: each is written down once, under a name."""

    def __init__(self, place: Keeping) -> None:
        self._place = place
        self.named: dict[int, tuple[Handle, str]] = {}

    def __call__(self, thing: Any) -> str | None:
        if thing is self._place:
            return ""
        if not self._place.keeps(thing):
            return None
        return self.named.setdefault(id(thing), (thing, f"{len(self.named)}.block"))[1]


class _Adopting:
    """Decodes them."""

    def __init__(self, place: Keeping, beside: Path) -> None:
        self._place, self._beside = place, beside
        self._adopted: dict[str, Handle] = {}

    def __call__(self, name: str) -> Any:
        if not name:
            return self._place
        if not name.removesuffix(".block").isdigit():  # a name of ours, and no way out of the folder
            raise ValueError(f"{name} is no block.")
        if name not in self._adopted:
            self._adopted[name] = self._place.adopt(self._beside / name)
        return self._adopted[name]
