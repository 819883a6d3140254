"""Several paths and patterns: one corpus, in which every document says where it is from."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from refusals import refused
from tables import compared, table_of, written

from quire import cluster, read_corpus
from quire.cli.output import default_folder, source_of
from quire.pages.about import command
from quire.runs.need import need_of
from quire.runs.options import Options


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("notes/deep").mkdir(parents=True)
    Path("notes/a.txt").write_text("one moon\nstill one")
    Path("notes/deep/b.txt").write_text("two moons")
    Path("a.csv").write_text("id,text,label\n1,three,x\n2,four,x\n")
    Path("b.csv").write_text("id,text,date\n2,five,2020-01-01\n3,six,2020-01-02\n")
    return tmp_path


def test_tables_and_texts_are_one_corpus(here, place):
    paths = [Path("a.csv"), Path("b.csv"), Path("notes/*.txt")]
    corpus = compared(paths, Options(), place)
    assert corpus.documents.select("id", "text", "label", "source").rows() == [
        ("notes/a.txt", "one moon\nstill one", None, "notes/a.txt"),
        ("a.csv:1", "three", "x", "a.csv"),
        ("a.csv:2", "four", "x", "a.csv"),
        ("b.csv:2", "five", None, "b.csv"),
        ("b.csv:3", "six", None, "b.csv"),
    ]
    assert corpus.notes.source == "a.csv b.csv 'notes/*.txt'"
    assert "Ids begin with the file that they are from, as some are in several." in corpus.notes.sentences()
    assert need_of(paths, Options()).documents >= 5


def test_ids_stay_where_they_are_unique(here):
    Path("b.csv").write_text("id,text\n8,five\n9,six\n")
    corpus = read_corpus((Path("a.csv"), Path("b.csv")))
    assert corpus.documents["id"].to_list() == ["1", "2", "8", "9"]
    assert corpus.notes.sentences() == ["Columns were guessed: text = 'text', id = 'id', label = 'label'."]


def test_what_is_said_of_some_files_names_them_once(here):
    for name in "cdefg":
        Path(f"{name}.csv").write_text(f"id,body\n{name}1,five\n{name}2,six\n")
    sentences = read_corpus("?.csv").notes.sentences()
    assert sentences[0] == "Columns were guessed: text = 'text', id = 'id', label = 'label', date = 'date'."
    other = "Columns were guessed: text = 'body', id = 'id'."
    assert [one for one in sentences if other in one] == [f"c.csv, d.csv, e.csv and 2 others: {other}"]


def test_labels_that_were_guessed_stay_a_guess_among_other_files(here):
    for name in ("c1.csv", "c2.csv"):
        written(table_of(), Path(name))
    run = cluster([Path("c1.csv"), Path("c2.csv"), Path("notes/*.txt")], 2, random_state=0, id="key")
    assert run.guessed_classes == "column 'label'"


def test_a_pattern_is_a_document_for_each_text(here):
    for pattern in ("notes/**/*.txt", Path("notes/**/*.txt"), str(here / "notes/**/*.txt")):
        corpus = read_corpus(pattern)
        assert sorted(corpus.texts()) == ["one moon\nstill one", "two moons"]
    assert "no file or folder that notes/*.md stands for" in refused("notes/*.md")
    assert "no file or folder that x/*.csv stands for" in refused([Path("a.csv"), Path("x/*.csv")])


def test_a_pattern_of_tables_is_one_table_with_the_same_guesses(here):
    for name in ("c1.csv", "c2.csv"):
        written(table_of(), Path(name))
    corpus = read_corpus("c*.csv", id="key")
    assert corpus.notes.columns["id"] == "key"
    assert len(corpus) == 80
    assert corpus.documents["id"][0] == "c1.csv:k0"
    assert corpus.documents.columns == ["id", "text", "label", "date", "title", "source"]


def test_a_folder_and_an_archive_may_be_among_them(here):
    corpus = read_corpus([Path("notes"), Path("a.csv")])
    assert corpus.documents["source"].to_list() == ["notes", "notes", "a.csv", "a.csv"]


def test_a_named_column_must_be_in_each_table(here):
    assert "b.csv has no column 'label' for the label" in refused([Path("a.csv"), Path("b.csv")], label="label")


def test_what_cannot_be_read_with_others_is_refused(here):
    sp.save_npz("m.npz", sp.csr_array(np.eye(3)))
    assert "m.npz is a matrix" in refused([Path("a.csv"), Path("m.npz")])
    assert "Standard input is read alone" in refused([Path("a.csv"), Path("-")])
    Path("a.exe").write_bytes(b"MZ")
    told, alone = refused([Path("a.csv"), Path("a.exe")]), refused("a.exe")
    assert told == alone.replace("not known: give", "not known: leave it out, or give")


def test_a_run_keeps_where_documents_are_from(here, tmp_path):
    for name in ("c1.csv", "c2.csv"):
        written(table_of(), Path(name))
    run = cluster([Path("c1.csv"), Path("c2.csv")], 2, random_state=0, out=tmp_path / "run", id="key")
    assert run.documents["source"].value_counts().sort("source").rows() == [("c1.csv", 40), ("c2.csv", 40)]
    kept = pl.read_parquet(tmp_path / "run" / "documents.parquet")
    assert kept["source"].equals(run.documents["source"])
    assert command(run).startswith("quire cluster c1.csv c2.csv --id key")


def test_what_is_named_on_the_command_line(here):
    assert source_of(["a.csv"], "cluster") == "a.csv"
    assert source_of(["a.csv", "b.csv"], "cluster") == (Path("a.csv"), Path("b.csv"))
    with pytest.raises(ValueError, match=r"no file or folder c\.csv"):
        source_of(["a.csv", "c.csv"], "cluster")
    with pytest.raises(ValueError, match="`quire cluster` needs documents"):
        source_of([], "cluster")
    names = ("a.csv.xz", "notes/*.txt", "b.tar.gz")
    assert list(map(default_folder, names)) == ["quire-a", "quire-notes", "quire-b"]


def test_unread_files_are_counted_by_ending(here):
    for i in range(4):
        Path(f"notes/{i}.zip").write_bytes(b"")
    for i in range(12):
        Path(f"notes/x.e{i:02d}").write_bytes(b"")
    Path("notes/bad.txt").write_bytes(b"\0\1")
    sentences = read_corpus("notes").notes.sentences()
    shown = ", ".join(f"1 .e{i:02d}" for i in range(9))
    assert f"16 of 19 files were not read: 4 .zip, {shown}, 3 others." in sentences
    assert "1 file was skipped: bad.txt (binary)." in sentences
