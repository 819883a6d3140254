"""Damaged CSV, read row by row with Python's csv module."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from quire.reading.tolerant import Complain, Rows

LONGEST_FIELD = 2**31 - 1  # as much as the csv module can take on every platform


def csv_rows(text: str, separator: str) -> Rows:
    r"""Return a reader of CSV: a row with another number of fields than the header is malformed.

    A quote that is never closed would swallow the rest of the file; so after a malformed row of several
    lines, reading goes on in the line after its first.

    Examples
    --------
    >>> from quire.reading.quoted import csv_rows
    >>> bad = []
    >>> list(csv_rows('id,text\n1,"a\n2,b\n3,c,d\n', ",")(bad.append)), bad
    ([{'id': '2', 'text': 'b'}], [2, 4])
    """

    def rows(complain: Complain) -> Iterator[dict[str, Any]]:
        stream = _stream(text)
        reader = csv.reader(stream, delimiter=separator)
        try:
            names = unique_names(next(reader, []))
        except csv.Error:
            return complain(1)
        line = reader.line_num
        patience = 4 * text.count("\n")  # lines that may be read again: a file full of stray quotes must end
        while (start := stream.tell()) < len(text):
            before = reader.line_num
            try:
                row: list[str] | None = next(reader)
            except csv.Error:  # a carriage return amid a field without quotes
                row = None
            lines = reader.line_num - before
            ends_here = stream.tell() == len(text) and _is_unclosed(text[start:], separator)
            if row and len(row) == len(names) and not ends_here:
                yield dict(zip(names, row))
            elif row != []:
                complain(line + 1)
                if (lines > 1 and patience > 0) or row is None:
                    patience -= lines
                    stream.seek(start)
                    stream.readline()
                    lines, reader = 1, csv.reader(stream, delimiter=separator)
            line += lines

    return _with_long_fields(rows)


def every_row_is_whole(text: str, separator: str, n_fields: int) -> bool:
    r"""Return whether each row of a CSV has all its fields, so that none ends early and no line is blank.

    Examples
    --------
    >>> from quire.reading.quoted import every_row_is_whole
    >>> every_row_is_whole("a,b\n1,\n", ",", 2), every_row_is_whole("a,b\n1\n", ",", 2)
    (True, False)
    """
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        return all(len(row) == n_fields for row in csv.reader(_stream(text), delimiter=separator))
    except csv.Error:
        return False
    finally:
        csv.field_size_limit(before)


def unique_names(names: list[str]) -> list[str]:
    """Return column names as polars makes them unique.

    Examples
    --------
    >>> from quire.reading.quoted import unique_names
    >>> unique_names(["id", "id", "text"])
    ['id', 'id_duplicated_0', 'text']
    """
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        unique.append(name if name not in seen else f"{name}_duplicated_{seen[name]}")
        seen[name] = seen.get(name, -1) + 1
    return unique


def _stream(text: str) -> io.StringIO:
    """Return text whose lines end at line feeds only, which keeps every other character as it is."""
    return io.StringIO(text, newline="\n")


def _is_unclosed(row: str, separator: str) -> bool:
    """Return whether the last row of a file ends within quotes, which the reader forgives."""
    try:
        list(csv.reader(_stream(row), delimiter=separator, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _with_long_fields(rows: Rows) -> Rows:
    """Let a field be as long as a document can be, while rows are read."""

    def limited(complain: Complain) -> Iterator[dict[str, Any]]:
        before = csv.field_size_limit(LONGEST_FIELD)
        try:
            yield from rows(complain)
        finally:
            csv.field_size_limit(before)

    return limited
