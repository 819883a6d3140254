"""Books, slides, documents and XML: their texts in order, and none of the traps that such files can be."""

import io
import zipfile

import pytest
from refusals import damaged, refused, tried
from small_files import epub, odt, pptx, records, rtf, tei
from spreadsheets import zipped
from tables import compared

from quire import read_corpus
from quire.runs.options import Options

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


MAKERS = {"a.odt": odt, "a.pptx": pptx, "a.epub": epub, "a.rtf": rtf, "a.xml": tei}
TEXTS = {
    "a.odt": "Head\nOne & two three four",
    "a.pptx": "slide 1 more\nslide 2 more\nslide 10 more",
    "a.epub": "Chapter one\n\nChapter \xa0two",
    "a.rtf": "One\ntwo café",
    "a.xml": "One\nSome words more",
}


def folder_of(tmp_path, **files):
    folder = tmp_path / "docs"
    folder.mkdir(exist_ok=True)
    for name, raw in files.items():
        (folder / name.replace("_", ".")).write_bytes(raw)
    return folder


@pytest.fixture(autouse=True)
def _with_extra(request):
    if "a.rtf" in request.node.name:
        pytest.importorskip("striprtf")


@pytest.mark.parametrize("name", MAKERS)
def test_the_text_is_read(tmp_path, name, place):
    corpus = compared(folder_of(tmp_path, **{name: MAKERS[name]()}), Options(), place)
    assert corpus.documents["text"].to_list() == [TEXTS[name]]
    assert corpus.documents["title"].to_list() == ["The Moon"]
    if name == "a.xml":
        assert str(corpus.documents["date"][0]) == "1869-05-01 00:00:00"


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("left", [0.2, 0.7])
def test_a_truncated_one_is_refused_or_read_as_far_as_it_goes(tmp_path, name, left):
    raw = MAKERS[name]()
    sentence = tried(folder_of(tmp_path, **{name: raw[: int(left * len(raw))]}))
    assert "damaged" in sentence or name == "a.rtf"


@pytest.mark.parametrize("raw", [b"", b"just text", zipped({"a.txt": "moon"}), b"PK\x03\x04", b"%PDF-1.4"])
@pytest.mark.parametrize("name", MAKERS)
def test_something_else_is_refused(tmp_path, name, raw):
    assert "None of the 1 files" in refused(folder_of(tmp_path, **{name: raw}))


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "a.rtf"])
@pytest.mark.parametrize("before", [BOMB, OUTSIDE])
def test_entities_are_neither_expanded_nor_fetched(tmp_path, name, before):
    assert "declares entities" in refused(folder_of(tmp_path, **{name: MAKERS[name](before, "&b;" * 100)}))


@pytest.mark.parametrize("name", ["a.odt", "a.pptx", "a.epub"])
def test_bombs_are_refused(tmp_path, name, monkeypatch):
    monkeypatch.setattr("quire.corpus.expansion._FREE", 1 << 16)
    raw = io.BytesIO(MAKERS[name]())
    with zipfile.ZipFile(raw, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more", bytes(9_000_000))
    assert "expands to more than" in refused(folder_of(tmp_path, **{name: raw.getvalue()}))


def test_a_book_does_not_lead_out_of_itself(tmp_path):
    (tmp_path / "a.txt").write_text("secret")
    for href in ("../../../a.txt", "/etc/passwd", "file:///etc/passwd"):
        assert "damaged book" in refused(folder_of(tmp_path, **{"a.epub": epub(href=href)}))


def test_what_is_nested_too_deep_is_refused(tmp_path):
    deep = "<hi>" * 300_000 + "</hi>" * 300_000
    assert "nested too deep" in refused(folder_of(tmp_path, **{"a.xml": tei(text=deep)}))
    tried(folder_of(tmp_path, **{"b.rtf": b"{\\rtf1" + b"{" * 200_000}))


@pytest.mark.parametrize("name", MAKERS)
def test_bytes_changed_at_random_are_read_or_refused(tmp_path, name):
    for changed in damaged(MAKERS[name](), 30):
        tried(folder_of(tmp_path, **{name: changed}))


def test_records_are_a_table(tmp_path, place):
    path = tmp_path / "a.xml"
    path.write_bytes(records())
    corpus = compared(path, Options(), place)
    assert corpus.documents.row(3) == ("p3", "text 3\xa0café", "Nr. 3", "en")
    assert f"Each 'post' of {path} is a document." in corpus.notes.sentences()
    assert len(read_corpus(path, records="post")) == 20
    assert len(read_corpus(path, records="post.body", text="text")) == 20
    assert "has no element 'pots' (did you mean 'post'?)" in refused(path, records="pots")
    rows = b'<posts><row Id="1" Body="one"/><row Id="2" Body="two"/></posts>'
    path.write_bytes(rows)
    assert read_corpus(path).documents.rows() == [("1", "one"), ("2", "two")]


def test_records_that_are_damaged_or_none(tmp_path):
    path, raw = tmp_path / "a.xml", records()
    path.write_bytes(raw[:-200])
    assert "cannot be read (damaged XML (line 2))" in refused(path)
    path.write_bytes(tei())
    tried(path)
    path.write_bytes(b"<a><b>moon</b></a>")
    assert "is a single document, or holds no element twice" in refused(path)
    for wrong in (b"", b"moon", BOMB.encode() + b"<x><a>&b;</a><a>&b;</a></x>", OUTSIDE.encode() + b"<x>&a;</x>"):
        path.write_bytes(wrong)
        refused(path)
    for changed in damaged(raw, 30):
        path.write_bytes(changed)
        tried(path)


def test_the_contents_of_a_book_are_no_chapter(tmp_path):
    raw = io.BytesIO(epub())
    with zipfile.ZipFile(raw) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    package = members["OEBPS/b.opf"]
    members["OEBPS/b.opf"] = package.replace('<item id="b"', '<item id="b" properties="nav"')
    folder = folder_of(tmp_path, a_epub=zipped(members))
    assert read_corpus(folder).documents["text"].to_list() == ["Chapter \xa0two"]


def test_a_chapter_is_read_once_under_however_many_names(tmp_path):
    raw = io.BytesIO(epub())
    with zipfile.ZipFile(raw) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    again = [(f"n{i}", "./" * i + "text/b.xhtml") for i in range(50)]
    items = "".join(f'<item id="{name}" href="{href}" media-type="application/xhtml+xml"/>' for name, href in again)
    order = "".join(f'<itemref idref="{name}"/>' for name, _ in again)
    package = members["OEBPS/b.opf"].replace("</manifest><spine>", f"{items}</manifest><spine>")
    members["OEBPS/b.opf"] = package.replace("</spine>", f"{order * 2}</spine>")
    folder = folder_of(tmp_path, a_epub=zipped(members))
    assert read_corpus(folder).documents["text"].to_list() == ["Chapter one\n\nChapter \xa0two"]


def test_a_corpus_of_tei_alone_has_titles_and_dates(tmp_path):
    path, one = tmp_path / "corpus.xml", tei().decode()
    path.write_text(f"<teiCorpus><teiHeader><title>All</title></teiHeader>{one}{one}</teiCorpus>")
    documents = read_corpus(path).documents
    assert documents["text"].to_list() == [TEXTS["a.xml"]] * 2
    assert documents["title"].to_list() == ["The Moon"] * 2
    assert [str(day)[:7] for day in documents["date"]] == ["1869-05"] * 2
    path.write_text(one)
    assert "is a single document" in refused(path)
    assert len(read_corpus(path, split="words:2")) == 2
    path.write_text(f"<teiCorpus>{one}{one[:-9]}")
    assert "damaged XML" in refused(path)


def test_what_two_elements_say_is_not_one_word(tmp_path):
    path = tmp_path / "a.xml"
    one = "<post><body>a m<b>oo</b>n</body><meta><who>Ann</who><where>Bonn</where></meta></post>"
    path.write_text(f"<all>{one * 2}</all>")
    assert read_corpus(path).documents.select("text", "meta").rows() == [("a moon", "Ann Bonn")] * 2
