"""How far a compressed file may expand: a decompression bomb is refused before it fills the memory."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import IO, Protocol

VARIABLE = "QUIRE_EXPANSION"
_TIMES = 100  # texts and matrices come to 3 to 30 times, bombs to 1,000 times and more
_FREE = 1 << 28  # bytes that anything may expand to
_PIECE = 1 << 20  # bytes at a time
_MOST_TIMES = 1100  # what deflate can come to, and more
_GZIP = 16 + zlib.MAX_WBITS
_ZSTD, _SKIPPABLE = 0xFD2FB528, 0x184D2A5  # how frames of Zstandard begin (RFC 8878); of the other, the first 28 bits
_ZSTD_BLOCK = 1 << 17  # bytes that a block can expand to
_RAW, _REPEATED = 0, 1  # blocks that say their own size


class Decompressor(Protocol):
    """Of bz2 or lzma."""

    @property
    def eof(self) -> bool:
        """Whether a stream has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether more must be given before more comes."""

    @property
    def unused_data(self) -> bytes:
        """What came after its end."""

    def decompress(self, data: bytes, /, max_length: int) -> bytes:
        """Take some bytes, give at most so many."""


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


def decompressed(path: Path, new: Callable[[], Decompressor], size: int | None) -> bytes:
    """Return what a file holds, or so many bytes of it; refuse it as soon as it has expanded too far."""
    pieces, total, unpacker, data, begun = list[bytes](), 0, new(), b"", False
    packed = path.stat().st_size
    with path.open("rb") as file:
        while size is None or total < size:
            if not data and unpacker.needs_input and not (data := file.read(_PIECE)):
                break
            pieces.append(unpacker.decompress(data, _PIECE))
            total, data, begun = total + len(pieces[-1]), b"", True
            check_size(total, packed, str(path))
            if unpacker.eof:  # another stream may follow
                data, unpacker, begun = unpacker.unused_data, new(), False
    if begun and (size is None or not total):
        raise EOFError
    return b"".join(pieces)[:size]


def check_zstd(path: Path) -> None:
    """Refuse a Zstandard file that may expand too far; nothing is decompressed, as its blocks say enough."""
    size = path.stat().st_size
    with path.open("rb") as file:
        check_size(_zstd_bytes(file, most_bytes(size)), size, str(path))


def _zstd_bytes(file: IO[bytes], most: int) -> int:
    """Return how many bytes a file expands to at the most; damage is left to its reader."""
    total = 0
    while total <= most and len(begin := file.read(4)) == 4:
        magic = int.from_bytes(begin, "little")
        if magic >> 4 == _SKIPPABLE:
            file.seek(int.from_bytes(file.read(4), "little"), os.SEEK_CUR)
        elif magic == _ZSTD:
            total += _zstd_frame(file, most)
        else:
            break
    return total


def _zstd_frame(file: IO[bytes], most: int) -> int:
    """Go from block to block of a frame; return the sum of what they may expand to."""
    about = int.from_bytes(file.read(1), "little")
    single, content, dictionary = about >> 5 & 1, about >> 6, about & 3
    file.seek((0 if single else 1) + (0, 1, 2, 4)[dictionary] + (single, 2, 4, 8)[content], os.SEEK_CUR)
    total = 0
    while total <= most and len(header := file.read(3)) == 3:
        last, kind, size = header[0] & 1, header[0] >> 1 & 3, int.from_bytes(header, "little") >> 3
        total += size if kind in (_RAW, _REPEATED) else _ZSTD_BLOCK
        file.seek(1 if kind == _REPEATED else size, os.SEEK_CUR)
        if last:
            file.seek(4 * (about >> 2 & 1), os.SEEK_CUR)  # a checksum
            break
    return total
