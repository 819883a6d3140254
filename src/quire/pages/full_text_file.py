"""The file of a search index: which documents it is of, and a checksum that no damage goes unnoticed by.

SQLite has no checksums of its own, and an index with a wrong bit answers with wrong documents.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl

from quire.pages.full_text_query import TOKENIZE
from quire.pages.full_text_readers import code_of, read_only

_SCHEMA = 3  # raised when an older index could no longer be used
_PLACES = (60, 68)  # user_version and application_id in the header, which SQLite leaves to us
_SIZE = 4  # bytes of each
_PIECE = 1 << 20


def key_of(documents: pl.DataFrame) -> str:
    """Return what tells these documents from any others, and this kind of index from older ones."""
    digest = hashlib.sha256(f"{_SCHEMA} {len(documents)} ".encode())
    digest.update(documents.hash_rows(seed=0).to_numpy().tobytes())
    return digest.hexdigest()


def fresh_index(path: str) -> sqlite3.Connection:
    """Return an empty index that no other process can use until it is complete; '': a temporary one."""
    connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
    for setting in ("journal_mode = MEMORY", "synchronous = OFF", "page_size = 8192", "cache_size = -65536"):
        connection.execute(f"PRAGMA {setting}")  # a file that breaks off is made anew, so it need not be safe
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("CREATE TABLE about(key TEXT)")
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(id, title, text, content='', tokenize='{TOKENIZE}')")
    connection.commit()
    return connection


def seal(path: Path) -> None:
    """Write the checksum of a complete index into its header; no connection may write to it any more."""
    checksum = _checksum(path)
    with path.open("r+b") as file:
        for number, place in enumerate(_PLACES):
            file.seek(place)
            file.write(checksum[number * _SIZE : (number + 1) * _SIZE])


def is_kept(path: Path, key: str) -> bool:
    """Say whether a file is the complete index of these documents, as it was written; an error: it is in use."""
    if not path.is_file():
        return False
    with closing(read_only(path)) as connection:
        try:
            known = connection.execute("SELECT key FROM about").fetchone() == (key,)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if code_of(error) == sqlite3.SQLITE_BUSY:  # another process is building it
                raise
            return False
    return known and _sealed_with(path) == _checksum(path)


def _sealed_with(path: Path) -> bytes:
    with path.open("rb") as file:
        head = file.read(_PLACES[-1] + _SIZE)
    return b"".join(head[place : place + _SIZE] for place in _PLACES)


def _checksum(path: Path) -> bytes:
    """Return a hash of all bytes but those where it is written."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        head = bytearray(file.read(_PIECE))
        for place in _PLACES:
            head[place : place + _SIZE] = bytes(_SIZE)
        digest.update(head)
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.digest()[: len(_PLACES) * _SIZE]
