"""The kinds of input. A new one is a file in formats/ and a line in this table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.corpus.formats import folder, frames, lines, matrix, parquet, spreadsheet, tables
from quire.corpus.formats.format import Format, ending_of, is_path
from quire.corpus.presence import nothing_at
from quire.corpus.request import OWN, Request

FORMATS: list[Format] = [  # the first that takes a source reads it
    lines.STREAM,
    tables.FORMAT,
    parquet.FORMAT,
    spreadsheet.FORMAT,
    matrix.FORMAT,
    lines.FILE,
    folder.FORMAT,
    frames.FRAME,
    frames.TEXTS,
]
PAGE = "page"  # the kind of a file that is a document, to be read from a folder


def format_of(source: Any, request: Request | None = None) -> Format:
    """Return the format of a source; refuse one of no format, and options that it does not know."""
    for one in FORMATS:
        if one.takes(source):
            if request is not None:
                _check_options(one, request)
            return one
    if not is_path(source):
        raise ValueError(
            f"A corpus cannot be read from {type(source).__name__}: pass a path, a list of strings, "
            "a data frame or a sparse matrix."
        )
    path = Path(source)
    if not path.exists():
        raise nothing_at(path)
    if kind_of(path) == PAGE:
        raise ValueError(f"{path} is a single document: put the documents into a folder, and name the folder.")
    known = ", ".join(ending for one in FORMATS for ending in one.endings)
    raise ValueError(f"The ending of {path} is not known: give it one of {known} (or .gz, .zst after these).")


def _check_options(format: Format, request: Request) -> None:
    for name, whose in OWN.items():
        if getattr(request, name) is not None and name not in format.options:
            endings = ", ".join(ending for one in FORMATS if name in one.options for ending in one.endings)
            raise ValueError(f"Option {name} goes with {whose} ({endings}): leave it out.")


def kind_of(path: Path) -> str | None:
    """Return what the ending of a file says; None for an ending that is not known."""
    ending = ending_of(path)
    if ending in folder.HTML | folder.OTHER:
        return PAGE
    return next((one.endings[ending] for one in FORMATS if ending in one.endings), None)
