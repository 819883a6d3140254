"""How each kind of input is given to Quire: a path, standard input, or an object made of a file."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quire.corpus.formats.document import DocumentKind
from quire.corpus.formats.format import Format, ending_of
from quire.corpus.formats.kinds import DOCUMENTS
from quire.corpus.sources import FORMATS

NOTHING = object()  # where a damaged file makes no object at all, which is not Quire's concern
_BROKEN = (ValueError, TypeError, OSError, RecursionError, MemoryError)


def source_of(folder: Path) -> Any:
    """Return what somebody would pass who has what lies in the folder of a kind of input."""
    if folder.name in _MADE:
        return _MADE[folder.name](folder)
    return next(path for path in sorted(folder.iterdir()) if path.name.startswith(("d.", "docs")))


def without_seeds(inputs: Path) -> list[str]:
    """Name the kinds of input, of both registries, of which there is nothing to begin with."""
    sources = [source_of(folder) for folder in inputs.iterdir() if folder.name not in SETTINGS]
    taken = [next((one for one in FORMATS if one.takes(source)), None) for source in sources]
    endings = {ending_of(path) for path in inputs.rglob("*") if path.is_file()}
    return [*_formats_without(taken), *(_name(kind) for kind in DOCUMENTS if not endings & {*kind.endings})]


def _formats_without(taken: list[Format | None]) -> Iterator[str]:
    for one in FORMATS:
        if not any(one is other for other in taken):
            yield one.named or " ".join(one.endings)


def _name(kind: DocumentKind) -> str:
    return " ".join(kind.endings)


def _stream(folder: Path) -> str:
    sys.stdin = io.TextIOWrapper(io.BytesIO((folder / "d.jsonl").read_bytes()))
    return "-"


def _several(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "docs").iterdir() if path.is_file())


def _json(folder: Path) -> Any:
    with suppress(*_BROKEN):
        made = json.loads((folder / "d.json").read_bytes())
        return made if isinstance(made, list | dict) else NOTHING
    return NOTHING


def _frame(folder: Path) -> Any:
    with suppress(*_BROKEN, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return pl.read_parquet(folder / "d.parquet")
    return NOTHING


def _numbers(folder: Path) -> Any:
    with suppress(Exception):  # NumPy's own reader raises nearly anything
        array = np.load(folder / "d.npy", allow_pickle=False)
        return array if array.ndim == 2 and array.size < 1 << 20 else NOTHING
    return NOTHING


_MADE: dict[str, Callable[[Path], Any]] = {
    "stream": _stream, "several": _several, "vectors": lambda folder: folder / "d.txt",
    "columns": _json, "records": _json, "texts": _json, "frame": _frame, "numbers": _numbers,
}  # fmt: skip
SETTINGS = ("recipe", "config", "labels", "words", "choice", "seeds", "edits")  # which are read beside documents
