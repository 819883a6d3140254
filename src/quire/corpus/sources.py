"""The kinds of input. A new one is a file in formats/ and a line in this table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.corpus.formats import (
    archive,
    arrow,
    folder,
    frames,
    lines,
    matrix,
    mbox,
    numbers,
    objects,
    parquet,
    paths,
    spreadsheet,
    sqlite,
    tables,
    xml_records,
)
from quire.corpus.formats.document import by_ending
from quire.corpus.formats.format import Format, ending_of, is_path
from quire.corpus.formats.kinds import DOCUMENTS
from quire.corpus.presence import nothing_at
from quire.corpus.request import OWN, Request

_SEVERAL = paths.several_paths(lambda: FORMATS)
FORMATS: list[Format] = [  # the first that takes a source reads it
    lines.STREAM,
    tables.FORMAT,
    parquet.FORMAT,
    arrow.FORMAT,
    spreadsheet.FORMAT,
    sqlite.FORMAT,
    mbox.FORMAT,
    xml_records.FORMAT,
    matrix.FORMAT,
    lines.FILE,
    archive.archives(lambda: FORMATS),
    folder.folders(lambda: FORMATS),
    _SEVERAL,
    numbers.FORMAT,
    frames.FRAME,
    objects.FORMAT,
    frames.TEXTS,
]
PAGE = "page"  # the kind of a file that is a document, to be read from a folder


def format_of(source: Any, request: Request | None = None) -> Format:
    """Return the format of a source; refuse one of no format, and options that it does not know."""
    if (
        request is not None
        and request.split is not None
        and is_path(source)
        and paths.is_document(Path(source), FORMATS)
    ):
        return _SEVERAL  # as one document, whose lines are no documents
    for one in FORMATS:
        if one.takes(source):
            if request is not None:
                _check_options(one, request)
            return one
    if not is_path(source):
        raise ValueError(
            f"A corpus cannot be read from {type(source).__name__}: pass a path, texts, a data frame or another table, "
            "or a matrix of counts."
        )
    path = Path(source)
    if not path.exists():
        raise nothing_at(path)
    if kind_of(path) == PAGE:
        raise ValueError(
            f"{path} is a single document: put documents into a folder and name that, or split it (--split words:300)."
        )
    raise ValueError(f"The ending of {path} is not known: {paths.known_endings(FORMATS)}.")


def readable() -> list[tuple[str, str]]:
    """Return all that can be read, and what is a document there: the table of the documentation."""
    rows = []
    for one in FORMATS:
        endings = " ".join(f"`{ending}`" for ending in one.endings)
        rows.append((one.named or endings, one.about + _needs(one.extra)))
    for kind in DOCUMENTS:
        endings = " ".join(f"`{ending}`" for ending in kind.endings)
        rows.append((f"{endings} in a folder", f"the file: {kind.about}{_needs(kind.extra)}"))
    return rows


def _needs(extra: str | None) -> str:
    return f" (`pip install 'quire-topics[{extra}]'`)" if extra else ""


def _check_options(format: Format, request: Request) -> None:
    for name, whose in OWN.items():
        if getattr(request, name) is not None and name not in format.options:
            endings = ", ".join(ending for one in FORMATS if name in one.options for ending in one.endings)
            raise ValueError(f"Option {name} goes with {whose} ({endings}): leave it out.")


def kind_of(path: Path) -> str | None:
    """Return what the ending of a file says; None for an ending that is not known."""
    ending = ending_of(path)
    kind = next((one.endings[ending] for one in FORMATS if ending in one.endings), None)
    return PAGE if kind is None and ending in by_ending(DOCUMENTS) else kind
