"""A document a line: text files and standard input, where JSON lines may come too."""

from __future__ import annotations

import csv
import io
import json
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.answers import names_in
from quire.corpus.content import HEAD, content, head, is_binary, opened_bytes
from quire.corpus.cut import BYTES, row_numbers
from quire.corpus.encodings import decode, looks_like_utf16
from quire.corpus.formats.format import Format, Reading, is_path, put_documents
from quire.corpus.formats.header import check_header
from quire.corpus.formats.rows import parsed_object
from quire.corpus.formats.scan import NotSoundError, separator_of, sound
from quire.corpus.formats.tables import not_utf8, read_bytes
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.roles import is_usual_name
from quire.places.place import Place

_TOP = 100  # rows by which a table is recognised
_WIDE = 3  # columns, and rows below them, of a table that is one though its names are unusual
ENDINGS = dict.fromkeys([".txt", ".text", ".md", ".rst"], "lines")


def read_file(source: str | Path, request: Request, place: Place) -> Reading:
    """Read a file some lines at a time, or at once where it must be known whole: if it is not UTF-8."""
    request.no_columns("A file with a document a line")
    path = Path(source)
    notes, start = Notes(source=str(path)), head(path)
    if not (looks_like_utf16(start) or is_binary(start)) and b"\n" in start:
        try:
            return _documents(sound(_some_lines(path, start)), str(path), notes, place)
        except NotSoundError:
            pass
    lines, notes = decoded_lines(str(path), content(path), request, notes)
    return _documents([lines.to_frame()], str(path), notes, place)


def read_stream(source: str | Path, request: Request, place: Place) -> Reading:
    """Read standard input or a pipe, which can be read once: a table that is plainly one, or a document a line."""
    path = Path(source)
    raw = path.read_bytes() if is_path(source) else sys.stdin.buffer.read()
    name, notes = str(path) if is_path(source) else "Standard input", Notes(source=str(path))
    kind = "jsonl" if _are_json_lines(raw) else _kind_of_table(raw, request)
    if kind is not None:
        return read_bytes(name, raw, kind, request, notes.with_(kind="csv" if kind == "tsv" else kind), place)
    request.no_columns(name)
    lines, notes = decoded_lines(name, raw, request, notes)
    return _documents([lines.to_frame()], name, notes, place)


def decoded_lines(name: str, raw: bytes, request: Request, notes: Notes) -> tuple[pl.Series, Notes]:
    """Return the lines of a text in any encoding; a blank line is an empty document."""
    if not raw.strip():
        raise _empty(name)
    if not looks_like_utf16(raw) and is_binary(raw):
        raise ValueError(f"{name} is binary, not text: a document a line is expected.")
    decoded = decode(raw, request.encoding)
    if decoded.replaced and request.strict:
        raise not_utf8(name, decoded.line)
    if decoded.replaced:
        notes = notes.with_(replaced_characters=decoded.replaced, replaced_in=1, encoding=request.encoding)
    text = decoded.text
    if "\n" not in text:  # line ends of the old Macintosh
        text = text.replace("\r", "\n")
    return _split(text), notes


def _some_lines(path: Path, start: bytes) -> Iterator[pl.DataFrame]:
    """Yield the lines of a file in UTF-8, so many bytes at a time."""
    blank = True
    with opened_bytes(path) as file:
        file.seek(len(BOM_UTF8) if start.startswith(BOM_UTF8) else 0)
        while raw := file.read(BYTES // 4) + file.readline():
            blank = blank and not raw.strip()
            yield _split(raw.decode()).to_frame()
    if blank:
        raise _empty(str(path))


def _split(text: str) -> pl.Series:
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return pl.Series("text", lines, dtype=pl.String)


def _documents(frames: Iterable[pl.DataFrame], name: str, notes: Notes, place: Place) -> Reading:
    """Put the lines down; their numbers are the ids."""

    def numbered() -> Iterator[pl.DataFrame]:
        first = 0
        for frame in frames:
            yield frame.select(row_numbers(frame.height, first), "text")
            first += frame.height

    parts = put_documents(numbered(), place)
    return Reading(parts, notes.with_(kind="lines").remark(f"Each line of {name} is a document."))


def _are_json_lines(raw: bytes) -> bool:
    r"""Return whether the first line that is not blank is a JSON object."""
    first = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not first.startswith(b"{"):
        return False
    return parsed_object(first.split(b"\n", 1)[0].decode("utf-8", "replace")) is not None


def _kind_of_table(raw: bytes, request: Request) -> str | None:
    """Return whether bytes are JSON, or CSV: a header that has usual or named columns, and rows as wide as it is."""
    first = decode(raw[:HEAD], request.encoding).text
    if first.lstrip()[:2].strip() in ("[", "[{", "{", '["', "{}", '{"'):
        with suppress(ValueError, RecursionError):
            return "json" if isinstance(json.loads(decode(raw, request.encoding).text), list | dict) else None
    separator = separator_of(first.lstrip(), "csv")
    try:
        rows = list(islice(csv.reader(io.StringIO(first.lstrip(), newline=""), delimiter=separator), _TOP))
    except csv.Error:
        return None
    whole = rows[:-1] if len(raw) > HEAD else rows  # the last may be cut off
    names = whole[0] if whole else []
    named = {name for asked in request.columns.values() for name in names_in(asked, names.__contains__)}
    known = any(map(is_usual_name, names)) or not named.isdisjoint(names)
    as_wide = sum(len(row) == len(names) for row in whole)
    if len(names) < 2 or len(whole) < 2 or as_wide < (0.9 if known else 1) * len(whole):
        return None
    if not known and not _is_plainly_a_table(whole, separator):
        return None
    return "tsv" if separator == "\t" else "csv"


def _is_plainly_a_table(rows: list[list[str]], separator: str) -> bool:
    """Say whether rows that are equally wide begin with a header, though no name is usual; in texts ", " is written."""
    names = rows[0]
    distinct = len(set(names)) == len(names) and all(name == name.strip() for name in names)
    if len(names) < _WIDE or len(rows) <= _WIDE or not distinct:
        return False
    try:
        check_header(names, rows[1:], (), "", separator)
    except ValueError:
        return False
    return True


def _empty(name: str) -> ValueError:
    return ValueError(f"{name} is empty: there is nothing to read.")


def _is_stream(source: Any) -> bool:
    """Return whether a source is standard input, or a pipe as in: quire cluster <(zcat news.txt.gz)."""
    if not is_path(source):
        return isinstance(source, str | Path)
    path = Path(source)
    return path.exists() and not path.is_file() and not path.is_dir()


FILE = Format(read_file, ENDINGS, about="a line each; with `--split` the file is one document")
STREAM = Format(
    read_stream,
    accepts=_is_stream,
    named="`-` for standard input",
    about="a line each, or the rows of CSV, JSON or JSONL",
)
