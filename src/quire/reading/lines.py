"""A document a line: text files and standard input."""

from __future__ import annotations

import polars as pl

from quire.reading.columns import row_numbers
from quire.reading.content import is_binary
from quire.reading.decode import decode, looks_like_utf16
from quire.reading.notes import Notes
from quire.reading.tolerant import parsed_object


def read_lines(
    name: str, raw: bytes, notes: Notes, fallback: str, strict: bool
) -> tuple[pl.DataFrame, Notes]:
    r"""Return a document for each line; its number is the id, and a blank line is an empty document.

    Parameters
    ----------
    name : str
        What the file is called in a message.
    raw : bytes
    notes : Notes
        To be completed.
    fallback : str
        The encoding of text that is not UTF-8.
    strict : bool
        Whether other encodings are an error.

    Examples
    --------
    >>> from quire.reading.lines import read_lines
    >>> from quire.reading.notes import Notes
    >>> documents, _ = read_lines("a.txt", b"one\r\ntwo\r\n", Notes(), "cp1252", strict=False)
    >>> documents.rows()
    [('1', 'one'), ('2', 'two')]
    """
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
    notes = notes.with_(kind="lines").remark(f"Each line of {name} is a document.")
    return pl.DataFrame({"id": row_numbers(len(lines)), "text": lines}), notes


def are_json_lines(raw: bytes) -> bool:
    r"""Return whether the first line that is not blank is a JSON object.

    Examples
    --------
    >>> from quire.reading.lines import are_json_lines
    >>> are_json_lines(b'\n{"text": "a"}\n'), are_json_lines(b"{not} JSON\n")
    (True, False)
    """
    first = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not first.startswith(b"{"):
        return False
    return parsed_object(first.split(b"\n", 1)[0].decode("utf-8", "replace")) is not None
