"""Spreadsheets: sheets, headers below titles, and files that are damaged, something else or a trap."""

import base64
import gzip
import io
import struct
import sys
import zipfile

import pytest
from refusals import damaged, refused, shifted, tried
from small_files import msg
from spreadsheets import cells_at, ods, xls, xlsx
from tables import compared

from quire import read_corpus
from quire.corpus.formats.compound import has_sound_chains
from quire.runs.options import Options

pytest.importorskip("fastexcel")
pytest.importorskip("olefile")
ROWS = [["id", "text", "label", "date"], ["a", "one moon", "x", "2024-01-02"], ["b", "two goals", "y", "2024-01-03"]]
MAKERS = {".xlsx": xlsx, ".ods": ods, ".xls": xls}


@pytest.mark.parametrize("ending", MAKERS)
def test_a_sheet_is_a_table(tmp_path, ending, place):
    path = tmp_path / f"news{ending}"
    path.write_bytes(MAKERS[ending]({"First": ROWS}))
    corpus = compared(path, Options(), place)
    assert corpus.documents["text"].to_list() == ["one moon", "two goals"]
    assert corpus.documents["id"].to_list() == ["a", "b"]
    assert [str(day) for day in corpus.documents["date"]] == ["2024-01-02", "2024-01-03"]
    assert corpus.notes.kind == "spreadsheet"


@pytest.mark.parametrize("ending", [".xlsx", ".ods"])
def test_the_header_may_stand_below_a_title(tmp_path, ending):
    path = tmp_path / f"survey{ending}"
    answers = [["1", "more moons please", None], [None, None, None], ["2", "fewer", "fine"]]
    sheet = [["Survey of 2024"], [], ["No", "What would you change about the moon?", "Rest"], *answers]
    path.write_bytes(MAKERS[ending]({"S": sheet}))
    corpus = read_corpus(path, text="What would you change about the moon?")
    assert corpus.documents["text"].to_list() == ["more moons please", "fewer"]
    assert "The header is row 3 of the sheet; what stands above it is left out." in corpus.notes.remarks
    assert read_corpus(path).documents["text"].to_list() == ["more moons please", "fewer"]
    assert "did you mean" in refused(path, text="What would you chang about the moon?").lower()


def test_a_sheet_is_named_or_the_first_that_holds_anything(tmp_path):
    path = tmp_path / "book.xlsx"
    path.write_bytes(xlsx({"Cover": [], "Answers": ROWS, "Other": [["text"], ["three"]]}))
    corpus = read_corpus(path)
    assert len(corpus) == 2
    assert "Sheet 'Answers' was read, of 3; --sheet names another." in corpus.notes.remarks
    assert list(read_corpus(path, sheet="Other").texts()) == ["three"]
    assert "has no sheet 'Othr' (did you mean 'Other'?); its sheets are 'Cover', 'Answers'" in refused(
        path, sheet="Othr"
    )
    assert "Sheet 'Cover'" in refused(path, sheet="Cover")
    (tmp_path / "a.csv").write_text("text\nmoon\n")
    assert "Option sheet goes with a spreadsheet (.xlsx" in refused(tmp_path / "a.csv", sheet="Other")


def test_without_a_header_there_is_a_sentence(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(xlsx({"S": [["1", "it was late"], ["2", "it was dark"]]}))
    assert "does not look like a header" in refused(path)


@pytest.mark.parametrize("ending", MAKERS)
@pytest.mark.parametrize("left", [0.1, 0.5, 0.9])
def test_a_truncated_one_is_refused(tmp_path, ending, left):
    raw = MAKERS[ending]({"First": ROWS})
    path = tmp_path / f"news{ending}"
    path.write_bytes(raw[: int(left * len(raw))])
    assert "is a damaged spreadsheet" in refused(path)
    if ending != ".xls":
        path.write_bytes(shifted(raw))
        assert "is a damaged spreadsheet" in refused(path)


@pytest.mark.parametrize(
    "raw", [b"id,text\n1,moon\n", b"", b"PK\x03\x04", b"%PDF-1.4", base64.b64decode("0M8R4KGxGuE=")]
)
@pytest.mark.parametrize("ending", MAKERS)
def test_something_else_is_refused(tmp_path, ending, raw):
    path = tmp_path / f"news{ending}"
    path.write_bytes(raw)
    assert "spreadsheet" in refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "moon")
    assert "is a damaged spreadsheet" in refused(path)


HOSTILE = {
    "far cell": cells_at("A1", "XFD1048576"),
    "far row": cells_at("A1", "AAA999999"),
    "repeated": ods({"S": [["text"]]}, *(f'table:number-{one}-repeated="9999999"' for one in ("columns", "rows"))),
    "far apart": xls({"S": [["text"], ["moon"]]}, far=(65_535, 65_535)),
    "wide bounds": xls({"S": [["text"], ["moon"]]}, bounds=(1 << 31, 65_535)),
    "bounds that end before they begin": xls({"S": [["text"], ["moon"]]}, bounds=(2, 1), left=9),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_few_bytes_do_not_become_billions_of_cells(tmp_path, name):
    path = tmp_path / "trap.xlsx"
    path.write_bytes(HOSTILE[name])
    assert "cells, nearly all of them empty, as with a stray cell far" in refused(path)


@pytest.mark.parametrize("ending", [".xlsx", ".ods"])
def test_a_cover_is_not_taken_for_the_table(tmp_path, ending):
    path = tmp_path / f"survey{ending}"
    path.write_bytes(MAKERS[ending]({"Info": [["Exported in 2024"]], "Answers": ROWS, "More": ROWS[:2]}))
    corpus = read_corpus(path)
    assert list(corpus.texts()) == ["one moon", "two goals"]
    assert "Sheet 'Answers' was read, of 3; --sheet names another." in corpus.notes.sentences()
    assert "has no rows" in refused(path, sheet="Info")


def test_bombs_and_entities_are_refused(tmp_path, monkeypatch):
    path, raw = tmp_path / "a.xlsx", io.BytesIO(xlsx({"S": ROWS}))
    with zipfile.ZipFile(raw, "a") as archive:
        archive.writestr("xl/more.xml", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>')
    path.write_bytes(raw.getvalue())
    assert "is a damaged spreadsheet" in refused(path)
    monkeypatch.setattr("quire.corpus.expansion._FREE", 1 << 16)
    raw = io.BytesIO(xlsx({"S": ROWS}))
    with zipfile.ZipFile(raw, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", bytes(9_000_000))
    path.write_bytes(raw.getvalue())
    assert "expands to more than" in refused(path)


def test_a_compressed_one_and_a_large_one(tmp_path, monkeypatch):
    path = tmp_path / "a.ods.gz"
    path.write_bytes(gzip.compress(ods({"S": ROWS})))
    assert len(read_corpus(path)) == 2
    monkeypatch.setattr("quire.corpus.formats.format._LARGE", 10)
    assert f"{path} was read whole, as files of its kind are." in read_corpus(path).notes.remarks


@pytest.mark.parametrize("maker", [xlsx, ods, xls])
def test_bytes_changed_at_random_are_read_or_refused(tmp_path, caplog, maker):
    path = tmp_path / "a.xlsx"
    for raw in damaged(maker({"S": ROWS}), 20):
        path.write_bytes(raw)
        tried(path)
    assert not caplog.records


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    path = tmp_path / "a.xlsx"
    path.write_bytes(xlsx({"S": ROWS}))
    assert "pip install 'quire-topics[files]'" in refused(path)


def put(raw, at, number):
    return raw[:at] + struct.pack("<I", number) + raw[at + 4 :]


def loops(raw):
    """Return old Office files whose chains lead back, or that claim to be far longer than they are."""
    directory, table = struct.unpack_from("<I", raw, 48)[0], struct.unpack_from("<I", raw, 76)[0]
    yield "the first stream", put(raw, (table + 1) * 512 + 4 * 3, 1)
    yield "the directory", put(raw, (table + 1) * 512 + 4 * directory, directory)
    yield "the table", put(put(raw, 68, 2), 3 * 512 + 508, 2)
    yield "a length", put(raw, (directory + 1) * 512 + 128 + 120, 0xF0000000)
    yield "a count", put(raw, 44, 0x0F000000)
    yield "the small streams", put(put(put(raw, 60, 0), 512, 1), 516, 0)


@pytest.mark.parametrize("which", range(6))
def test_a_chain_without_end_is_refused(tmp_path, which):
    """Whoever follows it takes all memory; under a limit the process is ended by the reader's allocator."""
    name, raw = list(loops(xls({"S": ROWS})))[which]
    (tmp_path / "a.xls").write_bytes(raw)
    assert "is a damaged spreadsheet" in refused(tmp_path / "a.xls"), name
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "a.msg").write_bytes(list(loops(msg()))[which][1])
    assert "damaged mail of Outlook" in refused(tmp_path / "mail"), name
    assert has_sound_chains(xls({"S": ROWS}))
    assert has_sound_chains(msg())
