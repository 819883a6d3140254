"""Tables as polars reads them: their header, their separator, and whether polars reads what is meant."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import polars as pl

from quire.corpus.content import what_it_is
from quire.corpus.encodings import looks_like_utf16
from quire.corpus.formats.csv_rows import every_row_is_whole, unique_names
from quire.corpus.formats.header import check_header
from quire.corpus.tables import SAMPLE, Table

SEPARATORS = ",;\t|"
_TOP = 100  # rows by which a header is told from a row of data


class NotSoundError(Exception):
    """Polars would read this table, but not as it is meant."""


DECLINED = (NotSoundError, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


UNREADABLE = (*DECLINED, UnicodeDecodeError, EOFError, zlib.error)  # by polars, in UTF-8, by gzip


def sound(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield what a reader gives; tell its errors from those of a place that has no room left."""
    try:
        yield from frames
    except UNREADABLE:
        raise NotSoundError from None


def scanned_table(name: str, source: Path | io.BytesIO, kind: str, first: str, named: dict[str, str]) -> Table:
    """Return a file or bytes as polars reads them; raises one of ``DECLINED`` where it is no way to do so."""
    if kind == "jsonl":
        return _scan_json_lines(name, source, named)
    return _scan_csv(name, source, separator_of(first, kind), first, named)


def _scan_csv(name: str, source: Path | io.BytesIO, separator: str, first: str, named: dict[str, str]) -> Table:
    names = _header(name, first, separator, named)
    lazy = pl.scan_csv(source, separator=separator, infer_schema=False, glob=False)

    def selected(columns: list[str]) -> pl.LazyFrame:
        # To polars, rows that end early and blank lines are rows with nulls: both show in the last column.
        return lazy.select(*columns, pl.col(lazy_names[-1]).is_null().alias("\0ends early"))

    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        ends_early = False
        for frame in selected(columns).collect_batches(chunk_size=rows):
            ends_early |= bool(frame["\0ends early"].any())
            yield frame.drop("\0ends early")
        if ends_early and not _all_whole(source, separator, len(names)):
            raise NotSoundError

    lazy_names = lazy.collect_schema().names()
    if len(lazy_names) != len(names):
        raise NotSoundError
    return Table(name, lazy.head(SAMPLE).collect(), batches)


def _all_whole(source: Path | io.BytesIO, separator: str, n_fields: int) -> bool:
    text = source if isinstance(source, Path) else source.getvalue().decode("utf-8-sig")
    return every_row_is_whole(text, separator, n_fields)


def _scan_json_lines(name: str, source: Path | io.BytesIO, named: dict[str, str]) -> Table:
    if isinstance(source, Path) and re.search(r"[*?\[]", str(source)):
        source = io.BytesIO(source.read_bytes())  # polars would take the name for a pattern
    names = pl.scan_ndjson(source, infer_schema_length=SAMPLE).collect_schema().names()
    if not set(named.values()) <= set(names):  # a key that only later rows have
        names = pl.scan_ndjson(source, infer_schema_length=None).collect_schema().names()
    lazy = pl.scan_ndjson(source, schema=dict.fromkeys(names, pl.String))

    def checked(frame: pl.DataFrame) -> pl.DataFrame:
        # Polars turns the first half of a surrogate pair into a NUL: Python shall tell which NULs are meant.
        if frame.select(pl.any_horizontal(pl.all().str.contains("\0", literal=True).any())).item():
            raise NotSoundError
        return frame

    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        return map(checked, lazy.select(columns).collect_batches(chunk_size=rows))

    return Table(name, lazy.head(SAMPLE).collect(), batches)


def check_start(path: Path | str, kind: str, start: bytes) -> None:
    """Refuse a file that is plainly something else than its name says."""
    if not start.strip():
        raise ValueError(f"{path} is empty: there is nothing to read.")
    other = None if looks_like_utf16(start) else what_it_is(start)
    if other is None and re.match(rb"\s*<(!doctype html|html)", start, re.IGNORECASE):
        other = "an HTML page"
    if other is not None:
        raise ValueError(f"{path} is {other}, not {kind}: give it the ending of what it holds, or convert it.")


def _header(name: str, first: str, separator: str, named: dict[str, str]) -> list[str]:
    """Return the column names, refusing a first line that looks like a row of data."""
    reader, rows = csv.reader(io.StringIO(first, newline=""), delimiter=separator), list[list[str]]()
    try:
        names = unique_names(next(reader, []))
    except csv.Error:
        raise NotSoundError from None
    with suppress(csv.Error):  # told by who reads the rows
        rows.extend(islice(reader, _TOP))
    check_header(names, rows, named.values(), name, separator)
    return names


def separator_of(first: str, kind: str) -> str:
    r"""Return what separates the fields of a table that begins like this."""
    if kind == "tsv":
        return "\t"
    lines = re.sub(r'"[^"]*"', "", first).split("\n")
    header, below = lines[0], [line for line in lines[1:_TOP] if line.strip()]
    there = [one for one in SEPARATORS if one in header]
    if len(there) > 1 and below:  # a question may hold commas: what separates is in each row as often as in the header
        return max(
            there, key=lambda one: (sum(line.count(one) == header.count(one) for line in below), header.count(one))
        )
    return max(SEPARATORS, key=header.count)
