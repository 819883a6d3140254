"""Several paths, and patterns such as ``notes/*.txt``: all that they stand for, as one corpus."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from quire.corpus.formats.document import by_ending
from quire.corpus.formats.folder import Registry, read_documents, shown
from quire.corpus.formats.format import PACKED, Format, Reading, ending_of, is_path, matching
from quire.corpus.formats.holdings import Listed
from quire.corpus.formats.kinds import DOCUMENTS
from quire.corpus.formats.several import LOOSE, united
from quire.corpus.notes import Notes
from quire.corpus.presence import is_pattern, nothing_at, source_name
from quire.corpus.request import OWN, Request
from quire.places.place import Place


def several_paths(formats: Registry) -> Format:
    """Return the format of several paths; each may be of any other."""

    def read(source: Any, request: Request, place: Place) -> Reading:
        given = [Path(source)] if is_path(source) else list(source)
        documents, readings = list[Path](), dict[str, Reading]()
        for path in expanded(given):
            if is_document(path, formats()):
                documents.append(path)
            elif shown(str(path)) not in readings:
                readings[shown(str(path))] = _format(path, formats()).read(path, request, place)
        if documents:
            reading = read_documents(Listed(list(dict.fromkeys(documents))), request.without_columns(), place)
            readings = {LOOSE: reading} | readings
        return united(readings, Notes(source=source_name(source), kind="files"), place)

    return Format(
        read, accepts=_are_paths, options=frozenset(OWN), named="several paths, or a pattern such as `'notes/*.txt'`",
        about="those of each, with the path in the column `source`; a text file is a document then, as in a folder",
    )  # fmt: skip


def expanded(paths: Iterable[Path]) -> list[Path]:
    """Return the paths that some stand for, patterns in the order of names."""
    every = list[Path]()
    for path in paths:
        if str(path) == "-":
            raise ValueError("Standard input is read alone: leave - out, or everything else.")
        if path.exists():
            every.append(path)
            continue
        meant = sorted(matching(path)) if is_pattern(str(path)) else []
        if not meant:
            raise nothing_at(path)
        every += meant
    return every


def _format(path: Path, formats: list[Format]) -> Format:
    known = next((one for one in formats if one.takes(path)), None)
    if known is None:
        raise ValueError(f"The ending of {path} is not known: leave it out, or {known_endings(formats)}.")
    return known


def known_endings(formats: list[Format]) -> str:
    """Say which endings there are, of files and of documents in a folder."""
    files = [ending for one in formats for ending in one.endings]
    inside = [ending for ending in by_ending(DOCUMENTS) if ending not in files]
    return (
        f"give it one of {', '.join(files)} (or {', '.join(PACKED)} after these); "
        f"a folder or an archive may also hold {', '.join(inside)}"
    )


def is_document(path: Path, formats: list[Format]) -> bool:
    """Say whether a file among others is a document: a text is, of whose lines each would be one if it were alone."""
    ending = ending_of(path)
    kind = next((one.endings[ending] for one in formats if ending in one.endings), "lines")
    return ending in by_ending(DOCUMENTS) and kind == "lines" and path.is_file()


def _are_paths(source: Any) -> bool:
    if is_path(source):
        return is_pattern(str(source)) and not Path(source).exists() and any(True for _ in matching(source))
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(one, Path) for one in source)
