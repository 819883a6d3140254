"""Search in the texts of a run: an SQLite FTS5 index, built aside while searches already answer."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from quire.pages.full_text_query import TOKENIZE, Query, passages
from quire.places.atomic import whole_file

SEARCH = "search.sqlite"
MOST = 200  # documents that one search lists
RANKED = 20_000  # matches that are counted and ranked: beyond, a search would take more than 300 ms
_SCHEMA = 1  # raised when an older index could no longer be used
_BATCH = 4_000  # documents that are added at once: a search waits no longer than that takes
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR}
_RANKED = f"""
    SELECT rowid, count(*) OVER () FROM (
        SELECT rowid, bm25(words, 8.0, 4.0, 1.0) AS score FROM words WHERE words MATCH ? LIMIT {RANKED + 1}
    ) ORDER BY score, rowid LIMIT ?
"""  # ids count eight times as much as text, titles four times


class _ClosedError(Exception):
    """The index is not wanted any more: what there is of it is no whole one."""


class FullText:
    """An index over ids, titles and texts, kept in a file and used again when it fits the documents.

    The index holds words and places but no text: passages are made from the documents in memory. It is
    built by a thread of its own; until it is complete, searches answer with what is there.
    """

    # A file that is damaged, incomplete, or of other documents is replaced; where nothing can be written, or
    # another process is building the same file, the index lives in a temporary file.
    # Of a query with more than 20,000 matches, the first 20,000 by row are ranked, ``total`` is 20,000 and
    # ``more`` is true.

    def __init__(self, path: str | Path, documents: pl.DataFrame) -> None:
        self._path = Path(path)
        known = [name for name in ("id", "title", "text") if name in documents.columns]
        missing = [pl.lit("").alias(name) for name in ("id", "title", "text") if name not in known]
        self._documents = documents.select(*(pl.col(name).cast(pl.String) for name in known), *missing)
        self._titled = "title" in known
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()  # one connection for all threads, used by one at a time
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
        """End building and let go of the file."""
        self._closed = True
        self._thread.join()
        self._let_go()

    def search(self, q: str, limit: int = 50) -> dict[str, Any]:
        """Return the documents in which all words of a query occur, best first (``Found`` in payload.ts)."""
        query = Query.of(q)
        rows, total = self._ranked(query, limit)
        documents = self._documents[rows]
        texts = documents["text"].fill_null("").to_list()
        shown = zip(rows, documents["id"], documents["title"], passages(texts, query))
        return {
            "documents": [
                {"row": row, "id": id, "title": (title or None) if self._titled else None, "passage": passage}
                for row, id, title, passage in shown
            ],
            "total": min(total, RANKED),
            "more": total > RANKED,
            "ready": self.ready,
        }

    def _ranked(self, query: Query, limit: int) -> tuple[list[int], int]:
        try:
            with self._lock:
                if not query.all_of or self._connection is None:
                    return [], 0
                matches = self._connection.execute(_RANKED, (query.all_of, min(limit, MOST))).fetchall()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGE:
                raise
            self._mend()
            return [], 0
        return [row for row, _ in matches], matches[0][1] if matches else 0

    def _mend(self) -> None:
        """Build anew: the file was damaged where nobody had looked yet."""
        with self._mending:
            if not self._thread.is_alive():  # another search may have noticed it too
                self._let_go()
                self._begin(reuse=False)

    def _begin(self, reuse: bool) -> None:
        self._done = 0
        self._thread = threading.Thread(target=self._prepare, args=(reuse,), daemon=True)
        self._thread.start()

    def _let_go(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _prepare(self, reuse: bool) -> None:
        """Use the file again, or build it; where that fails, build a temporary one."""
        key = _key(self._documents)
        try:
            connection = _kept(self._path, key) if reuse else None
            if connection is not None:
                self._connection, self._done = connection, len(self._documents)
                return
            with whole_file(self._path) as part:  # which this connection goes on to use under its new name
                self._build(str(part), key)
        except (sqlite3.Error, OSError):
            self._let_go()
            with suppress(sqlite3.Error, _ClosedError):  # a disk that is full twice: search finds what is there
                self._build("", key)
        except _ClosedError:
            return

    def _build(self, path: str, key: str) -> None:
        connection = _fresh(path)
        with self._lock:
            self._connection, self._done = connection, 0
        for start in range(0, len(self._documents), _BATCH):
            if self._closed:
                raise _ClosedError
            rows = self._documents.slice(start, _BATCH).iter_rows()
            with self._lock, connection:  # a transaction
                connection.executemany(
                    "INSERT INTO words(rowid, id, title, text) VALUES (?, ?, ?, ?)",
                    ((start + i, *row) for i, row in enumerate(rows)),
                )
            self._done = min(start + _BATCH, len(self._documents))
            time.sleep(0.001)  # a search that waits for the lock gets it
        with self._lock, connection:
            connection.execute("INSERT INTO about VALUES (?)", (key,))
        with self._lock:
            connection.execute("PRAGMA locking_mode = NORMAL")
            connection.execute("SELECT key FROM about").fetchone()  # only now others may read the file


def _key(documents: pl.DataFrame) -> str:
    """Return what tells these documents from any others, and this kind of index from older ones."""
    digest = hashlib.sha256(f"{_SCHEMA} {len(documents)} ".encode())
    digest.update(documents.hash_rows(seed=0).to_numpy().tobytes())
    return digest.hexdigest()


def _kept(path: Path, key: str) -> sqlite3.Connection | None:
    """Return the index in a file, where it is complete and of these documents; an error: it is in use."""
    if not path.is_file():
        return None
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0, check_same_thread=False)
    try:
        if connection.execute("SELECT key FROM about").fetchone() == (key,):
            return connection
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:  # another process is building it
            connection.close()
            raise
    connection.close()
    return None


def _fresh(path: str) -> sqlite3.Connection:
    """Return an empty index that no other process can use until it is complete; '': a temporary one."""
    connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
    for setting in ("journal_mode = MEMORY", "synchronous = OFF", "page_size = 8192", "cache_size = -65536"):
        connection.execute(f"PRAGMA {setting}")  # a file that breaks off is made anew, so it need not be safe
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("CREATE TABLE about(key TEXT)")
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(id, title, text, content='', tokenize='{TOKENIZE}')")
    connection.commit()
    return connection
