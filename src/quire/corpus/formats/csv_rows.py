"""Damaged CSV, read row by row with Python's csv module."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from quire.corpus.content import text_lines
from quire.corpus.formats.rows import Complain, Rows

LONGEST_FIELD = 2**31 - 1  # as much as the csv module can take on every platform


def csv_rows(source: str | Path, separator: str) -> Rows:
    r"""Return a reader of CSV: a row with another number of fields than the header is malformed.

    A quote that is never closed would swallow the rest of the file; so after a malformed row of several
    lines, reading goes on in the line after its first.
    """

    def rows(complain: Complain) -> Iterator[dict[str, Any]]:
        given = _Again(text_lines(source))
        reader = csv.reader(given, delimiter=separator)
        try:
            names = unique_names(next(reader, []))
        except csv.Error:
            return complain(1)
        line, again = reader.line_num, 0
        while not given.ended():
            given.row, before = [], reader.line_num
            try:
                row: list[str] | None = next(reader)
            except csv.Error:  # a carriage return amid a field without quotes
                row = None
            lines = reader.line_num - before
            ends_here = given.ended() and _is_unclosed("".join(given.row), separator)
            if row and len(row) == len(names) and not ends_here:
                yield dict(zip(names, row))
            elif row != []:
                complain(line + 1)
                # Lines may be read again, but a file full of stray quotes must end.
                if (lines > 1 and again < 4 * given.read) or row is None:
                    again += lines
                    given.go_back()
                    lines, reader = 1, csv.reader(given, delimiter=separator)
            line += lines

    return _with_long_fields(rows)


class _Again:
    """Lines of which those of the present row can be given again, but for the first."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines, self._waiting = lines, deque[str]()
        self.row: list[str] = []
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.ended():
            raise StopIteration
        self.row.append(self._waiting.popleft())
        return self.row[-1]

    def ended(self) -> bool:
        if not self._waiting:
            self._waiting.extend(islice(self._lines, 1))
            self.read += len(self._waiting)
        return not self._waiting

    def go_back(self) -> None:
        self._waiting.extendleft(reversed(self.row[1:]))


def every_row_is_whole(source: str | Path, separator: str, n_fields: int) -> bool:
    r"""Return whether each row of a CSV has all its fields, so that none ends early and no line is blank."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        return all(len(row) == n_fields for row in csv.reader(text_lines(source), delimiter=separator))
    except csv.Error:
        return False
    finally:
        csv.field_size_limit(before)


def unique_names(names: list[str]) -> list[str]:
    """Return column names as polars makes them unique."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        unique.append(name if name not in seen else f"{name}_duplicated_{seen[name]}")
        seen[name] = seen.get(name, -1) + 1
    return unique


def _is_unclosed(row: str, separator: str) -> bool:
    """Return whether the last row of a file ends within quotes, which the reader forgives."""
    try:
        list(csv.reader(text_lines(row), delimiter=separator, strict=True))
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
