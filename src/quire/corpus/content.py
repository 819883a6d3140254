"""The bytes of a file, decompressed, and what kind of thing they are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

import polars as pl

from quire.corpus.expansion import Decompressor, check_gzip, check_zstd, decompressed
from quire.corpus.imports import imported
from quire.corpus.presence import check_utf8

GZIP, ZSTD, BZIP2, XZ = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\0"
_BLOCK = b"1AY&SY"  # what a file of bzip2 begins with, after its mark and a digit
_XZ_MEMORY = 1 << 28  # bytes that xz may take, beside what a file expands to
HEAD = 65_536  # bytes that are enough for a header line, and to tell what a file holds
PIECE = 1 << 20  # characters
SIGNATURES = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an Office document",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"PAR1": "a Parquet file",
    b"SQLite format 3": "an SQLite database",
    b"\x80\x04\x95": "a Python pickle",
    b"\x93NUMPY": "a NumPy array",
}
CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b"))


def content(path: Path) -> bytes:
    """Return the bytes of a file, decompressed where they are compressed."""
    return _read(path, None)


def head(path: Path) -> bytes:
    """Return the first bytes of a file, decompressed."""
    return _read(path, HEAD)


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed."""
    magic = _magic(path)
    return magic.startswith((ZSTD, GZIP)) or _decompressor(magic) is not None


def is_packed_for_others(path: Path) -> bool:
    """Return whether a file is compressed in a way that polars does not know."""
    return _decompressor(_magic(path)) is not None


def opened_bytes(path: Path) -> IO[bytes]:
    """Open a file to be read piece by piece, decompressed; all but gzip is decompressed at once."""
    magic = _magic(path)
    if magic.startswith(ZSTD) or _decompressor(magic) is not None:
        return io.BytesIO(content(path))
    if not magic.startswith(GZIP):
        return path.open("rb")
    check_gzip(path)
    return cast(IO[bytes], gzip.open(path))


def text_lines(source: Path | str) -> Iterator[str]:
    r"""Yield the lines of a file in UTF-8, or of a text, one by one; they end at line feeds only."""
    if isinstance(source, str):
        yield from io.StringIO(source, newline="\n")
    else:
        with io.TextIOWrapper(opened_bytes(source), encoding="utf-8-sig", newline="\n") as lines:
            yield from lines


def is_plain(path: Path, start: bytes) -> bool:
    """Return whether all of a file that begins like this is UTF-8 without a mark, in lines."""
    if start.startswith(BOM_UTF8) or b"\n" not in start:
        return False
    try:
        with io.TextIOWrapper(opened_bytes(path), encoding="utf-8") as text:
            while text.read(PIECE):
                pass
    except (UnicodeDecodeError, EOFError, OSError, zlib.error):
        return False
    return True


def _magic(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(10)


def _decompressor(magic: bytes) -> Callable[[], Decompressor] | None:
    """Return what decompresses files that begin like this, if Python does that piece by piece."""
    if magic.startswith(XZ):
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)
    return bz2.BZ2Decompressor if magic.startswith(BZIP2) and magic[4:] == _BLOCK else None


def is_binary(start: bytes) -> bool:
    r"""Return whether bytes hold more control characters than text does; UTF-16 must be decoded before."""
    start = start[:HEAD]
    return len(start) - len(start.translate(None, CONTROL)) > len(start) / 20


def what_it_is(start: bytes) -> str | None:
    """Return what a file is that does not hold text, by its first bytes; None for text."""
    for signature, name in SIGNATURES.items():
        if start.startswith(signature):
            return name
    try:
        # A table may hold control characters; the end may be cut off.
        start[: max(len(start) - 3, 0)].decode()
    except UnicodeDecodeError as error:
        if is_binary(start) and error.end < len(start) - 3:
            return "binary"
    return None


def _packing(magic: bytes) -> str:
    return "gzip" if magic.startswith(GZIP) else "xz" if magic.startswith(XZ) else "bzip2"


def _read(path: Path, size: int | None) -> bytes:
    magic = b""
    try:
        with path.open("rb") as file:
            magic = file.read(10)
            file.seek(0)
            if (new := _decompressor(magic)) is not None:
                return decompressed(path, new, size)
            if magic.startswith(ZSTD):
                check_zstd(path)
                return _unzstd(path, size)
            if magic.startswith(GZIP):
                check_gzip(path)
                with gzip.open(file) as unzipped:
                    return unzipped.read(-1 if size is None else size)
            return file.read(-1 if size is None else size)
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError):
        raise ValueError(f"{path} is damaged: its {_packing(magic)} data end too early or do not decompress.") from None
    except OSError as error:
        if magic.startswith(BZIP2) and error.strerror is None:  # so it says that data are damaged
            raise ValueError(f"{path} is damaged: its bzip2 data do not decompress.") from None
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"{path} cannot be read ({reason}): check the path and its permissions.") from None


def _unzstd(path: Path, size: int | None) -> bytes:
    """Decompress Zstandard with Python 3.14's own module, else with polars, which wants valid UTF-8."""
    try:
        zstd = imported("compression.zstd")
    except ImportError:
        return _unzstd_by_polars(path, size)
    try:
        with zstd.open(path) as file:
            return bytes(file.read(-1 if size is None else size))
    except (EOFError, zstd.ZstdError):
        raise ValueError(f"{path} is damaged: its Zstandard data do not decompress.") from None


def _unzstd_by_polars(path: Path, size: int | None) -> bytes:
    check_utf8(path)
    lines = pl.scan_lines(path, glob=False)
    try:
        frame = (lines if size is None else lines.head(100)).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise ValueError(
            f"{path} does not decompress to UTF-8 text, and other Zstandard files need Python 3.14: "
            "decompress it first (zstd -d)."
        ) from None
    text = frame.to_series().str.join("\n").item() or ""
    return str(text).encode()
