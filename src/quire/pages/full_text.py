"""Search in the texts of a run: an SQLite FTS5 index, built aside while searches already answer."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.pages.full_text_file import fresh_index, is_kept, key_of, seal
from quire.pages.full_text_query import Query, passages, searchable
from quire.pages.full_text_readers import SECONDS, Readers, is_damage, read_only
from quire.places.atomic import whole_file
from quire.places.machine import allowed_threads

SEARCH = "search.sqlite"
MOST = 200  # documents that one search lists
RANKED = 20_000  # matches that are counted and ranked: beyond, a search would take more than 300 ms
_BATCH, _CHARACTERS = 4_000, 2_000_000  # that are added at once: a search waits no longer than that takes
_RANKED = f"""
    SELECT rowid, count(*) OVER () FROM (
        SELECT rowid, bm25(words, 8.0, 4.0, 1.0) AS score FROM words WHERE words MATCH ? LIMIT {RANKED + 1}
    ) ORDER BY score, rowid LIMIT ?
"""  # ids count eight times as much as text, titles four times

_ALL = "SELECT rowid FROM words WHERE words MATCH ?"


class _ClosedError(Exception):
    """The index is not wanted any more: what there is of it is no whole one."""


class FullText:
    """An index over ids, titles and texts, kept in a file and used again when it fits the documents.

    The index holds words and places but no text: passages are made from the documents in memory. It is
    built by a thread of its own; until it is complete, searches answer with what is there, one at a time.
    Once it is, several read it at the same time. A search that takes too long is broken off
    (:class:`~quire.pages.full_text_readers.TooMuchWorkError`).
    """

    # A file that is damaged, incomplete, or of other documents is replaced; where nothing can be written, or
    # another process is building the same file, the index lives in a temporary file.
    # Of a query with more than 20,000 matches, the first 20,000 by row are ranked, ``total`` is 20,000 and
    # ``more`` is true.

    def __init__(self, path: str | Path | None, documents: pl.DataFrame) -> None:
        self._path = None if path is None else Path(path)  # None: in a temporary file alone
        known = [name for name in ("id", "title", "text") if name in documents.columns]
        missing = [pl.lit("").alias(name) for name in ("id", "title", "text") if name not in known]
        self._documents = documents.select(*(pl.col(name).cast(pl.String) for name in known), *missing).fill_null("")
        self._shown = [self._documents[name] for name in ("id", "title", "text")]
        self._titled = "title" in known
        self._readers = Readers()
        self._mending = threading.Lock()
        self._done = 0
        self._closed = False
        self._begin(reuse=True)

    @property
    def ready(self) -> float:
        """How much of the index is there, from 0 to 1."""
        return self._done / len(self._documents) if len(self._documents) else 1.0

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the index is complete; false where it is not, because time is over or it failed."""
        self._thread.join(timeout)
        return self.ready == 1.0

    def close(self) -> None:
        """End building, break off searches, and let go of the file."""
        self._closed = True
        self._thread.join()
        self._readers.close()

    def search(self, q: str | Query, limit: int = 50) -> dict[str, Any]:
        """Return the documents in which all words of a query occur, best first (``Found`` in payload.ts)."""
        query, began = q if isinstance(q, Query) else Query.of(q), time.monotonic()
        rows, total = self._ranked(query, limit)
        ids, titles, texts = ([values[row] for row in rows] for values in self._shown)  # sooner than rows of a frame
        shown = zip(rows, ids, titles, passages(texts, query, began + 2 * SECONDS))
        return {
            "documents": [
                {"row": row, "id": id, "title": (title or None) if self._titled else None, "passage": passage}
                for row, id, title, passage in shown
            ],
            "total": min(total, RANKED),
            "more": total > RANKED,
            "ready": self.ready,
        }

    def rows(self, q: str | Query) -> NDArray[np.uint32] | None:
        """Return every document in which all words of a query occur, in no order; None while the index is made."""
        query = q if isinstance(q, Query) else Query.of(q)
        if self.ready < 1.0:
            return None
        rows = self._matches(_ALL, (query.all_of,)) if query.all_of and self._readers else []
        return None if rows is None else np.array([row for (row,) in rows], np.uint32)

    def _ranked(self, query: Query, limit: int) -> tuple[list[int], int]:
        if not query.all_of or not self._readers:
            return [], 0
        matches = self._matches(_RANKED, (query.all_of, min(limit, MOST)))
        return [row for row, _ in matches or ()], matches[0][1] if matches else 0

    def _matches(self, asked: str, given: tuple[Any, ...]) -> list[tuple[int, ...]] | None:
        """Ask the index; None where it turns out to be damaged, and is built anew."""
        try:
            with self._readers.searching() as connection:
                matches = connection.execute(asked, given).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if not is_damage(error):
                raise
            matches = [(-1,)]
        if any(not 0 <= match[0] < len(self._documents) for match in matches):
            self._mend()
            return None
        return matches

    def _mend(self) -> None:
        """Build anew: the file was damaged where nobody had looked yet."""
        with self._mending:
            if not self._thread.is_alive():  # another search may have noticed it too
                self._readers.close()
                self._begin(reuse=False)

    def _begin(self, reuse: bool) -> None:
        self._done = 0
        self._thread = threading.Thread(target=self._prepare, args=(reuse,), daemon=True)
        self._thread.start()

    def _prepare(self, reuse: bool) -> None:
        """Use the file again, or build it; where that fails, build a temporary one."""
        key = key_of(self._documents)
        if self._path is None:
            with suppress(sqlite3.Error, _ClosedError):
                self._build("", key)
            return
        try:
            if reuse and is_kept(self._path, key):
                self._readers = Readers()
                self._add_readers(self._path)
                self._done = len(self._documents)
                return
            with whole_file(self._path) as part:  # which this connection goes on to use under its new name
                self._build(str(part), key)
                seal(part)
            self._add_readers(self._path)
        except (sqlite3.Error, OSError):
            self._readers.close()
            with suppress(sqlite3.Error, _ClosedError):  # a disk that is full twice: search finds what is there
                self._build("", key)
        except _ClosedError:
            return

    def _add_readers(self, path: Path) -> None:
        for _ in range(max(2, allowed_threads())):
            if not self._closed:
                self._readers.add(read_only(path))

    def _build(self, path: str, key: str) -> None:
        self._readers, self._done = readers, _ = Readers(), 0
        readers.add(fresh_index(path))
        for batch in self._batches():
            with readers.lent() as connection, connection:  # a transaction
                connection.executemany("INSERT INTO words(rowid, id, title, text) VALUES (?, ?, ?, ?)", batch)
            if self._closed:
                raise _ClosedError
            self._done = batch[-1][0] + 1
            time.sleep(0.001)  # a search that waits for the connection gets it
        with readers.lent() as connection:
            with connection:
                connection.execute("INSERT INTO about VALUES (?)", (key,))
            connection.execute("PRAGMA locking_mode = NORMAL")
            connection.execute("SELECT key FROM about").fetchone()  # only now others may read the file

    def _batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """Yield documents with their rows, few enough to be added while a search waits."""
        batch: list[tuple[Any, ...]] = []
        size = 0
        for row, values in enumerate(self._documents.iter_rows()):
            batch.append((row, *(value and searchable(value) for value in values)))
            size += sum(len(value or "") for value in values)
            if len(batch) >= _BATCH or size >= _CHARACTERS:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch
