"""XML as a table: the element that comes again and again is a record, its attributes and children are the columns."""

from __future__ import annotations

import io
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

from quire.corpus.content import opened_bytes
from quire.corpus.formats.document import Context, Losses
from quire.corpus.formats.folder import read_numbered
from quire.corpus.formats.format import Format, Reading
from quire.corpus.formats.rows import Complain, TolerantTable
from quire.corpus.formats.safe_xml import PIECE, Parser, XmlError
from quire.corpus.formats.xml_texts import TEI_CORPORA, TEI_ROOTS, tei_documents
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.tables import read_table
from quire.messages import meant
from quire.places.place import Place

_SEARCHED = 1 << 22  # bytes in which records are looked for
_DEEPEST, _SHOWN = 4, 20  # how far inside; paths that a message names
_INLINE = frozenset(
    ("a", "abbr", "b", "c", "em", "emph", "font", "hi", "i", "mark", "seg", "span", "strong", "sub", "sup", "u", "w")
)
_FIELDS = 2000  # columns of a record
Open = Callable[[], IO[bytes]]


def read_file(source: str | Path, request: Request, place: Place) -> Reading:
    """Read the records of a file, one after the other."""
    path = Path(source)
    return _read(str(path), lambda: opened_bytes(path), request, place)


def read_held(name: str, raw: bytes, request: Request, place: Place) -> Reading:
    """Read the records of a file that is held in memory."""
    return _read(name, lambda: io.BytesIO(raw), request, place)


def _read(name: str, opened: Open, request: Request, place: Place) -> Reading:
    try:
        if request.records is None and _is_tei(opened):
            return _read_tei(name, opened, request, place)
        path = _path(name, opened, request.records)

        def rows(complain: Complain) -> Iterator[dict[str, Any]]:
            with opened() as file:
                yield from records(file, path)

        table = TolerantTable(name, rows, request.strict).table(request.columns.values())
        notes = Notes(source=name, kind="xml").remark(f"Each {path[-1]!r} of {name} is a document.")
        return read_table(table, request, notes, place)
    except XmlError as reason:
        raise ValueError(f"{name} cannot be read ({reason}): repair it.") from None
    except (OSError, EOFError, zlib.error):
        raise ValueError(f"{name} is damaged: download or write it anew.") from None


def _is_tei(opened: Open) -> bool:
    return next(iter(_counted(opened)), ("",))[0] in (*TEI_ROOTS, *TEI_CORPORA)


def _read_tei(name: str, opened: Open, request: Request, place: Place) -> Reading:
    """Read the texts of a corpus of TEI, with title and date, as they are read from a folder."""
    request.no_columns("A file of TEI")
    context = Context(request, Losses())
    with opened() as file:
        documents = tei_documents(file)
    if len(documents) == 1 and request.split is None:
        raise _single(name)
    return read_numbered(iter(documents), Notes(source=name, kind="xml"), context, place)


def _single(name: str) -> ValueError:
    return ValueError(
        f"{name} is a single document, or holds no element twice: put documents into a folder and name that, or name "
        "elements inside it with --records."
    )


def records(file: IO[bytes], path: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the records at a path: attributes, the text of children under their names, its own as text."""
    gathered = _Gathered(path)
    parser = Parser(gathered.start, gathered.end, gathered.text)
    while piece := file.read(PIECE):
        parser.feed(piece)
        yield from gathered.done
        gathered.done.clear()
    parser.feed(b"", True)
    yield from gathered.done


class _Gathered:
    """Follows the elements of a document, and keeps the records that have ended."""

    def __init__(self, path: list[str]) -> None:
        self._path, self._here, self.done = path, list[str](), list[dict[str, Any]]()
        self._record: dict[str, list[str]] | None = None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._here.append(name)
        if self._here == self._path:
            self._record = {key: [value] for key, value in islice(attributes.items(), _FIELDS)}
        elif self._record is not None and len(self._here) == len(self._path) + 1:
            for key, value in attributes.items():
                self._add(f"{name}.{key}", value)
            self._add(name, "\n" * (name in self._record))
        elif self._record is not None and name not in _INLINE:
            self.text(" ")  # so that what two elements say is not one word

    def text(self, words: str) -> None:
        if self._record is not None:
            inside = len(self._here) > len(self._path)
            self._add(self._here[len(self._path)] if inside else "text", words)

    def end(self, name: str) -> None:
        if self._record is not None and self._here == self._path:
            values = {key: "".join(some).strip() for key, some in self._record.items()}
            self.done.append({key: value for key, value in values.items() if value})
            self._record = None
        self._here.pop()

    def _add(self, name: str, value: str) -> None:
        if self._record is not None and (name in self._record or len(self._record) < _FIELDS):
            self._record.setdefault(name, []).append(value)


def _path(name: str, opened: Open, given: str | None) -> list[str]:
    """Return where the records are: what was named, or the element nearest to the root that comes again."""
    counts = _counted(opened)
    if not counts:
        raise ValueError(f"{name} holds no XML: give it the ending of what it holds.")
    root = next(iter(counts))[0]
    if given is not None:
        keys = given.split(".")
        path = keys if keys[0] == root else [root, *keys]
        if tuple(path) not in counts:
            known = [".".join(one[1:]) for one in counts if len(one) > 1]
            shown = ", ".join(known[:_SHOWN])
            raise ValueError(f"{name} has no element {given!r}{meant(given, known)}; some of its elements are {shown}.")
        return path
    again = [path for path, n in counts.items() if n > 1]
    if not again:
        raise _single(name)
    depth = min(map(len, again))
    return list(max((counts[path], path) for path in again if len(path) == depth)[1])


def _counted(opened: Open) -> Counter[tuple[str, ...]]:
    """Count the paths of elements in the first bytes of a document."""
    counts, here = Counter[tuple[str, ...]](), list[str]()

    def start(name: str, attributes: Mapping[str, str]) -> None:
        here.append(name)
        if len(here) <= _DEEPEST:
            counts[tuple(here)] += 1

    def end(name: str) -> None:
        here.pop()

    parser, size = Parser(start, end), 0
    with opened() as file:
        while size < _SEARCHED and (piece := file.read(PIECE)):
            parser.feed(piece)
            size += len(piece)
    return counts


FORMAT = Format(
    read_file, {".xml": "xml"}, held=read_held, options=frozenset({"records"}),
    about="the element each that comes again (`--records a.b` names another); attributes and children are columns",
)  # fmt: skip
