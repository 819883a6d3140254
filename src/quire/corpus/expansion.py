"""How far a compressed file may expand: a decompression bomb is refused before it fills the memory."""

from __future__ import annotations

import os
import zipfile
import zlib
from functools import lru_cache
from pathlib import Path
from typing import IO

VARIABLE = "QUIRE_EXPANSION"
_TIMES = 100  # texts and matrices come to 3 to 30 times, bombs to 1,000 times and more
_FREE = 1 << 28  # bytes that anything may expand to
_PIECE = 1 << 20  # bytes at a time
_MOST_TIMES = 1100  # what deflate can come to, and more
_GZIP = 16 + zlib.MAX_WBITS


def most_bytes(size: int) -> int:
    """Return the bytes to which so many compressed ones may expand."""
    return max(_FREE, allowed_times() * size)


def allowed_times() -> int:
    """Return how many times its size a file may expand to: what the environment says, or the usual bound."""
    given = os.environ.get(VARIABLE, str(_TIMES))
    if not given.isdecimal() or int(given) < 1:
        raise ValueError(f"{VARIABLE}={given} is no number of times that a file may expand to: set it to {_TIMES}.")
    return int(given)


def check_size(expanded: int, size: int, name: str) -> None:
    """Refuse what would expand further than a file of this size may."""
    if expanded > most_bytes(size):
        raise ValueError(
            f"{name} expands to more than {most_bytes(size):,} bytes from {size:,}, as a decompression bomb does: if "
            f"it is none, set {VARIABLE}={10 * allowed_times()} in the environment, for ten times as much as now."
        )


def check_archive(file: Path | IO[bytes], size: int, name: str) -> None:
    """Refuse a ZIP archive whose members expand too far together; what is no archive is left to its reader."""
    try:
        with zipfile.ZipFile(file) as archive:
            expanded = sum(member.file_size for member in archive.infolist())  # and no more is read of a member
    except Exception:  # damaged archives raise nearly anything
        return
    check_size(expanded, size, name)


def check_gzip(path: Path) -> None:
    """Refuse a gzip file that expands too far; it is decompressed once, a piece at a time, and not kept."""
    about = path.stat()
    size, most = about.st_size, most_bytes(about.st_size)
    if _MOST_TIMES * size > most:
        check_size(_gzip_bytes(path, size, about.st_mtime_ns, most), size, str(path))


@lru_cache(maxsize=1024)
def _gzip_bytes(path: Path, size: int, changed: int, most: int) -> int:
    """Return how many bytes a file expands to, or some number above ``most``; damage is left to its reader."""
    total, unpacker, data = 0, zlib.decompressobj(_GZIP), b""
    with path.open("rb") as file:
        try:
            while total <= most and (data := data or file.read(_PIECE)):
                total += len(unpacker.decompress(data, _PIECE))
                data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
                if unpacker.eof:  # another member may follow
                    unpacker = zlib.decompressobj(_GZIP)
        except zlib.error:
            pass
    return total
