"""Which way a source is read in parts, if any."""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.content import head, is_packed
from quire.corpus.encodings import decode, looks_like_utf16
from quire.corpus.formats.folder import FolderReading, Progress
from quire.corpus.formats.frames import opened_frame
from quire.corpus.formats.opened import DECLINED, check_start, opened_table, separator_of
from quire.corpus.formats.parquet import parquet_files
from quire.corpus.formats.quoted import csv_rows
from quire.corpus.formats.tolerant import TolerantTable, json_lines
from quire.corpus.notes import Notes
from quire.corpus.part_formats import Read, WholeError, from_folder, from_lines, from_parquet, from_table
from quire.corpus.sources import Request, kind_of
from quire.places.place import Place
from quire.runs.options import Options


def read_in_parts(
    source: Any, options: Options, place: Place, progress: Progress | None = None
) -> Read | None:
    r"""Read what can be read in parts; None for what must be read whole."""
    named = named_columns(options)
    if options.vocabulary is not None:
        return None
    Request(named, options.encoding)  # checks the encoding
    try:
        if isinstance(source, pl.LazyFrame):
            notes = Notes(source=f"polars.{type(source).__name__}", kind="frame")
            return from_table(opened_frame(source), named, notes, place, progress)
        if isinstance(source, str | Path) and str(source) != "-":
            return _path(Path(source), options, place, progress)
    except WholeError:
        pass
    return None


def named_columns(options: Options) -> dict[str, str]:
    """Return the columns that the user named, by role."""
    named = {role: getattr(options, role) for role in ("text", "id", "label", "date", "group")}
    return {role: column for role, column in named.items() if column is not None}


def _path(path: Path, options: Options, place: Place, progress: Progress | None) -> Read | None:
    named, notes = named_columns(options), Notes(source=str(path))
    if files := parquet_files(path):
        return from_parquet(path, files, named, notes, place, progress)
    if path.is_dir() and not named:
        return from_folder(FolderReading(path, notes, options.encoding, options.strict, progress), place)
    if not path.is_file():
        return None
    kind = kind_of(path)
    if kind == "parquet" and not is_packed(path):
        return from_parquet(path, [path], named, notes, place, progress)
    if kind == "lines" and not named:
        return from_lines(path, notes, place)
    if kind in ("csv", "tsv", "jsonl"):
        return _table(path, kind, options, place, progress)
    return None


def _table(path: Path, kind: str, options: Options, place: Place, progress: Progress | None) -> Read | None:
    """Read a table by polars where it is sound, else row by row."""
    start, named = head(path), named_columns(options)
    check_start(path, kind, start)
    if looks_like_utf16(start):
        return None
    notes = Notes(source=str(path), kind="csv" if kind == "tsv" else kind)
    try:
        table = opened_table(path, kind, named, options.encoding, start)
    except DECLINED:
        table = None
    try:
        if table is not None:
            return from_table(table, named, notes, place, progress)
    except WholeError:
        pass
    rest = _opened_rows(path, kind, start, options)
    handles, notes = from_table(rest.opened(named.values()), named, notes, place, progress)
    return handles, rest.noted(notes)


def _opened_rows(path: Path, kind: str, start: bytes, options: Options) -> TolerantTable:
    """Return a table whose rows are parsed one by one."""
    if start.startswith(BOM_UTF8) or b"\n" not in start:
        raise WholeError
    first = decode(start, options.encoding).text
    rows = json_lines(path) if kind == "jsonl" else csv_rows(path, separator_of(first, kind))
    table = TolerantTable(str(path), rows, options.strict)
    try:
        if table.opened(named_columns(options).values()).sample.width:
            return table
    except (ValueError, EOFError, OSError, zlib.error):  # not UTF-8, or strict: the reader of the whole knows
        pass
    raise WholeError
