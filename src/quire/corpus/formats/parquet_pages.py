"""What a Parquet file says of its pages, looked at before Polars believes it.

A page that claims to hold more values than its column has makes Polars ask for as much memory, which ends the process.
So headers are read here first: those of the file and, from page to page, those of every column. They are structs of
Thrift's compact protocol; what stands in the pages is not looked at.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.expansion import check_size
from quire.corpus.presence import check_utf8

_MAGIC, _TAIL = b"PAR1", 8  # how a file begins and ends; the bytes of its end with the size of what is before
_DEEPEST = 16  # structs inside each other
_BYTES_OF_VALUE = 8  # that one takes in memory at the least, if only as a view of a text
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_WHOLE = (4, 5, 6)  # 16, 32 and 64 bits, all written alike
# The numbers of fields, as parquet.thrift has them.
_ROW_GROUPS, _COLUMNS, _FILE_PATH, _META_DATA = 4, 1, 1, 3
_NUM_VALUES, _DATA_PAGE, _DICTIONARY_PAGE = 5, 9, 11
_UNCOMPRESSED, _COMPRESSED, _PAGE, _DICTIONARY, _PAGE_V2 = 2, 3, 5, 7, 8


def scan_parquet(path: Path) -> pl.LazyFrame:
    """Return a file to be read by Polars, once its pages were looked at."""
    check_pages(path)
    check_utf8(path)
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def check_pages(path: Path) -> None:
    """Refuse a file whose pages cannot be as they say, as Polars refuses one that is damaged, or that is a bomb."""
    with path.open("rb") as file:
        if path.stat().st_size < 2 * _TAIL:
            raise _impossible("it is too short")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            check_content(data, str(path))


def check_content(data: bytes | mmap.mmap, name: str) -> None:
    """Do the same with what such a file holds."""
    end = len(data) - _TAIL
    if end < len(_MAGIC) or data[-len(_MAGIC) :] != _MAGIC:
        raise _impossible("it has no end")
    start = end - int.from_bytes(data[end : end + 4], "little")
    if start < len(_MAGIC):
        raise _impossible("its footer is longer than it is")
    try:
        for group in Thrift(data, start, end).struct().get(_ROW_GROUPS, []):
            for column in group.get(_COLUMNS, []):
                if not column.get(_FILE_PATH):  # whose pages lie elsewhere, where nobody reads them
                    _check_column(data, column.get(_META_DATA, {}), start, name)
    except (AttributeError, TypeError, LookupError):  # of another kind than they should be
        raise _impossible("its headers are none") from None


def _check_column(data: bytes | mmap.mmap, column: dict[int, Any], end: int, name: str) -> None:
    """Go from page to page of a column, up to as many values as it should have."""
    values, held, expanded = column.get(_NUM_VALUES, 0), 0, 0
    at = min((one for one in (column.get(_DICTIONARY_PAGE, 0), column.get(_DATA_PAGE, 0)) if one > 0), default=0)
    if values < 0:
        raise _impossible("a column is not as it says")
    check_size(_BYTES_OF_VALUE * values, len(data), name)
    while held < values:
        reader = Thrift(data, at, end)
        header = reader.struct()
        packed, unpacked = header[_COMPRESSED], header[_UNCOMPRESSED]
        at = reader.at + packed
        page = header.get(_PAGE) or header.get(_PAGE_V2)
        of_page = page or header.get(_DICTIONARY) or {}
        n = of_page.get(1, 0)
        held += n if page else 0
        expanded += unpacked
        if packed < 0 or unpacked < 0 or n < 0 or at > end or held > values or (not page and n > unpacked):
            raise _impossible("a page is not as it says")
        check_size(expanded, len(data), name)


def _impossible(why: str) -> pl.exceptions.ComputeError:
    return pl.exceptions.ComputeError(why)


class Thrift:
    """A struct of Thrift's compact protocol, read as a table of values by the numbers of their fields."""

    def __init__(self, data: bytes | mmap.mmap, at: int, end: int) -> None:
        self._data, self.at, self._end = data, at, end

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a struct up to its end."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _WHOLE:
            return self._whole()
        if kind == _BINARY:
            return self._skip(self._varint())
        if kind in (_LIST, _SET) and depth < _DEEPEST:
            head = self._byte()
            size = head >> 4 if head >> 4 != 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(self._possible(size))]
        if kind == _STRUCT and depth < _DEEPEST:
            return self.struct(depth + 1)
        if kind == _MAP and depth < _DEEPEST:
            size = self._possible(self._varint())
            kinds = self._byte() if size else 0
            return [[self._value(one, depth + 1) for one in (kinds >> 4, kinds & 15)] for _ in range(size)]
        if kind in (_TRUE, _FALSE, _BYTE, _DOUBLE):
            return self._skip(8 if kind == _DOUBLE else 1)
        raise _impossible("its headers are none")

    def _whole(self) -> int:
        n = self._varint()
        return n >> 1 ^ -(n & 1)

    def _varint(self) -> int:
        n = shift = 0
        while True:
            byte = self._byte()
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n
            if shift > 63:
                raise _impossible("its headers are none")

    def _byte(self) -> int:
        return self._data[self._skip(1)]

    def _skip(self, size: int) -> int:
        """Go past so many bytes; return where they begin."""
        at = self.at
        self.at += self._possible(size)
        return at

    def _possible(self, size: int) -> int:
        """Return a size of what is still to come: a byte each at the least."""
        if not 0 <= self.at <= self.at + size <= self._end:
            raise _impossible("its headers are none")
        return size
