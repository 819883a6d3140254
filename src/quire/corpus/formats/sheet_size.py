"""How many cells a spreadsheet comes to: one far cell makes its reader hold all that lie before it."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Mapping

from quire.corpus.expansion import check_archive, most_bytes
from quire.corpus.formats.compound import MAGIC, has_sound_chains
from quire.corpus.formats.format import needed
from quire.corpus.formats.safe_xml import walk

_CELL = 64  # bytes that a cell takes when read, about
_MARK = re.compile(r"([A-Z]{0,7})(\d{1,10})")
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 1 << 14  # of a sheet; the reader makes more of them as many
# Records of BIFF8 that begin with a row and a column, those of several columns, and the bounds of a sheet.
_WRAPPED = 1 << 32  # bounds that end before they begin: the reader takes their difference for a number of 32 bits
_CELLS, _RANGES, _BOUNDS = {0x06, 0xD6, 0xFD, 0x201, 0x203, 0x204, 0x205, 0x27E}, {0xBD, 0xBE}, 0x200


def check_cells(raw: bytes, name: str) -> None:
    """Refuse a spreadsheet that comes to more cells than its size allows, before anything else reads it."""
    if raw.startswith(b"PK"):
        check_archive(io.BytesIO(raw), len(raw), name)
        cells = _zipped(raw, name)
    elif raw.startswith(MAGIC):
        cells = _old(raw, name)
    else:
        raise ValueError(f"{name} is no spreadsheet: give it the ending of what it holds (.csv, .txt, …).")
    if _CELL * cells > most_bytes(len(raw)):
        raise ValueError(
            f"{name} comes to {cells:,} cells, nearly all of them empty, as with a stray cell far below or beside the "
            "table: delete what lies beyond the table, or save it as CSV."
        )


def _zipped(raw: bytes, name: str) -> int:
    """Return the cells of the largest sheet of an .xlsx file, and of all sheets of an .ods file."""
    most = 0
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if "xl/workbook.bin" in archive.namelist():
                raise ValueError(f"{name} is a binary workbook (.xlsb): save it as .xlsx.")
            for member in archive.infolist():
                with archive.open(member) as file:
                    if file.read(64).lstrip(b"\xef\xbb\xbf\r\n\t ")[:1] not in (b"<", b"\xff", b"\xfe"):
                        continue  # a picture
                    file.seek(0)
                    sheet = _Bounds()
                    walk(file, sheet.start, sheet.end)
                    most = max(most, sheet.rows * sheet.columns, sheet.repeated)
    except Exception as error:  # damaged archives raise nearly anything
        raise (error if str(error).startswith(name) else damaged(name)) from None
    return most


class _Bounds:
    """Follows the elements of a sheet: cells of .xlsx say where they are, those of .ods how often they come."""

    def __init__(self) -> None:
        self.rows = self.columns = self.repeated = 0
        self._row = self._column = self._height = self._width = self._times = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in ("c", "row") and (at := _MARK.fullmatch(attributes.get("r", ""))):
            self.rows = max(self.rows, int(at[2]))
            self.columns = max(self.columns, _number(at[1]))
        elif name == "table-row":
            self._times, self._column = _times(attributes, "number-rows-repeated"), 0
        elif name in ("table-cell", "covered-table-cell"):
            self._column = min(self._column + _times(attributes, "number-columns-repeated"), _MOST_COLUMNS)
            if "value-type" in attributes:
                self._filled()
        elif name == "p" and self._column:
            self._filled()

    def _filled(self) -> None:
        self._width = max(self._width, self._column)
        self._height = min(self._row + self._times, _MOST_ROWS)

    def end(self, name: str) -> None:
        if name == "table-row":
            self._row += self._times
        elif name == "table":
            self.repeated += self._height * self._width
            self._row = self._column = self._height = self._width = 0


def _times(attributes: Mapping[str, str], name: str) -> int:
    given = attributes.get(name, "1")
    return int(given) if given.isdecimal() and len(given) < 10 else _MOST_ROWS if given.isdecimal() else 1


def _number(letters: str) -> int:
    """Return the number of a column: 28 for AB."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _old(raw: bytes, name: str) -> int:
    """Return the cells of the largest sheet of an .xls file."""
    if not has_sound_chains(raw):
        raise damaged(name)
    try:
        with needed("olefile", name).OleFileIO(io.BytesIO(raw)) as file:
            stream = next(one for one in ("Workbook", "Book") if file.exists(one))
            records = file.openstream(stream).read()
    except Exception as error:  # damaged files raise nearly anything
        raise (error if str(error).startswith(name) else damaged(name)) from None
    at = rows = columns = most = 0
    while at + 4 <= len(records):
        kind, size = struct.unpack_from("<HH", records, at)
        at += 4
        if kind in _CELLS and size >= 4:
            row, column = struct.unpack_from("<HH", records, at) if at + 4 <= len(records) else (0, 0)
            rows, columns = max(rows, row + 1), max(columns, column + 1)
        elif kind in _RANGES and 6 <= size <= len(records) - at:
            rows = max(rows, struct.unpack_from("<H", records, at)[0] + 1)
            columns = max(columns, struct.unpack_from("<H", records, at + size - 2)[0] + 1)
        elif kind == _BOUNDS and 10 <= size <= len(records) - at:
            first, last, left, right = struct.unpack_from("<IIHH" if size >= 14 else "<4H", records, at)
            most = max(most, (last - first) % _WRAPPED * ((right - left) % _WRAPPED))
        at += size
    return max(most, rows * columns)


def damaged(name: str) -> ValueError:
    """Return the error for a spreadsheet that cannot be read."""
    return ValueError(f"{name} is a damaged spreadsheet, or none: save it anew, or as CSV.")
