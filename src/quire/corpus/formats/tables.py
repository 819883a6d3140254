"""CSV, TSV, JSON lines and JSON: polars reads what is sound, the readers row by row the rest."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from quire.corpus.content import HEAD, content, head, is_packed_for_others, is_plain
from quire.corpus.encodings import decode, looks_like_utf16
from quire.corpus.formats.csv_rows import csv_rows
from quire.corpus.formats.format import Format, Reading, ending_of, said_whole
from quire.corpus.formats.json_forms import json_to_lines
from quire.corpus.formats.rows import TolerantTable, json_lines
from quire.corpus.formats.scan import DECLINED, NotSoundError, check_start, scanned_table, separator_of, sound
from quire.corpus.notes import Notes
from quire.corpus.presence import is_utf8
from quire.corpus.request import OWN, Request
from quire.corpus.tables import read_table
from quire.places.place import Place

ENDINGS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json"}


def read_file(source: str | Path, request: Request, place: Place) -> Reading:
    """Read a table in a file, compressed or not: as it lies there, or else all of it decoded."""
    path = Path(source)
    kind, start = _kind(path, request), head(path)
    check_start(path, kind, start)
    notes = Notes(source=str(path), kind="csv" if kind == "tsv" else kind)
    as_it_lies = kind != "json" and not looks_like_utf16(start) and not is_packed_for_others(path) and is_utf8(path)
    if as_it_lies:
        first = decode(start, request.encoding).text
        reading = _scanned(str(path), path, kind, first, request, notes, place)
        if reading is not None:
            return reading
        if is_plain(path, start):
            return _row_by_row(str(path), path, kind, first, request, notes, place)
    raw = content(path)
    return said_whole(read_bytes(str(path), raw, kind, request, notes, place, declined=as_it_lies), path, len(raw))


def read_bytes(
    name: str, raw: bytes, kind: str, request: Request, notes: Notes, place: Place, declined: bool = False
) -> Reading:
    """Read a table in memory, in any encoding; it may be known that polars does not read it as it is."""
    decoded = decode(raw, request.encoding)
    if decoded.replaced:
        if request.strict:
            raise not_utf8(name, decoded.line)
        used = request.encoding if decoded.encoding in (request.encoding, "utf-8") else None
        notes = notes.with_(replaced_characters=decoded.replaced, replaced_in=1, encoding=used)
    text = decoded.text
    if "\n" not in text:  # line ends of the old Macintosh
        text = text.replace("\r", "\n")
    if kind == "json":
        text, kind = json_to_lines(name, text, request.records), "jsonl"
    first, again = text[:HEAD], text.encode()
    if not declined or again != raw:  # polars may like it better in UTF-8
        reading = _scanned(name, io.BytesIO(again), kind, first, request, notes, place)
        if reading is not None:
            return reading
    return _row_by_row(name, text, kind, first, request, notes, place)


def not_utf8(name: str, line: int | None) -> ValueError:
    """Return the error for what must be UTF-8 and is not."""
    return ValueError(f"{name} is not valid UTF-8 in line {line:,}: save it as UTF-8, or read without strict.")


def _scanned(
    name: str, source: Path | io.BytesIO, kind: str, first: str, request: Request, notes: Notes, place: Place
) -> Reading | None:
    """Let polars read a table; None where it cannot, or not as it is meant."""
    try:
        table = scanned_table(name, source, kind, first, request.columns)
    except DECLINED:
        return None
    batches = table.batches
    try:
        table = replace(table, batches=lambda columns, rows: sound(batches(columns, rows)))
        return read_table(table, request, notes, place)
    except NotSoundError:
        return None


def _row_by_row(
    name: str, source: Path | str, kind: str, first: str, request: Request, notes: Notes, place: Place
) -> Reading:
    """Read a table whose rows do not all parse."""
    rows = json_lines(source) if kind == "jsonl" else csv_rows(source, separator_of(first, kind))
    tolerant = TolerantTable(name, rows, request.strict)
    table = tolerant.table(request.columns.values())
    if table.sample.width == 0:
        raise _no_row(name, kind, tolerant.malformed)
    return read_table(table, request, notes, place)


def _no_row(name: str, kind: str, malformed: int) -> ValueError:
    if not malformed:
        return ValueError(f"{name} has no rows: there is nothing to read.")
    if kind == "jsonl":
        return ValueError(
            f"No line of {name} is a JSON object or text: write one a line, or use another ending (.txt, .csv)."
        )
    return ValueError(
        f"No row of {name} has as many fields as its header: put quotes around texts that hold the separator."
    )


def _kind(path: Path, request: Request) -> str:
    kind = ENDINGS[ending_of(path)]
    if request.records is not None and kind != "json":
        raise ValueError(f"Option records goes with {OWN['records']}, and {path} is none: leave it out.")
    return kind


def read_held(name: str, raw: bytes, request: Request, place: Place) -> Reading:
    """Read a table that is held in memory."""
    kind = _kind(Path(name), request)
    check_start(name, kind, raw[:HEAD])
    return read_bytes(name, raw, kind, request, Notes(source=name, kind="csv" if kind == "tsv" else kind), place)


FORMAT = Format(
    read_file, ENDINGS, about="a row or a record each (`--records a.b` names a list inside JSON)",
    options=frozenset({"records"}), held=read_held,
)  # fmt: skip
