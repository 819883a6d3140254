"""Small files that become large, deep or endless when they are read."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

_MEMBER = 8 << 20  # bytes of a member of a gzip file, which may have many


def _gz(name: str, line: bytes) -> Callable[[Path, random.Random], Path]:
    def make(folder: Path, draw: random.Random) -> Path:
        member = gzip.compress(line * (_MEMBER // len(line)))
        path = folder / name
        path.write_bytes(member * draw.choice([200, 600, 1500]))
        return path

    return make


def _npz(folder: Path, draw: random.Random) -> Path:
    """Write a matrix whose data are gigabytes of zeros."""
    header = (
        b"\x93NUMPY\x01\x00v\x00"
        + b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }".ljust(117)
        + b"\n"
    )
    with zipfile.ZipFile(folder / "d.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("data", "indices", "indptr", "shape", "format"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(header)
                for _ in range(draw.choice([4, 64])):
                    member.write(bytes(1 << 22))
    return folder / "d.npz"


def _html(folder: Path, draw: random.Random) -> Path:
    tag = draw.choice(["div", "b", "table><tr><td", "span", "ul><li"])
    (folder / "docs").mkdir()
    (folder / "docs" / "a.html").write_text(f"<{tag}>" * 200_000 + "moon")
    (folder / "docs" / "b.html").write_text("<p>moon and orbit</p>")
    return folder / "docs"


def _docx(folder: Path, draw: random.Random) -> Path:
    """Write a table whose cell spans a billion columns, or nested tables, with entities that multiply."""
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    said = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    span = f'<w:tcPr><w:gridSpan w:val="{draw.choice([10**9, 10**6, -1])}"/></w:tcPr>'
    cell = f"<w:tc>{span}{said.format('moon')}</w:tc>"
    body = draw.choice(
        [
            f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>",
            "<w:tbl><w:tr><w:tc>" * 2000 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 2000,
        ]
    )
    entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
    )
    many = draw.random() < 0.3
    lead, text = '<?xml version="1.0"?>' + f"{entities}]>" * many, "&j;" * many
    document = f"{lead}<w:document {word}><w:body>{said.format(text)}{body}</w:body></w:document>"
    import docx

    (folder / "docs").mkdir()
    plain = io.BytesIO()
    docx.Document().save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(folder / "docs" / "a.docx", "w") as archive:
        for name in source.namelist():
            archive.writestr(name, document if name == "word/document.xml" else source.read(name))
    return folder / "docs"


def _book(folder: Path, draw: random.Random) -> Path:
    """Write a book of one chapter under very many names."""
    n, names = draw.choice([500, 5000]), '<item id="i{0}" href="a.html" media-type="text/html"/>'
    items, order = ("".join(map(one.format, range(n))) for one in (names, '<itemref idref="i{0}"/>'))
    (folder / "docs").mkdir()
    with zipfile.ZipFile(folder / "docs" / "a.epub", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/container.xml", '<x><rootfile full-path="c.opf"/></x>')
        archive.writestr("c.opf", f"<package><manifest>{items}</manifest><spine>{order}</spine></package>")
        archive.writestr("a.html", "<p>moon orbit</p>" * 100_000)
    return folder / "docs"


def _pdf(folder: Path, draw: random.Random) -> Path:
    """Write one page that comes again and again, or forms that draw forms."""
    pages, depth = draw.choice([(20_000, 1), (1, 12)])
    font = b"/Font<</A<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
    forms = b"/XObject<<" + b"".join(b"/F%d %d 0 R" % (one, 5 + one) for one in range(depth)) + b">>"
    resources = b"/Resources<<" + font + forms + b">>"

    def stream(drawn: bytes, head: bytes = b"") -> bytes:
        return b"<<" + head + b"/Length %d>>stream\n" % len(drawn) + drawn + b"\nendstream"

    last = b"BT /A 12 Tf (moon) Tj ET"
    drawn = [b" ".join([b"/F%d Do" % (one + 1)] * 10) for one in range(depth - 1)] + [last]
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[" + b"3 0 R " * pages + b"]/Count %d>>" % pages,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R" + resources + b">>",
        stream(b"/F0 Do"),
        *(stream(one, b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]" + resources) for one in drawn),
    ]
    raw, table = b"%PDF-1.4\n", b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number, body in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(raw)
        raw += b"%d 0 obj" % number + body + b"endobj\n"
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(raw))
    (folder / "docs").mkdir()
    (folder / "docs" / "a.pdf").write_bytes(raw + table + end)
    return folder / "docs"


def _deep(folder: Path, draw: random.Random) -> Path:
    path = folder / draw.choice(["d.json", "d.jsonl"])
    path.write_text('{"text": ' + "[" * 200_000 + "]" * 200_000 + "}\n")
    return path


def _columns(folder: Path, draw: random.Random) -> Path:
    path = folder / "d.csv"
    path.write_text(",".join(f"c{i}" for i in range(50_000)) + "\n" + "x," * 49_999 + "moon\n")
    return path


def _quote(folder: Path, draw: random.Random) -> Path:
    path = folder / "d.csv"
    path.write_text('id,text\n1,"' + "moon orbit\n" * 500_000)
    return path


def _line(folder: Path, draw: random.Random) -> Path:
    path = folder / "d.txt"
    path.write_text("moon" * 5_000_000 + "\n" + "orbit moon\n" * 5)
    return path


def _archive(name: str) -> Callable[[Path, random.Random], Path]:
    """Write an archive whose member is gigabytes of one letter, or very many members."""

    def make(folder: Path, draw: random.Random) -> Path:
        path, many = folder / name, draw.random() < 0.5
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            if many:
                for i in range(20_000):
                    archive.writestr(f"{i}.txt", "")
            with archive.open("a.txt", "w", force_zip64=True) as member:
                for _ in range(draw.choice([100, 400])):
                    member.write(b"x" * (1 << 22))
        return path

    return make


def _xz(folder: Path, draw: random.Random) -> Path:
    path = folder / "d.csv.xz"
    path.write_bytes(lzma.compress(b"text\n" + b"moon\n" * (1 << 21)) * draw.choice([50, 200]))
    return path


def _sheet(folder: Path, draw: random.Random) -> Path:
    """Write a spreadsheet with a cell far away from all others."""
    import spreadsheets

    path = folder / "d.xlsx"
    path.write_bytes(
        spreadsheets.cells_at("A1", "B1", draw.choice(["XFD1048576", "ZZZZZZ99", "A99999999", "AAA65536"]))
    )
    return path


def _entities(folder: Path, draw: random.Random) -> Path:
    path = folder / "d.xml"
    inside = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    value = draw.choice(["SYSTEM 'file:///dev/zero'", "'aaaaaaaaaa'"])
    outside = f"<!ENTITY a {value}>"
    path.write_text(f"<!DOCTYPE x [{outside}{inside}]><x><y>&j;</y><y>&j;</y></x>")
    return path


BOMBS: dict[str, Callable[[Path, random.Random], Path]] = {
    "csv.gz": _gz("d.csv.gz", b"1,moon and orbit\n"),
    "csv.gz of one line": _gz("d.csv.gz", b"x"),
    "jsonl.gz": _gz("d.jsonl.gz", b'{"text": "moon"}\n'),
    "txt.gz": _gz("d.txt.gz", b"moon orbit\n"),
    "npz": _npz,
    "html": _html,
    "docx": _docx,
    "book": _book,
    "pdf": _pdf,
    "deep json": _deep,
    "columns": _columns,
    "open quote": _quote,
    "one line": _line,
    "zip": _archive("d.zip"),
    "xz": _xz,
    "far cell": _sheet,
    "entities": _entities,
}
