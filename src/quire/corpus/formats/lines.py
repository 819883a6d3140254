"""A document a line: text files and standard input."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from quire.corpus.columns import row_numbers
from quire.corpus.content import head, is_binary, opened_bytes
from quire.corpus.encodings import decode, looks_like_utf16
from quire.corpus.formats.tolerant import parsed_object
from quire.corpus.notes import Notes


def read_lines(
    name: str, raw: bytes, notes: Notes, fallback: str, strict: bool
) -> tuple[pl.DataFrame, Notes]:
    r"""Return a document for each line; its number is the id, and a blank line is an empty document."""
    if not raw.strip():
        raise ValueError(f"{name} is empty: there is nothing to read.")
    if not looks_like_utf16(raw) and is_binary(raw):
        raise ValueError(f"{name} is binary, not text: a document a line is expected.")
    decoded = decode(raw, fallback)
    if decoded.replaced and strict:
        raise ValueError(
            f"{name} is not valid UTF-8 in line {decoded.line:,}: save it as UTF-8, or read without strict."
        )
    if decoded.replaced:
        notes = notes.with_(replaced_characters=decoded.replaced, replaced_in=1, encoding=fallback)
    text = decoded.text.replace("\r\n", "\n")
    if "\n" not in text:  # line ends of the old Macintosh
        text = text.replace("\r", "\n")
    lines = pl.Series("text", text.removesuffix("\n").split("\n"), dtype=pl.String)
    return pl.DataFrame({"id": row_numbers(len(lines)), "text": lines}), noted(name, notes)


def noted(name: str, notes: Notes) -> Notes:
    """Return the notes with what is always said of such a file."""
    return notes.with_(kind="lines").remark(f"Each line of {name} is a document.")


def lines_of(path: Path, size: int) -> Iterator[pl.DataFrame]:
    r"""Yield the same documents, without ids, about ``size`` bytes at a time.

    Raises ValueError for a file that must be read whole to be understood: one that is not plain UTF-8.
    """
    start = head(path)
    if looks_like_utf16(start) or is_binary(start) or b"\n" not in start:
        raise ValueError(f"{path} must be read whole.")
    with opened_bytes(path) as file:
        file.seek(len(BOM_UTF8) if start.startswith(BOM_UTF8) else 0)
        while lines := file.readlines(size):
            text = b"".join(lines).decode().replace("\r\n", "\n")
            yield pl.DataFrame({"text": text.removesuffix("\n").split("\n")}, schema={"text": pl.String})


def are_json_lines(raw: bytes) -> bool:
    r"""Return whether the first line that is not blank is a JSON object."""
    first = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not first.startswith(b"{"):
        return False
    return parsed_object(first.split(b"\n", 1)[0].decode("utf-8", "replace")) is not None
