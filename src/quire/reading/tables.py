"""CSV, TSV, JSON lines, JSON and Parquet: polars reads what is sound, the tolerant readers the rest."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl

from quire.reading.columns import SAMPLE, Table, documents_of
from quire.reading.content import HEAD, content, head, what_it_is
from quire.reading.decode import Decoded, decode, looks_like_utf16
from quire.reading.notes import Notes
from quire.reading.quoted import csv_rows, every_row_is_whole, unique_names
from quire.reading.roles import is_usual_name
from quire.reading.tolerant import TolerantTable, json_lines

SEPARATORS = ",;\t|"
Documents = tuple[pl.DataFrame, Notes]


class _NotSoundError(Exception):
    """Polars would read this table, but not as it is meant."""


DECLINED = (_NotSoundError, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


def read_table(
    path: Path, kind: str, named: dict[str, str], notes: Notes, fallback: str, strict: bool
) -> Documents:
    r"""Return the documents of a table in a file, compressed or not.

    Parameters
    ----------
    path : Path
    kind : {"csv", "tsv", "jsonl", "json", "parquet"}
    named : dict
        The columns that the user named, by role.
    notes : Notes
        To be completed.
    fallback : str
        The encoding of a file that is not UTF-8.
    strict : bool
        Whether malformed rows and other encodings are errors.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from quire.reading.notes import Notes
    >>> from quire.reading.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.csv"
    ...     _ = path.write_text("id;text\n007;well, well\n")
    ...     documents, notes = read_table(path, "csv", {}, Notes(), "cp1252", strict=False)
    >>> documents.rows()
    [('007', 'well, well')]
    """
    start = head(path)
    if kind == "parquet":
        return _read_parquet(path, start, named, notes.with_(kind=kind))
    _check_start(path, kind, start)
    notes = notes.with_(kind="csv" if kind == "tsv" else kind)
    declined = kind != "json" and not looks_like_utf16(start)
    if declined:
        first = decode(start, fallback).text
        try:
            return documents_of(_opened(str(path), path, kind, first, named), named, notes)
        except DECLINED:
            pass
    return read_text(str(path), content(path), kind, named, notes, fallback, strict, declined)


def read_text(
    name: str,
    raw: bytes,
    kind: str,
    named: dict[str, str],
    notes: Notes,
    fallback: str,
    strict: bool,
    declined: bool = False,
) -> Documents:
    r"""Return the documents of a table in memory, in any encoding, with malformed rows.

    Examples
    --------
    >>> from quire.reading.notes import Notes
    >>> from quire.reading.tables import read_text
    >>> raw = 'id,text\n1,naïve\n2\n'.encode("cp1252")
    >>> documents, notes = read_text("a.csv", raw, "csv", {}, Notes(), "cp1252", strict=False)
    >>> documents.rows(), notes.malformed_lines, notes.replaced_characters
    ([('1', 'naïve')], (3,), 1)
    """
    decoded = decode(raw, fallback)
    notes = _noted(name, decoded, notes, fallback, strict)
    text = decoded.text
    if "\n" not in text:  # line ends of the old Macintosh
        text = text.replace("\r", "\n")
    if kind == "json":
        text, kind = _json_to_lines(name, text), "jsonl"
    again = text.encode()
    if not declined or again != raw:  # polars may like it better in UTF-8
        try:
            return documents_of(_opened(name, io.BytesIO(again), kind, text[:HEAD], named), named, notes)
        except DECLINED:
            pass
    rows = json_lines(text) if kind == "jsonl" else csv_rows(text, _separator(text[:HEAD], kind))
    table = TolerantTable(name, rows, strict)
    opened = table.opened(named.values())
    if opened.sample.width == 0:
        raise ValueError(_no_row(name, kind, table))
    documents, notes = documents_of(opened, named, notes)
    return documents, table.noted(notes)


def _noted(name: str, decoded: Decoded, notes: Notes, fallback: str, strict: bool) -> Notes:
    if not decoded.replaced:
        return notes
    if strict:
        raise ValueError(
            f"{name} is not valid UTF-8 in line {decoded.line:,}: save it as UTF-8, or read without strict."
        )
    used = fallback if decoded.encoding in (fallback, "utf-8") else None
    return notes.with_(replaced_characters=decoded.replaced, replaced_in=1, encoding=used)


def _opened(name: str, source: Path | io.BytesIO, kind: str, first: str, named: dict[str, str]) -> Table:
    if kind == "jsonl":
        return _open_json_lines(name, source, named)
    separator = _separator(first, kind)
    names = _header(name, first, separator, named)
    lazy = pl.scan_csv(source, separator=separator, infer_schema=False, glob=False)

    def take(columns: list[str]) -> pl.DataFrame:
        # To polars, rows that end early and blank lines are rows with nulls: both show in the last column.
        frame = lazy.select(*columns, pl.col(lazy_names[-1]).is_null().alias("\0ends early")).collect()
        if frame["\0ends early"].any() and not every_row_is_whole(_text(source), separator, len(names)):
            raise _NotSoundError
        return frame.drop("\0ends early")

    lazy_names = lazy.collect_schema().names()
    if len(lazy_names) != len(names):
        raise _NotSoundError
    return Table(name, lazy.head(SAMPLE).collect(), take)


def _text(source: Path | io.BytesIO) -> str:
    return (content(source) if isinstance(source, Path) else source.getvalue()).decode("utf-8-sig")


def _open_json_lines(name: str, source: Path | io.BytesIO, named: dict[str, str]) -> Table:
    if isinstance(source, Path) and re.search(r"[*?\[]", str(source)):
        source = io.BytesIO(source.read_bytes())  # polars would take the name for a pattern
    names = pl.scan_ndjson(source, infer_schema_length=SAMPLE).collect_schema().names()
    if not set(named.values()) <= set(names):  # a key that only later rows have
        names = pl.scan_ndjson(source, infer_schema_length=None).collect_schema().names()
    lazy = pl.scan_ndjson(source, schema=dict.fromkeys(names, pl.String))

    def take(columns: list[str]) -> pl.DataFrame:
        frame = lazy.select(columns).collect()
        # Polars turns the first half of a surrogate pair into a NUL: Python shall tell which NULs are meant.
        if frame.select(pl.any_horizontal(pl.all().str.contains("\0", literal=True).any())).item():
            raise _NotSoundError
        return frame

    return Table(name, lazy.head(SAMPLE).collect(), take)


def _read_parquet(path: Path, start: bytes, named: dict[str, str], notes: Notes) -> Documents:
    if not start.startswith(b"PAR1"):
        _check_start(path, "parquet", start)
        raise ValueError(
            f"{path} is not a Parquet file: give it the ending of what it holds (.csv, .jsonl, …)."
        )
    packed = path.suffix.lower() in (".gz", ".zst")
    try:
        lazy = pl.scan_parquet(io.BytesIO(content(path)) if packed else path, glob=False)
        sample = lazy.head(SAMPLE).collect()
        table = Table(str(path), sample, lambda columns: lazy.select(columns).collect())
        return documents_of(table, named, notes)
    except DECLINED:
        raise ValueError(f"{path} is a damaged Parquet file: write or download it anew.") from None


def _check_start(path: Path, kind: str, start: bytes) -> None:
    """Refuse a file that is plainly something else than its name says."""
    if not start.strip():
        raise ValueError(f"{path} is empty: there is nothing to read.")
    other = None if looks_like_utf16(start) else what_it_is(start)
    if other is None and re.match(rb"\s*<(!doctype html|html)", start, re.IGNORECASE):
        other = "an HTML page"
    if other is not None:
        raise ValueError(
            f"{path} is {other}, not {kind}: give it the ending of what it holds, or convert it."
        )


def _header(name: str, first: str, separator: str, named: dict[str, str]) -> list[str]:
    """Return the column names, refusing a first line that looks like a row of data."""
    try:
        names = unique_names(next(csv.reader(io.StringIO(first, newline=""), delimiter=separator), []))
    except csv.Error:
        raise _NotSoundError from None
    if any(is_usual_name(column) for column in names) or set(named.values()) & set(names):
        return names
    if any(re.fullmatch(r"[\d.,:/ -]*", column) or len(column.split()) > 8 for column in names):
        raise ValueError(
            f"The first line of {name} does not look like a header: put the names of the columns there, "
            f"such as {separator.join(['id', 'text', 'label'])!r}."
        )
    return names


def _separator(first: str, kind: str) -> str:
    if kind == "tsv":
        return "\t"
    line = re.sub(r'"[^"]*"', "", first).split("\n", 1)[0]
    return max(SEPARATORS, key=line.count)


def _json_to_lines(name: str, text: str) -> str:
    """Return a JSON array of objects as JSON lines; what already are JSON lines is left alone."""
    if text.lstrip().startswith("{") and "\n" in text.strip():
        return text
    try:
        rows: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno:,})" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"{name} is not valid JSON{where}: an array of objects is expected.") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{name} holds no array of objects: write [{{…}}, {{…}}], or a JSON object a line.")
    if not rows:
        raise ValueError(f"{name} has no rows: there is nothing to read.")
    return "\n".join(map(json.dumps, rows))


def _no_row(name: str, kind: str, table: TolerantTable) -> str:
    if not table.malformed:
        return f"{name} has no rows: there is nothing to read."
    if kind == "jsonl":
        return f"No line of {name} is a JSON object: write one a line, or use another ending (.txt, .csv)."
    return (
        f"No row of {name} has as many fields as its header: put quotes around texts that hold the separator."
    )
