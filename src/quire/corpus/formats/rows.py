"""Damaged tables, read row by row in Python: what does not parse is counted and left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.content import text_lines
from quire.corpus.notes import LINES_AT_MOST, Notes
from quire.corpus.strings import joined_tokens, strings
from quire.corpus.tables import SAMPLE, Table

Complain = Callable[[int], None]
Rows = Callable[[Complain], Iterator[dict[str, Any]]]


class TolerantTable:
    r"""A table whose rows are parsed one by one, and what was wrong with some of them."""

    def __init__(self, name: str, rows: Rows, strict: bool) -> None:
        self.name, self.rows, self.strict = name, rows, strict
        self._forget()

    def table(self, named: Iterable[str]) -> Table:
        """Return it as one that can be read so many rows at a time; it has no column where no row parses."""
        sample = self._first(SAMPLE)
        if not set(named) <= set(sample.columns):  # a key that only later rows have
            sample = self._first(None)
        return Table(self.name, sample, self.batches, self.noted)

    def batches(self, columns: list[str], size: int) -> Iterator[pl.DataFrame]:
        r"""Yield some columns of all rows that parse, so many rows at a time."""
        self._forget()
        rows = self.rows(self._complain)
        while (frame := self._frame(columns, islice(rows, size))).height:
            yield frame

    def noted(self, notes: Notes) -> Notes:
        """Return the notes with what the last reading met."""
        notes = notes.with_(malformed=self.malformed, malformed_lines=tuple(self.lines))
        if self._replaced:
            notes = notes.with_(
                replaced_characters=notes.replaced_characters + sum(self._replaced.values()),
                replaced_in=notes.replaced_in + max(self._replaced_in.values()),
            )
        return notes

    def _first(self, limit: int | None) -> pl.DataFrame:
        self._forget()
        rows = list(islice(self.rows(self._complain), limit))
        return self._frame(list(dict.fromkeys(name for row in rows for name in row)), rows)

    def _forget(self) -> None:
        self.malformed, self.lines = 0, list[int]()
        self._replaced, self._replaced_in = Counter[str](), Counter[str]()  # by column: characters, values

    def _frame(self, columns: list[str], rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
        values: dict[str, list[Any]] = {name: [] for name in columns}
        for row in rows:
            for name, kept in values.items():
                kept.append(row.get(name))
        made = []
        for name, kept in values.items():
            column, replaced, documents = strings(name, kept)
            if replaced:
                self._replaced[name] += replaced
                self._replaced_in[name] += documents
            made.append(column)
        return pl.DataFrame(made)

    def _complain(self, line: int) -> None:
        if self.strict:
            raise ValueError(
                f"Line {line:,} of {self.name} is malformed: repair it, or read without strict, which leaves it out."
            )
        self.malformed += 1
        if len(self.lines) < LINES_AT_MOST:
            self.lines.append(line)


def records_table(source: Iterable[Any]) -> Table:
    """Return dicts as the rows of a table."""
    rows = list(source)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise ValueError(
                f"Record {number:,} of the list is of type {type(row).__name__}: pass dicts, or only texts."
            )

    def every(complain: Complain) -> Iterator[dict[str, Any]]:
        return ({str(key): joined_tokens(value) for key, value in row.items()} for row in rows)

    return TolerantTable("The list of records", every, strict=True).table([])


def json_lines(source: str | Path) -> Rows:
    r"""Return a reader of JSON lines: all objects, or all texts; another line is malformed, a blank one is nothing."""

    def rows(complain: Complain) -> Iterator[dict[str, Any]]:
        kind: type | None = None
        for number, line in enumerate(text_lines(source), 1):  # not splitlines: a string may hold U+2028
            if line.isspace():
                continue
            value = _parsed(line)
            is_text = isinstance(value, str) and line.lstrip().startswith('"')  # and no number as it is written
            kind = kind or (type(value) if is_text or isinstance(value, dict) else None)
            if kind is None or type(value) is not kind:
                complain(number)
            else:
                yield value if isinstance(value, dict) else {"text": value}

    return rows


def parsed_object(line: str) -> dict[str, Any] | None:
    """Return a JSON object, its numbers as they are written; None for anything else."""
    value = _parsed(line)
    return value if isinstance(value, dict) else None


def _parsed(line: str) -> Any:
    try:
        return json.loads(line, parse_int=str, parse_float=str, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
