"""Folders: which files are read, what is inside them, and what is skipped."""

import os
import sys
from pathlib import Path

import polars as pl
import pytest

from quire.corpus.corpus import read_corpus
from quire.corpus.formats.html import html_to_text


def pdf(words, pages=1):
    """A PDF of one page, or of that page again and again, with its table of offsets."""
    stream = b"BT /F1 12 Tf 20 100 Td (" + words + b") Tj ET"
    font = b"<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[" + b"3 0 R " * pages + b"]/Count %d>>" % pages,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources" + font + b">>",
        b"<</Length %d>>stream\n" % len(stream) + stream + b"\nendstream",
    ]
    raw, table = b"%PDF-1.4\n", b"xref\n0 5\n0000000000 65535 f \n"
    for number, body in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(raw)
        raw += b"%d 0 obj" % number + body + b"endobj\n"
    return raw + table + b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(raw)


def make(folder, files):
    for name, raw in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return folder


def test_a_pdf_that_repeats_its_pages_without_end_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("pypdf")
    monkeypatch.setattr("quire.corpus.formats.documents._STEPS", 20)
    make(tmp_path, {"all/few.pdf": pdf(b"orbit", 20), "all/many.pdf": pdf(b"orbit", 200)})
    read = read_corpus(tmp_path / "all").documents
    assert read["id"].to_list() == ["few.pdf"]
    assert read["text"][0].count("orbit") == 20
    (tmp_path / "all" / "few.pdf").unlink()
    with pytest.raises(ValueError, match=r"many\.pdf: PDF that draws over .* \(if it is none: QUIRE_EXPANSION=1000\)"):
        read_corpus(tmp_path / "all")
    monkeypatch.setenv("QUIRE_EXPANSION", "1000")
    assert len(read_corpus(tmp_path / "all")) == 1


def test_texts_pages_and_documents(tmp_path):
    docx = pytest.importorskip("docx")
    pytest.importorskip("pypdf")
    make(
        tmp_path,
        {
            "b/z.txt": "zed",
            "b/A.HTML": "<title> The\n title </title><p>One<p>two",
            "a.md": "# Mark",
            "c.pdf": pdf(b"Hello from PDF"),
            "c/d/e.rst": "rest",
            "c/empty.txt": "",
            ".git/x.txt": "hidden",
            ".hidden.txt": "hidden",
            "picture.png": b"\x89PNG",
        },
    )
    word = docx.Document()
    word.core_properties.title = "A report"
    word.add_paragraph("Paragraph")
    word.add_table(1, 2).rows[0].cells[1].text = "cell"
    word.save(str(tmp_path / "c.docx"))
    corpus = read_corpus(tmp_path)
    assert corpus.notes.kind == "folder"
    assert {row[0]: row[1:] for row in corpus.documents.rows()} == {
        "a.md": ("Mark", "Mark"),
        "b/A.HTML": ("One\ntwo", "The title"),
        "b/z.txt": ("zed", "z.txt"),
        "c.docx": ("Paragraph\n\ncell", "A report"),
        "c.pdf": ("Hello from PDF", "c.pdf"),
        "c/d/e.rst": ("rest", "e.rst"),
        "c/empty.txt": ("", "empty.txt"),
    }
    assert corpus.notes.skipped == (("picture.png", "ending .png is not read"),)
    assert corpus.notes.n_empty == 1
    assert read_corpus(str(tmp_path) + "/").fingerprint() == corpus.fingerprint()


def test_sub_folders_are_labels_where_every_document_lies_in_one(tmp_path):
    make(tmp_path, {"rome/a.txt": "1", "rome/deep/b.txt": "2", "ohio/a.txt": "3"})
    corpus = read_corpus(tmp_path)
    assert dict(corpus.documents.select("id", "label").rows()) == {
        "ohio/a.txt": "ohio",
        "rome/a.txt": "rome",
        "rome/deep/b.txt": "rome",
    }
    assert corpus.notes.guessed == ("label",)
    assert "label" not in read_corpus(tmp_path / "rome").documents.columns
    make(tmp_path, {"loose.txt": "4"})
    assert "label" not in read_corpus(tmp_path).documents.columns


def test_files_without_an_ending_are_read_where_there_are_no_others(tmp_path):
    make(tmp_path, {"alt.atheism/49960": "one", "sci.space/51060": "two", "sci.space/x.dat": "no"})
    corpus = read_corpus(tmp_path)
    assert list(corpus.texts()) == ["one", "two"]
    assert "without any" in corpus.notes.sentences()[0]
    make(tmp_path, {"a.txt": "three"})
    assert list(read_corpus(tmp_path).texts()) == ["three"]


def test_binary_and_damaged_files_are_skipped_and_named(tmp_path):
    files = {
        "nul.txt": b"abc\0def" * 9,
        "noise.txt": bytes(range(1, 256)) * 9,
        "broken.pdf": b"%PDF-1.4 nothing",
        "broken.docx": b"PK no zip",
        "wide.txt": "wide".encode("utf-16"),
        "late.txt": b"a" * 10_000 + b"\0",
    }
    corpus = read_corpus(make(tmp_path, files))
    assert corpus.documents["id"].to_list() == ["late.txt", "wide.txt"]
    assert list(corpus.texts()) == ["a" * 10_000 + "\0", "wide"]
    assert dict(corpus.notes.skipped) == {
        "nul.txt": "binary",
        "noise.txt": "binary",
        "broken.pdf": "damaged PDF",
        "broken.docx": "damaged DOCX",
    }
    assert corpus.notes.sentences()[0].startswith("4 files were skipped: broken.docx (damaged DOCX), ")
    with pytest.raises(ValueError, match=r"broken\.docx cannot be read"):
        read_corpus(tmp_path, strict=True)


def test_many_skipped_files_are_counted(tmp_path):
    corpus = read_corpus(make(tmp_path, {f"{i:02}.txt": b"\0" for i in range(30)} | {"a.txt": "a"}))
    assert (len(corpus.notes.skipped), corpus.notes.n_skipped) == (20, 30)
    assert ", …." in corpus.notes.sentences()[0]


def test_links(tmp_path):
    make(tmp_path / "docs", {"a/b.txt": "b", "c.txt": "c"})
    (tmp_path / "docs" / "a" / "loop").symlink_to(tmp_path / "docs")
    (tmp_path / "docs" / "gone.txt").symlink_to(tmp_path / "nowhere")
    make(tmp_path / "elsewhere", {"d.txt": "d"})
    (tmp_path / "docs" / "link").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "docs" / "pipe.txt")
    corpus = read_corpus(tmp_path / "docs", follow_links=True)
    assert sorted(corpus.documents["id"]) == ["a/b.txt", "c.txt", "link/d.txt"]
    assert {name for name, _ in corpus.notes.skipped} == {"gone.txt", "pipe.txt"}
    corpus = read_corpus(tmp_path / "docs")
    assert sorted(corpus.documents["id"]) == ["a/b.txt", "c.txt"]
    links = {name for name, why in corpus.notes.skipped if "--follow-links" in why}
    assert links == {"a/loop", "gone.txt", "link"}


def test_a_folder_of_links_says_how_to_read_it(tmp_path):
    table = pl.DataFrame({"text": ["the moon", "a goal"]})
    for ending, write in ((".txt", lambda path: path.write_text("moon")), (".parquet", table.write_parquet)):
        write(tmp_path / f"file{ending}")
        (tmp_path / ending).mkdir()
        (tmp_path / ending / f"link{ending}").symlink_to(tmp_path / f"file{ending}")
        with pytest.raises(ValueError, match="nothing but links: follow them with --follow-links"):
            read_corpus(tmp_path / ending)
        assert len(read_corpus(tmp_path / ending, follow_links=True))


def test_what_may_not_be_read_is_named(tmp_path, monkeypatch):
    make(tmp_path, {"a.txt": "a", "b.txt": "b", "c/d.txt": "d"})
    read_bytes, scandir = Path.read_bytes, os.scandir

    def refuse(path):  # root may read everything, so that permissions alone would test nothing
        if path.name in ("b.txt", "c"):
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", lambda path: refuse(path) or read_bytes(path))
    monkeypatch.setattr(os, "scandir", lambda path: refuse(path) or scandir(path))
    skipped = read_corpus(tmp_path).notes.skipped
    assert dict(skipped) == {"b.txt": "permission denied", "c/": "folder that may not be entered"}


def test_names_that_are_not_utf8(tmp_path):
    try:
        with open(os.fsencode(tmp_path) + b"/caf\xe9.txt", "wb") as file:  # noqa: PTH123
            file.write(b"text")
    except OSError:
        pytest.skip("this file system wants UTF-8")
    assert read_corpus(tmp_path).documents["id"].to_list() == ["caf\\xe9.txt"]


@pytest.mark.parametrize(("module", "name"), [("pypdf", "c.pdf"), ("docx", "c.docx")])
def test_without_the_extra_such_files_are_skipped_with_the_remedy(tmp_path, monkeypatch, module, name):
    monkeypatch.setitem(sys.modules, module, None)
    corpus = read_corpus(make(tmp_path, {name: pdf(b"x"), "a.txt": "a"}))
    assert corpus.notes.skipped == ((name, "needs pip install 'quire-topics[files]'"),)


@pytest.mark.parametrize(
    ("page", "text"),
    {
        "wor<b>d</b>s<i> </i>here": "words here",
        "<div>a</div>b<br>c<ul><li>d<li>e</ul>": "a\nb\nc\nd\ne",
        "<table><tr><td>1<td>2<tr><td>3</table>": "1\n2\n3",
        "x<script>no()</script><style>no{}</style><template>no</template><noscript>no</noscript>y": "xy",
        "R&amp;D &eacute;&#233;&#x20AC; &nbsp;&unknown; &lt;b&gt;": "R&D éé€ \xa0&unknown; <b>",
        "<p>never closed <b>at all <!-- nor this": "never closed at all",
        "<p>a</p></p></div><p>b": "a\n\nb".replace("\n\n", "\n"),
        "just text < 3": "just text < 3",
        "": "",
        "<frameset><frame src=x></frameset>": "",
    }.items(),
)
def test_html(page, text):
    assert html_to_text(page)[0] == text


@pytest.mark.parametrize("tag", ["div", "span", "table", "b"])
def test_deep_html(tag):
    depth = 10_000
    assert html_to_text(f"<{tag}>" * depth + "core" + f"</{tag}>" * depth)[0] == "core"


def test_html_encodings(tmp_path):
    make(
        tmp_path,
        {
            "declared.html": '<meta charset="koi8-r"><p>да'.encode("koi8-r"),
            "wrong.html": b'<meta charset="utf-8"><p>caf\xe9',
            "unknown.html": b'<meta charset="no-such"><p>caf\xe9',
        },
    )
    corpus = read_corpus(tmp_path)
    assert list(corpus.texts()) == ["да", "café", "café"]
    assert (corpus.notes.replaced_characters, corpus.notes.replaced_in) == (2, 2)
    assert "2 characters of 2 files were not valid UTF-8 and were read as windows-1252." in corpus.notes.sentences()
