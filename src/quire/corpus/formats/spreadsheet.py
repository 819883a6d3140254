"""Spreadsheets: .xlsx, .xls and .ods, a sheet of them as a table, by way of fastexcel (calamine)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl

from quire.corpus.formats.csv_rows import unique_names
from quire.corpus.formats.document import quiet
from quire.corpus.formats.format import Reading, needed, whole_files
from quire.corpus.formats.header import check_header
from quire.corpus.formats.sheet_size import check_cells, damaged
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.tables import SAMPLE, Table, read_table
from quire.messages import meant
from quire.places.place import Place

_TOP = 50  # rows among which the header is looked for
_SHOWN = 20  # sheets that a message names
_MIDNIGHT = r"^(\d{4}-\d\d-\d\d)[ T]00:00:00(\.0+)?$"  # how a date without a time comes


def read_spreadsheet(name: str, raw: bytes, request: Request, place: Place) -> Reading:
    """Read a sheet: the one that was named, or the first that holds rows."""
    fastexcel = needed("fastexcel", name)
    check_cells(raw, name)
    with _refusals(name):
        book = fastexcel.read_excel(raw)
        sheet, cells = _chosen(book, request.sheet, name)
    notes = Notes(source=name, kind="spreadsheet")
    if len(book.sheet_names) > 1 and request.sheet is None:
        notes = notes.remark(f"Sheet {sheet!r} was read, of {len(book.sheet_names)}; --sheet names another.")
    frame, above = with_header(cells, set(request.columns.values()), f"sheet {sheet!r} of {name}")
    if above:
        notes = notes.remark(f"The header is row {above + 1} of the sheet; what stands above it is left out.")
    table = Table(name, frame.head(SAMPLE), lambda columns, rows: [frame.select(columns)])
    return read_table(table, request, notes, place)


def _chosen(book: Any, wanted: str | None, name: str) -> tuple[str, pl.DataFrame]:
    """Return the name of a sheet and its cells, as strings."""
    sheets = list(book.sheet_names)
    if wanted is not None and wanted not in sheets:
        shown = ", ".join(map(repr, sheets[:_SHOWN])) + (", …" if len(sheets) > _SHOWN else "")
        raise ValueError(f"{name} has no sheet {wanted!r}{meant(wanted, sheets)}; its sheets are {shown}.")
    first: tuple[str, pl.DataFrame] | None = None
    for sheet in [wanted] if wanted is not None else sheets:
        cells = book.load_sheet(sheet, header_row=None, dtypes="string").to_polars()
        if cells.height:
            first = first or (str(sheet), cells)
        if cells.height > 1:  # a header, and a row below it: no cover
            first = str(sheet), cells
            break
    if first is not None:
        return first[0], first[1].with_columns(pl.all().str.replace(_MIDNIGHT, "$1"))
    which = f"Sheet {wanted!r} of {name}" if wanted is not None else f"Every sheet of {name}"
    raise ValueError(f"{which} is empty: there is nothing to read.")


def with_header(cells: pl.DataFrame, named: set[str], where: str) -> tuple[pl.DataFrame, int]:
    """Return a table, and the number of rows above its header; rows and columns that hold nothing are left out.

    The header is the row that has all columns that were named, or else the first row that is more than half full:
    titles and notes above a table fill a cell or two.
    """
    top = [[(cell or "").strip() for cell in row] for row in cells.head(_TOP).rows()]
    filled = [sum(map(bool, row)) for row in top]
    fits = [i for i, row in enumerate(top) if named and named <= set(row)]
    header = (fits or [i for i, n in enumerate(filled) if n > max(filled) / 2] or [0])[0]
    names = [cell or f"column {i + 1}" for i, cell in enumerate(top[header])]
    check_header([cell for cell in top[header] if cell], top[header + 1 :], named, where, ",")
    frame = cells.slice(header + 1)
    frame.columns = unique_names(names)
    kept = [n for n, cell in zip(frame.columns, top[header]) if cell or frame[n].is_not_null().any()]
    frame = frame.select(kept)
    return frame.filter(pl.any_horizontal(pl.all().is_not_null())), header


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Turn whatever the reader says of a damaged file, also where it panics, into one sentence."""
    try:
        with quiet("fastexcel", "calamine"):
            yield
    except ValueError:
        raise
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise damaged(name) from None
        raise


FORMAT = whole_files(
    read_spreadsheet, dict.fromkeys([".xlsx", ".xls", ".ods"], "spreadsheet"), "a row of a sheet each (`--sheet NAME`)",
    extra="files", options=frozenset({"sheet"}),
)  # fmt: skip
