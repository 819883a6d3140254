"""Searches at the same time, each for a bounded time: connections to an index, lent to one search each."""

from __future__ import annotations

import itertools
import queue
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SECONDS = 1.0  # that one search may take; then it is broken off
PATIENCE = 5.0  # seconds that one waits for others
_TICK = 0.02  # seconds between two looks at the clock
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
    if time.monotonic() > deadline:
        raise TooMuchWorkError
    try:
        with _WATCH.on(connection, deadline):
            yield
    except sqlite3.OperationalError as error:
        if code_of(error) == sqlite3.SQLITE_INTERRUPT:
            raise TooMuchWorkError from None
        raise


class _Watch:
    """One thread that looks at the clock for all searches, as long as there are any.

    A progress handler would have SQLite call Python thousands of times a search, and each call waits until
    the other threads let go of the interpreter.
    """

    def __init__(self) -> None:
        self._deadlines: dict[int, tuple[sqlite3.Connection, float]] = {}
        self._changing, self._numbers, self._looks = threading.Lock(), itertools.count(), False

    @contextmanager
    def on(self, connection: sqlite3.Connection, deadline: float) -> Iterator[None]:
        """Watch one search."""
        with self._changing:
            number = next(self._numbers)
            self._deadlines[number] = connection, deadline
            if not self._looks:
                self._looks = True
                threading.Thread(target=self._look, daemon=True).start()
        try:
            yield
        finally:
            with self._changing:  # from here on the connection may be another search's
                del self._deadlines[number]

    def _look(self) -> None:
        idle = 0
        while idle * _TICK < SECONDS:
            time.sleep(_TICK)
            with self._changing:
                idle = 0 if self._deadlines else idle + 1
                for connection, deadline in self._deadlines.values():
                    if time.monotonic() > deadline:
                        with suppress(sqlite3.Error):  # it was closed meanwhile
                            connection.interrupt()
                if idle * _TICK >= SECONDS:
                    self._looks = False


_WATCH = _Watch()


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
