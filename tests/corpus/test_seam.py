"""A new kind of input is one format in one table: everything else reads it as it reads all others."""

import polars as pl
import pytest
from tables import parts_at

import quire.corpus.sources
from quire.corpus.corpus import read_corpus
from quire.corpus.cut import row_numbers
from quire.corpus.formats.format import Format, Reading, put_documents
from quire.corpus.notes import Notes
from quire.corpus.tables import Table, read_table
from quire.runs.options import Options

TEXT = "one moon\ntwo\n\ntwo\n" + "goal\n" * 20


def read_upper(source, request, place):
    """Read a document a line, in capitals."""
    lines = pl.Series("text", source.read_text().upper().splitlines())
    documents = pl.DataFrame([row_numbers(len(lines)), lines])
    return Reading(put_documents([documents], place), Notes(source=str(source), kind="upper"))


def read_pairs(source, request, place):
    """Read a table whose fields are parted by an equals sign."""
    rows = pl.DataFrame([line.split("=") for line in source], schema=["key", "said"], orient="row")
    table = Table("The list of pairs", rows, lambda columns, n: [rows.select(columns)])
    return read_table(table, request, Notes(source="pairs", kind="pairs"), place)


def are_pairs(source):
    return isinstance(source, list) and all("=" in str(line) for line in source)


@pytest.fixture
def formats(monkeypatch):
    added = [Format(read_upper, {".upper": "upper"}), Format(read_pairs, accepts=are_pairs)]
    monkeypatch.setattr(quire.corpus.sources, "FORMATS", [*added, *quire.corpus.sources.FORMATS])


def assert_same(corpus, parted):
    assert parted.documents.equals(corpus.documents)
    assert parted.notes == corpus.notes
    assert parted.fingerprint() == corpus.fingerprint()
    assert len(parted.parts) > 1


def test_a_file_of_a_new_ending(formats, tmp_path, place):
    path = tmp_path / "news.upper"
    path.write_text(TEXT)
    corpus = read_corpus(path)
    assert list(corpus.texts())[:4] == ["ONE MOON", "TWO", "", "TWO"]
    assert (corpus.notes.kind, corpus.notes.n_empty, corpus.notes.n_duplicates) == ("upper", 1, 20)
    assert_same(corpus, parts_at(path, Options(), place))
    (tmp_path / "news.lower").write_text(TEXT)
    with pytest.raises(ValueError, match=r"give it one of \.upper, "):
        read_corpus(tmp_path / "news.lower")


def test_an_object_of_a_new_kind(formats, place):
    pairs = [f"k{i}=text {i}" for i in range(20)]
    corpus = read_corpus(pairs, id="key", labels=["a", "b"] * 10)
    assert corpus.documents.row(3) == ("k3", "text 3", "b")
    assert_same(read_corpus(pairs, id="key"), parts_at(pairs, Options(id="key"), place))


def test_without_the_format_nothing_is_known(tmp_path):
    (tmp_path / "news.upper").write_text(TEXT)
    with pytest.raises(ValueError, match=r"ending of .*news\.upper is not known"):
        read_corpus(tmp_path / "news.upper")
