"""Searches at the same time, each for a bounded time: connections to an index, lent to one search each."""

from __future__ import annotations

import queue
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SECONDS = 1.0  # that one search may take; then it is broken off
PATIENCE = 5.0  # seconds that one waits for others
_STEPS = 200  # instructions of SQLite after which it looks at the clock; a page that FTS5 reads takes a few
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}


class TooMuchWorkError(Exception):
    """A search would have taken longer than any may: the sentence says what to search for instead."""

    def __init__(self) -> None:
        super().__init__("This search takes too long: search for fewer words, or for rarer ones.")


class BusyError(Exception):
    """All connections are in use for longer than anybody waits."""

    def __init__(self) -> None:
        super().__init__("Too many requests are under way: ask again in a moment.")


class Readers:
    """Connections of which each search borrows one; the thread that builds an index borrows its own, too."""

    def __init__(self) -> None:
        self._all: list[sqlite3.Connection] = []
        self._free: queue.LifoQueue[sqlite3.Connection | None] = queue.LifoQueue()

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, connection: sqlite3.Connection) -> None:
        """Let one more search be made at the same time."""
        self._all.append(connection)
        self._free.put(connection)

    @contextmanager
    def lent(self, patience: float | None = None) -> Iterator[sqlite3.Connection]:
        """Lend a connection, for as long as it takes."""
        try:
            connection = self._free.get(timeout=patience)
        except queue.Empty:
            raise BusyError from None
        try:
            if connection is None:  # closed, for whoever waits next too
                raise BusyError
            yield connection
        finally:
            self._free.put(connection)

    @contextmanager
    def searching(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection whose statements are broken off when time is over."""
        with self.lent(PATIENCE) as connection, within_time(connection, time.monotonic() + SECONDS):
            yield connection

    def close(self) -> None:
        """Break off what is under way, and close; a connection that does not come back is left to its search."""
        for connection in self._all:
            with suppress(sqlite3.Error):
                connection.interrupt()
        for _ in self._all:
            with suppress(queue.Empty):
                back = self._free.get(timeout=SECONDS)
                if back is not None:
                    back.close()
        self._all.clear()
        self._free.put(None)


@contextmanager
def within_time(connection: sqlite3.Connection, deadline: float) -> Iterator[None]:
    """Break off the statements of a connection when the clock says so."""
    connection.set_progress_handler(_clock(deadline), _STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if code_of(error) == sqlite3.SQLITE_INTERRUPT:
            raise TooMuchWorkError from None
        raise
    finally:
        with suppress(sqlite3.Error):  # it was closed meanwhile
            connection.set_progress_handler(None, 0)


def _clock(deadline: float) -> Callable[[], int]:
    return lambda: time.monotonic() > deadline


def read_only(path: Path) -> sqlite3.Connection:
    """Open an index that is complete."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0, check_same_thread=False)


def code_of(error: Exception) -> int:
    """Return what SQLite calls an error; one of Python's, of a text that is no UTF-8, has no code."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF


def is_damage(error: Exception) -> bool:
    """Say whether an error means that the file is no sound index; what is wrong with a query begins with fts5."""
    code = code_of(error)
    return code in _DAMAGE or (code == sqlite3.SQLITE_ERROR and not str(error).startswith("fts5:"))
