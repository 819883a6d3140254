"""Compression on all cores: pieces of a gzip stream, each deflated by itself."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from quire.places.machine import allowed_threads, in_order

_LEVEL = 5  # the next one takes twice the time for two bytes in a hundred
_SAMPLES, _SAMPLE = 4, 1 << 13  # of a piece, by which it is found out how to deflate it; bytes of each
_PIECE = 1 << 20  # fixed, so that threads change no byte; where pieces meet hardly anything is lost
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # no name, no time, no system
_END = b"\x03\x00"  # an empty last block


class Deflated(NamedTuple):
    """The beginning of a gzip stream, which may go on."""

    pieces: tuple[bytes, ...] = ()
    checksum: int = 0
    size: int = 0

    def then(self, data: bytes) -> Deflated:
        """Go on with more data."""
        view, starts = memoryview(data), range(0, len(data), _PIECE)
        more = in_order(_deflated, ((view[at : at + _PIECE],) for at in starts), min(allowed_threads(), len(starts)))
        return Deflated((*self.pieces, *more), zlib.crc32(data, self.checksum), self.size + len(data))

    def ended(self) -> bytes:
        """Return the whole stream."""
        return b"".join([_HEADER, *self.pieces, _END, struct.pack("<II", self.checksum, self.size & 0xFFFFFFFF)])


def _deflated(piece: memoryview) -> bytes:
    """Return raw blocks that end at a whole byte."""
    some = b"".join(piece[at : at + _SAMPLE] for at in range(0, len(piece), max(_SAMPLE, len(piece) // _SAMPLES)))
    # Columns of numbers hardly repeat anything: to look for it takes ten times as long, and may cost bytes.
    plain = len(_blocks(some, zlib.Z_RLE)) <= len(_blocks(some, zlib.Z_DEFAULT_STRATEGY))
    return _blocks(piece, zlib.Z_RLE if plain else zlib.Z_DEFAULT_STRATEGY)


def _blocks(data: bytes | memoryview, strategy: int) -> bytes:
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, strategy=strategy)
    return stream.compress(data) + stream.flush(zlib.Z_SYNC_FLUSH)
