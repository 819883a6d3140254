"""What a kind of input is: the sources that it takes, and how it reads their documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.content import content
from quire.corpus.cut import cut_frames
from quire.corpus.imports import imported
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.places.parts import Blocks
from quire.places.place import Handle, Place

REMEDY = "pip install 'quire-topics[files]'"
PACKED = (".gz", ".zst", ".bz2", ".xz")  # endings of compressed files, after their own
_LARGE = 1 << 26  # bytes of a file from which it is worth saying that it is read whole


class Reading(NamedTuple):
    """What a format gives: parts of documents at a place, notes, and the matrix of a source that is one, its terms."""

    parts: list[Handle]
    notes: Notes
    matrix: Blocks | None = None
    terms: list[str] | None = None

    def counted(self, place: Place) -> tuple[NDArray[np.int64], Notes]:
        """Return how many documents each part has, and the notes with how many are empty or repeated."""
        if self.matrix is not None:
            n, n_empty = self.matrix.shape[0], place.sweep(_empty_rows, self.matrix.handles)[1]
            return self.matrix.sizes, self.notes.with_(n_documents=n, n_empty=n_empty)
        sizes, hashes = place.sweep(_filled_texts, self.parts)[1]
        filled, n = np.concatenate(hashes), sum(sizes)
        counts = {"n_documents": n, "n_empty": n - len(filled)}
        n_duplicates = len(filled) - pl.Series(filled).n_unique()
        return np.array(sizes, np.int64), self.notes.with_(**counts, n_duplicates=n_duplicates)


Held = Callable[[str, bytes, Request, Place], Reading]
"""Reads what a file holds, given under the name that messages have for it."""


@dataclass(frozen=True)
class Format:
    """A kind of input."""

    read: Callable[[Any, Request, Place], Reading]
    endings: Mapping[str, str] = field(default_factory=dict)
    """Of the files that it takes, and the kind that each stands for."""
    accepts: Callable[[Any], bool] = lambda source: False
    """Whether it takes a source of another sort: an object, a folder, a pattern."""
    named: str = ""
    """What such a source is called where it has no ending."""
    about: str = ""
    """What is a document there, for the table of all that can be read."""
    extra: str | None = None
    """What must be installed to read it."""
    options: frozenset[str] = frozenset()
    """The options of a request that only some formats know: the sheet of a spreadsheet."""
    held: Held | None = None
    """Reads a file of this kind that is held in memory, as a member of an archive is."""

    def takes(self, source: Any) -> bool:
        """Return whether a source is of this kind."""
        if self.accepts(source):
            return True
        return is_path(source) and ending_of(Path(source)) in self.endings and Path(source).is_file()


def is_path(source: Any) -> bool:
    """Return whether a source is a path, and not standard input."""
    return isinstance(source, str | Path) and str(source) != "-"


def matching(pattern: str | Path) -> Iterator[Path]:
    """Yield the paths that a pattern stands for."""
    path = Path(pattern)
    root = Path(path.anchor)
    return root.glob(str(path.relative_to(root)))


def ending_of(path: str | Path) -> str:
    """Return the ending that says what a file holds, that before .gz and the like; "" where there is none."""
    name = os.path.basename(path).lstrip(".").lower()  # noqa: PTH119 (a folder may hold a million)
    ending = os.path.splitext(name)[1]  # noqa: PTH122
    return os.path.splitext(name[: -len(ending)])[1] if ending in PACKED else ending  # noqa: PTH122


def whole_files(held: Held, endings: Mapping[str, str], about: str, **more: Any) -> Format:
    """Return the format of files that are read whole: large ones say so, as --memory does not bound what they take."""

    def read(source: str | Path, request: Request, place: Place) -> Reading:
        path = Path(source)
        raw = content(path)
        return said_whole(held(str(path), raw, request, place), path, len(raw))

    return Format(read, endings, about=about, held=held, **more)


def said_whole(reading: Reading, path: Path, size: int) -> Reading:
    """Return what was read of a file, with a sentence where that is so large that one should know it."""
    if size <= _LARGE:
        return reading
    return reading._replace(notes=reading.notes.remark(f"{path} was read whole, as files of its kind are."))


def needed(module: str, name: str, extra: str = "files") -> Any:
    """Import an optional package; refuse a file that cannot be read without it."""
    try:
        return imported(module)
    except ImportError:
        remedy = REMEDY.replace("files", extra)
        raise ValueError(f"{name} needs a package that is not installed: {remedy}.") from None


def put_documents(frames: Iterable[pl.DataFrame], place: Place) -> list[Handle]:
    """Cut documents into parts and put these down."""
    return [place.put(part) for part in cut_frames(frames, "text")]


def _empty_rows(block: sp.csr_array) -> tuple[None, int]:
    return None, int((np.diff(block.indptr) == 0).sum())


def _filled_texts(documents: pl.DataFrame) -> tuple[None, tuple[list[int], list[NDArray[Any]]]]:
    text = documents["text"]
    return None, ([documents.height], [text.filter(text.str.contains(r"\S")).hash().to_numpy()])
