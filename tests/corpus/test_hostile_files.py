"""Damaged files and decompression bombs: a sentence, soon, and never a traceback."""

import gzip
import io
import zipfile

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from quire import read_corpus
from quire.corpus.expansion import _zstd_bytes
from quire.corpus.formats.documents import DOCX, UnreadableError
from quire.corpus.formats.html import _parsed, _without_tags, html_to_text, is_tangled
from quire.runs.need import need_of
from quire.runs.options import Options

COUNTS = sp.csr_array(np.random.default_rng(0).poisson(0.7, (12, 9)))


@pytest.fixture
def small_bound(monkeypatch):
    monkeypatch.setattr("quire.corpus.expansion._FREE", 1 << 16)


def _read(path):
    """Read a file as a command does; return what was refused, "" for nothing."""
    refused = ""
    try:
        need_of(path, Options())
        read_corpus(path)
    except ValueError as error:
        refused = str(error)
    assert not refused or (len(refused) > 20 and "\n" not in refused)
    return refused


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_matrix_file_is_read_or_refused(tmp_path, compressed, seed):
    path, rng = tmp_path / "x.npz", np.random.default_rng(seed)
    sp.save_npz(path, COUNTS, compressed=compressed)
    sound, refused = path.read_bytes(), 0
    for _ in range(40):
        raw = bytearray(sound)
        for at in rng.integers(0, len(raw), rng.integers(1, 6)):
            raw[at] = rng.integers(256)
        path.write_bytes(raw[: rng.integers(1, len(raw))] if rng.random() < 0.2 else raw)
        refused += bool(_read(path))
    assert refused


def _header(text):
    """Return an array file with this header."""
    raw = text.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(raw).to_bytes(2, "little") + raw


HEADERS = {
    "no end": _header("{'descr': '<i8', 'fortran_order': False, 'shape': (12,"),
    "nested": _header("(" * 100),
    "a string in three quotes": _header("'''"),
    "an object": _header("{'descr': '|O', 'fortran_order': False, 'shape': (12,), }"),
    "too many": _header("{'descr': '<i8', 'fortran_order': False, 'shape': (12000000000000,), }"),
    "bad code points": _header("{'descr': '<U1', 'fortran_order': False, 'shape': (12,), }") + b"\xff\xff\xff\x7f" * 12,
    "a surrogate": _header("{'descr': '<U1', 'fortran_order': False, 'shape': (12,), }") + b"\x00\xd8\x00\x00" * 12,
    "another version": b"\x93NUMPY\x09\x00" + b"x" * 100,
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_damaged_array_is_left_out_or_refused(tmp_path, name):
    path = tmp_path / "x.npz"
    sp.save_npz(path, COUNTS)
    (tmp_path / "x_labels.npy").write_bytes(HEADERS[name])
    corpus = read_corpus(path)
    assert "label" not in corpus.documents.columns
    assert any("x_labels.npy was not used" in remark for remark in corpus.notes.remarks)
    with zipfile.ZipFile(path, "w") as archive:
        for array in ("indptr", "indices", "data", "shape", "format"):
            archive.writestr(f"{array}.npy", HEADERS[name])
    assert "holds no sparse matrix" in _read(path)


def test_a_compression_that_is_not_known(tmp_path):
    path = tmp_path / "x.npz"
    sp.save_npz(path, COUNTS)
    raw = path.read_bytes()
    for at in (raw.index(b"PK\x01\x02"), raw.index(b"PK\x03\x04")):
        method = at + (10 if raw[at + 2 : at + 4] == b"\x01\x02" else 8)
        raw = raw[:method] + b"\x63" + raw[method + 1 :]
    path.write_bytes(raw)
    assert "holds no sparse matrix" in _read(path)


@pytest.mark.parametrize("ending", ["csv", "txt", "jsonl"])
def test_a_bomb_in_gzip_is_refused_until_more_is_allowed(tmp_path, small_bound, monkeypatch, ending):
    path = tmp_path / f"x.{ending}.gz"
    row = {"csv": b"a", "txt": b"a", "jsonl": b'{"text": "a"}'}[ending]
    text = b"text\n" * (ending == "csv") + row + b"\n" + (row + b"\n") * 60_000
    path.write_bytes(gzip.compress(text[:100]) + gzip.compress(text[100:]))
    assert "expands to more than" in _read(path)
    assert "set QUIRE_EXPANSION=1000" in _read(path)
    monkeypatch.setenv("QUIRE_EXPANSION", "2000")
    assert _read(path) == ""
    monkeypatch.setenv("QUIRE_EXPANSION", "many")
    assert "QUIRE_EXPANSION=many" in _read(path)


def test_a_bomb_in_zstandard_is_refused_until_more_is_allowed(tmp_path, small_bound, monkeypatch):
    path, rows = tmp_path / "x.csv.zst", pl.DataFrame({"text": ["a b c"] * 300_000})
    rows.write_csv(path, compression="zstd")
    assert "expands to more than" in _read(path)
    monkeypatch.setenv("QUIRE_EXPANSION", "100000")
    assert len(read_corpus(path)) == 300_000


def test_blocks_of_zstandard_say_to_how_many_bytes_they_expand(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "x.csv.zst"
    for n in (1, 1000, 100_000):
        rows = pl.DataFrame({"text": rng.integers(0, 10**9, n).astype(str), "same": ["a" * 20] * n})
        rows.write_csv(path, compression="zstd")
        size = len(rows.write_csv().encode())
        with path.open("rb") as file:
            assert size <= _zstd_bytes(file, 1 << 40) <= 2 * size + (1 << 18)


def test_a_bomb_in_a_matrix_file_is_refused_until_more_is_allowed(tmp_path, small_bound, monkeypatch):
    path = tmp_path / "x.npz"
    sp.save_npz(path, sp.csr_array(np.ones((400, 400))))
    assert "expands to more than" in _read(path)
    monkeypatch.setenv("QUIRE_EXPANSION", "2000")
    assert _read(path) == ""


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("shape", [(12, 10**12), (10**12, 9)])
def test_a_matrix_of_very_many_rows_or_columns_is_refused(tmp_path, form, shape):
    path = tmp_path / "x.npz"
    X = COUNTS.asformat(form)
    arrays = {"row": X.row, "col": X.col} if form == "coo" else {"indptr": X.indptr, "indices": X.indices}
    np.savez_compressed(path, format=form.encode(), shape=shape, data=X.data, _is_array=True, **arrays)
    assert "expands to more than" in _read(path) or "holds no sparse matrix" in _read(path)


def test_ordinary_compressed_files_are_read(tmp_path, small_bound):
    words = np.random.default_rng(0).integers(0, 10**6, 60_000).astype(str).tolist()
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress("\n".join(words).encode()))
    assert len(read_corpus(path)) == 60_000


def _docx(change):
    docx = pytest.importorskip("docx")
    document, raw = docx.Document(), io.BytesIO()
    document.add_paragraph("before")
    table = document.add_table(2, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {number}"
    change(table)
    document.save(raw)
    return raw.getvalue()


def test_a_cell_is_read_once_however_wide_it_claims_to_be():
    def widen(table):
        table._tbl.tr_lst[0].tc_lst[0].grid_span = 1_000_000_000

    assert DOCX.read(_docx(widen), None)[0].text.split("\n") == ["before", "cell 0", "cell 1", "cell 2", "cell 3"]


def test_a_bomb_in_a_docx_is_refused(small_bound):
    raw = io.BytesIO(_docx(lambda table: None))
    with zipfile.ZipFile(raw, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/more.xml", bytes(8_000_000))
    with pytest.raises(UnreadableError, match="expands to more than"):
        DOCX.read(raw.getvalue(), None)


TANGLED = {
    "nested": "<div>" * 100_000 + "core",
    "nested and closed": "<ul><li>" * 30_000 + "core" + "</li></ul>" * 30_000,
    "ends of other elements": "<div></i>" * 100_000 + "core",
    "attributes": "<div " + " ".join(f"a{i}" for i in range(100_000)) + ">core",
    "attributes with signs": "<div " + " ".join(f"a{i}='<'" for i in range(100_000)) + ">core",
    "attributes of the body": "".join(f"<body a{i}>" for i in range(20_000)) + "core",
    "formatting": "".join(f"<b a{i}>" for i in range(900)) + "<p></p>" * 50_000 + "core",
    "no end of tags": "<a" * 100_000 + ">core",
    "no end of quotes": "core" + "<i '" * 100_000,
}


@pytest.mark.parametrize("name", TANGLED)
def test_a_page_that_a_parser_would_sit_on_is_read_without_one(name):
    assert is_tangled(TANGLED[name])
    assert html_to_text(TANGLED[name])[0] == "core"


def test_without_a_parser_a_page_reads_the_same():
    page = """<!doctype html><html><head><title>A &amp; B</title><style>p {}</style></head><body class="x > y">
      <!-- <p>not this</p> --><h1>One</h1><p>two <b>three</b>fo<i>ur</i><p>five &lt; six<br>seven
      <script>if (a < b) document.write("<p>no</p>")</script><table><tr><td>8<td>9</table><noscript>no</noscript>
      <UL><LI>ten<LI>eleven</UL></body></html>"""

    def lines(read):
        return [line.strip() for line in read[0].split("\n") if line.strip()], read[1].strip()

    assert not is_tangled(page)
    assert lines(_without_tags(page)) == lines(_parsed(page))
