"""Small spreadsheets of three kinds, made byte by byte, and such as no program would write."""

import io
import struct
import zipfile
from html import escape

PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OASIS = "urn:oasis:names:tc:opendocument:xmlns:"


def zipped(members):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return raw.getvalue()


def xlsx(sheets):
    """Return a workbook of sheets, each a list of rows of strings."""
    return _xlsx({name: _xlsx_rows(rows) for name, rows in sheets.items()})


def cells_at(*marks):
    """Return a workbook with a cell at each of these places."""
    return _xlsx({"S": "".join(_xlsx_cell(mark, "text") for mark in marks)})


def _xlsx_cell(mark, value):
    return f'<c r="{mark}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def _xlsx_rows(rows):
    made = ""
    for r, row in enumerate(rows, 1):
        cells = (_xlsx_cell(f"{chr(65 + c)}{r}", value) for c, value in enumerate(row) if value is not None)
        made += f'<row r="{r}">{"".join(cells)}</row>'
    return made


def _xlsx(sheets):
    listed = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="rId{i}"/>' for i, n in enumerate(sheets, 1))
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    root = f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    return zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>',
            "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
        }
        | {
            f"xl/worksheets/sheet{i}.xml": f"<worksheet {MAIN}><sheetData>{cells}</sheetData></worksheet>"
            for i, cells in enumerate(sheets.values(), 1)
        }
    )


def ods(sheets, of_cells="", of_rows=""):
    """Return an OpenDocument of sheets, with attributes for every cell and row."""

    def cell(value):
        if value is None:
            return "<table:table-cell/>"
        kind = f'office:value-type="string" {of_cells}'
        return f"<table:table-cell {kind}><text:p>{escape(value)}</text:p></table:table-cell>"

    def table(name, rows):
        made = (f"<table:table-row {of_rows}>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        return f'<table:table table:name="{name}">{"".join(made)}</table:table>'

    spaces = " ".join(f'xmlns:{one}="{OASIS}{one}:1.0"' for one in ("office", "table", "text", "manifest"))
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    tables = "".join(table(name, rows) for name, rows in sheets.items())
    body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    return zipped(
        {
            "mimetype": kind,
            "content.xml": f"<office:document-content {spaces}>{body}</office:document-content>",
            "META-INF/manifest.xml": f"<manifest:manifest {spaces}>{entry}</manifest:manifest>",
        }
    )


def xls(sheets, far=None, bounds=None, left=0):
    """Return a workbook of BIFF8 records with one sheet, with a cell far away or bounds that are not true."""
    ((name, rows),) = sheets.items()

    def record(kind, data):
        return struct.pack("<HH", kind, len(data)) + data

    def begin(kind):
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    def label(row, column, value):
        return record(0x204, struct.pack("<HHHHB", row, column, 0, len(value), 0) + value.encode("latin-1"))

    cells = [(r, c, value) for r, row in enumerate(rows) for c, value in enumerate(row) if value is not None]
    cells += [(*far, "x")] if far else []
    last, right = bounds or (len(rows), max(map(len, rows)))
    sheet = begin(0x10) + record(0x200, struct.pack("<IIHHH", 0, last, left, right, 0))
    sheet += b"".join(label(*cell) for cell in cells) + record(0x0A, b"")
    head = begin(5) + record(0x42, struct.pack("<H", 1200))
    at = len(head) + 4 + 8 + len(name) + 4
    head += record(0x85, struct.pack("<IBBBB", at, 0, 0, len(name), 0) + name.encode()) + record(0x0A, b"")
    return ole({"Workbook": head + sheet})


def ole(streams):
    """Return streams in the container of old Office files, each in sectors of its own."""
    none, end = 0xFFFFFFFF, 0xFFFFFFFE
    entries, sectors, chain = [_entry("Root Entry", 5, end, 0, child=1 if streams else none)], [], []
    names = list(streams)
    for number, name in enumerate(names, 1):
        raw = streams[name].ljust(4096, b"\0")
        size, raw = len(raw), raw + bytes(-len(raw) % 512)
        first, n = len(sectors), len(raw) // 512
        sectors += [raw[i : i + 512] for i in range(0, len(raw), 512)]
        chain += [*range(first + 1, first + n), end]
        entries.append(_entry(name, 2, first, size, right=number + 1 if number < len(names) else none))
    raw = b"".join(entries)
    raw += bytes(-len(raw) % 512)
    directory, n = len(sectors), len(raw) // 512
    sectors += [raw[i : i + 512] for i in range(0, len(raw), 512)]
    chain += [*range(directory + 1, directory + n), end]
    table = len(sectors)
    chain += [0xFFFFFFFD]
    assert len(chain) <= 128
    sectors.append(struct.pack("<128I", *chain, *[none] * (128 - len(chain))))
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6,
        0, 1, directory, 0, 4096, end, 0, end, 0)  # fmt: skip
    return head + struct.pack("<109I", table, *[none] * 108) + b"".join(sectors)


def _entry(name, kind, first, size, child=0xFFFFFFFF, right=0xFFFFFFFF):
    text = name.encode("utf-16-le") + b"\0\0"
    middle = struct.pack("<HBBIII", len(text), kind, 1, 0xFFFFFFFF, right, child)
    return text.ljust(64, b"\0") + middle + bytes(36) + struct.pack("<IQ", first, size)
