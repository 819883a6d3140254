"""SQLite databases: a table, or what a query selects."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.content import content, is_packed
from quire.corpus.encodings import decode
from quire.corpus.expansion import check_size, most_bytes
from quire.corpus.formats.csv_rows import unique_names
from quire.corpus.formats.format import Format, Reading
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.strings import strings
from quire.corpus.tables import SAMPLE, Table, read_table
from quire.messages import meant
from quire.places.place import Place

ENDINGS = dict.fromkeys([".sqlite", ".sqlite3", ".db"], "sqlite")
_SHOWN = 20  # tables that a message names
_STEPS = 1_000_000  # of SQLite's machine, after which it is looked whether a query gives anything
_FRUITLESS = 2_000  # times that it may do so many steps without a row
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
Open = Callable[[], sqlite3.Connection]


def read_file(source: str | Path, request: Request, place: Place) -> Reading:
    """Read a database as it lies there, or all of it where it is compressed."""
    path = Path(source)
    if is_packed(path):
        return read_held(str(path), content(path), request, place)
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return _read(str(path), lambda: sqlite3.connect(uri, uri=True), path.stat().st_size, request, place)


def read_held(name: str, raw: bytes, request: Request, place: Place) -> Reading:
    """Read a database that is held in memory."""

    def opened() -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:")
        connection.deserialize(raw)
        return connection

    return _read(name, opened, len(raw), request, place)


def _read(name: str, opened: Open, size: int, request: Request, place: Place) -> Reading:
    try:
        with closing(opened()) as connection:
            query, notes = _query(connection, name, request.sql)
        rows = _Rows(name, opened, query, size)
        sample = rows.frame(rows.names, next(rows.chunks(SAMPLE), []))
        table = Table(name, sample, rows.batches)
        return read_table(table, request, notes, place)
    except (sqlite3.Error, OverflowError, UnicodeError) as error:  # names, and words of SQLite, that are no UTF-8
        if request.sql is not None and "not authorized" in str(error):
            raise ValueError(f"{name} is only read, and --sql asks for something else: begin it with select.") from None
        if request.sql is not None and isinstance(error, sqlite3.OperationalError):
            raise ValueError(f"{name} cannot answer the query ({error}): mend what --sql says.") from None
        raise ValueError(f"{name} is a damaged SQLite database, or none: copy or download it anew.") from None


def _query(connection: sqlite3.Connection, name: str, given: str | None) -> tuple[str, Notes]:
    """Return the query: the one that was given, of the table that was named, or of the only table."""
    notes = Notes(source=name, kind="sqlite")
    found = connection.execute("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
    tables = sorted(str(table) for (table,) in found)
    if given is not None and " " in given.strip():
        return given, notes
    if given in tables or (given is None and len(tables) == 1):
        return _of_table(given or tables[0]), notes
    shown = ", ".join(tables[:_SHOWN]) + (", …" if len(tables) > _SHOWN else "")
    if given is not None:
        raise ValueError(f"{name} has no table {given!r}{meant(given, tables)}; its tables are {shown or 'none'}.")
    if not tables:
        raise ValueError(f"{name} has no table: there is nothing to read.")
    raise ValueError(
        f'{name} has {len(tables)} tables ({shown}): name one with --sql {tables[0]}, or say --sql "select …".'
    )


def _of_table(table: str) -> str:
    return 'select * from "{}"'.format(table.replace('"', '""'))


class _Rows:
    """What a query gives, some rows at a time; a database that makes much out of little is refused."""

    def __init__(self, name: str, opened: Open, query: str, size: int) -> None:
        self.name, self._opened, self._query, self._size = name, opened, query, size
        self.names, self._fruitless = list[str](), 0
        with closing(self._connected()) as connection, closing(connection.execute(query)) as cursor:
            if cursor.description is None:
                raise ValueError(f"The query gives no rows of {name}: begin it with select.")
            self.names = unique_names([column[0] for column in cursor.description])

    def batches(self, columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        for chunk in self.chunks(rows):
            yield self.frame(columns, chunk)

    def chunks(self, rows: int) -> Iterator[list[tuple[Any, ...]]]:
        total = 0
        with closing(self._connected()) as connection, closing(connection.execute(self._query)) as cursor:
            while chunk := cursor.fetchmany(min(rows, 1000)):
                total += sum(len(value) for row in chunk for value in row if isinstance(value, str | bytes))
                total += 8 * len(chunk)
                check_size(total, self._size, self.name)
                self._fruitless = 0
                yield chunk

    def frame(self, columns: list[str], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
        at = {column: i for i, column in enumerate(self.names)}
        return pl.DataFrame([strings(one, (_plain(row[at[one]]) for row in rows))[0] for one in columns])

    def _gave_nothing(self) -> int:
        self._fruitless += 1
        return int(self._fruitless > _FRUITLESS)

    def _connected(self) -> sqlite3.Connection:
        """Open the database so that nothing but reading is possible, whatever it or a query says."""
        connection = self._opened()
        connection.text_factory = lambda raw: decode(raw).text
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(most_bytes(self._size), 2**31 - 1))
        connection.execute("pragma trusted_schema = off")
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY)
        connection.set_progress_handler(self._gave_nothing, _STEPS)
        return connection


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


FORMAT = Format(
    read_file, ENDINGS, about="a row each of its only table, of `--sql TABLE`, or of what `--sql \"select …\"` gives",
    options=frozenset({"sql"}), held=read_held,
)  # fmt: skip
