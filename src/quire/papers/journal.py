"""What tasks of an experiment came to, a line each as they end: one that was cut short goes on where it was."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from quire import __version__
from quire.places.codec import Decoder, Encoder


class Journal:
    """The answers of the tasks of an experiment, in a folder; without one nothing is kept.

    Calls of ``side_by_side`` are told apart by their order, tasks by theirs: both follow from the setting alone.
    """

    def __init__(self, folder: Path | None = None, name: str = "") -> None:
        self.folder, self.name, self._calls = folder, name, 0

    def named(self, name: str) -> Journal:
        """Return the journal of one experiment, or of runs that several of them share."""
        return Journal(self.folder, name)

    def chapter(self, n_tasks: int) -> Chapter:
        """Return the next part: that of one call."""
        self._calls += 1
        if self.folder is None:
            return Chapter(None)
        return Chapter(self.folder / f"{self.name.replace('/', '-')}-{self._calls}-{n_tasks}.jsonl")

    def close(self) -> None:
        """Throw away what was kept: all is done."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class Chapter:
    """The answers of some tasks by their numbers."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def answers(self) -> dict[int, Any]:
        """Return what is known; a last line that was cut short is not."""
        known: dict[int, Any] = {}
        if self._path is None or not self._path.exists():
            return known
        for line in self._path.read_text("utf-8", errors="replace").splitlines():
            try:
                number, tree = json.loads(line)
                known[int(number)] = Decoder([]).thing(tree)
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
                continue
        return known

    def keep(self, number: int, answer: Any) -> None:
        """Write an answer down, if it is made of numbers and words; an array or a model is made again."""
        if self._path is None:
            return
        encoder = Encoder()
        try:
            line = json.dumps([number, encoder.tree(answer)])
        except TypeError:
            return
        if encoder.buffers:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + line)  # what was cut short stays a line of its own


def journal_in(out: Path, data: Path, full: bool, seed: int) -> Journal:
    """Return the journal of experiments with these settings and corpora; others have other folders."""
    key = json.dumps([__version__, str(data.resolve()), full, seed])
    return Journal(out / f".unfinished-{hashlib.sha256(key.encode()).hexdigest()[:12]}")
