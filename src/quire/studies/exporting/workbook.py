"""A run as a workbook of Excel, written by hand: a zip of XML in which every text is a text."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

import polars as pl

from quire.places.atomic import whole_file
from quire.runs.folder import check_file
from quire.runs.run import Run
from quire.studies.exporting.tables import for_spreadsheet, tables_of

_MOST_ROWS, _LONGEST = 1_048_575, 32_767  # rows below the headings, and characters of a cell, that Excel takes
_NO_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_workbook(run: Run, path: Path) -> None:
    """Write a sheet of each table."""
    tables = tables_of(run)
    most = max(map(len, tables.values()))
    if most > _MOST_ROWS:
        raise ValueError(f"A sheet holds {_MOST_ROWS:,} rows, and there are {most:,}: export --to csv or parquet.")
    with whole_file(check_file(path)) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in _frame(list(tables)).items():
            book.writestr(name, content)
        for number, table in enumerate(tables.values(), 1):
            with book.open(f"xl/worksheets/sheet{number}.xml", "w", force_zip64=True) as sheet:
                _write_sheet(sheet, for_spreadsheet(table))


def _write_sheet(sheet: IO[bytes], table: pl.DataFrame) -> None:
    sheet.write(f"{_HEAD}<worksheet {_MAIN}><sheetData>".encode())
    for row in _rows(table):
        sheet.write(f"<row>{''.join(map(_cell, row))}</row>".encode())
    sheet.write(b"</sheetData></worksheet>")


def _rows(table: pl.DataFrame) -> Iterator[Any]:
    yield table.columns
    yield from table.iter_rows()


def _cell(value: Any) -> str:
    """Return a cell: a number, or a text that stays one whatever it looks like."""
    if value is None or (isinstance(value, float) and value != value):
        return "<c/>"
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) != float("inf"):
        return f"<c><v>{value!r}</v></c>"
    text = escape(_NO_XML.sub(" ", str(value))[:_LONGEST])
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _frame(names: list[str]) -> dict[str, str]:
    """Return what a workbook has beside its sheets."""
    numbered = list(enumerate(names, 1))
    sheets = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>' for i, name in numbered)
    kind = f"{_KIND}.worksheet+xml"
    parts = "".join(f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{kind}"/>' for i, _ in numbered)
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i, _ in numbered
    )
    root = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    return {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_TYPES}">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}">{root}</Relationships>',
        "xl/workbook.xml": f'{_HEAD}<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}">{links}</Relationships>',
    }
