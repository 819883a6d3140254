"""CSV, TSV, JSON lines and JSON: polars reads what is sound, the tolerant readers the rest."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.columns import documents_of
from quire.corpus.content import HEAD, content, head
from quire.corpus.encodings import Decoded, decode, looks_like_utf16
from quire.corpus.formats.opened import DECLINED, check_start, opened, opened_table, separator_of
from quire.corpus.formats.quoted import csv_rows
from quire.corpus.formats.tolerant import TolerantTable, json_lines
from quire.corpus.notes import Notes

Documents = tuple[pl.DataFrame, Notes]


def read_table(
    path: Path, kind: str, named: dict[str, str], notes: Notes, fallback: str, strict: bool
) -> Documents:
    r"""Return the documents of a table in a file, compressed or not."""
    start = head(path)
    check_start(path, kind, start)
    notes = notes.with_(kind="csv" if kind == "tsv" else kind)
    declined = kind != "json" and not looks_like_utf16(start)
    if declined:
        try:
            return documents_of(opened_table(path, kind, named, fallback, start), named, notes)
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
    r"""Return the documents of a table in memory, in any encoding, with malformed rows."""
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
            return documents_of(opened(name, io.BytesIO(again), kind, text[:HEAD], named), named, notes)
        except DECLINED:
            pass
    rows = json_lines(text) if kind == "jsonl" else csv_rows(text, separator_of(text[:HEAD], kind))
    table = TolerantTable(name, rows, strict)
    rest = table.opened(named.values())
    if rest.sample.width == 0:
        raise ValueError(_no_row(name, kind, table))
    documents, notes = documents_of(rest, named, notes)
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
