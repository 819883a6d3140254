"""Columns that play no role are kept: in a corpus, in parts as in memory, in a run, in plain types."""

import datetime

import polars as pl
import pytest
from tables import compared, written

import quire
from quire import read_corpus
from quire.corpus.others import MOST, RESERVED
from quire.runs.options import Options
from quire.runs.write import FOUND

N = 60
SURVEY = pl.DataFrame(
    {
        "answer": [f"word{i % 7} word{i % 5} word{i % 3} again" for i in range(N)],
        "age": [str(18 + i) for i in range(N)],
        "zip": [f"0{1000 + i}" for i in range(N)],
        "score": ["1.5" if i % 2 else "2" for i in range(N)],
        "region": [None if i == 3 else "north" if i % 2 else "south" for i in range(N)],
        "topic": [f"t{i}" for i in range(N)],
    }
)
KINDS = {"age": pl.Int64, "zip": pl.String, "score": pl.Float64, "region": pl.String, "given_topic": pl.String}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_every_column_is_kept_in_a_plain_type(kind, tmp_path):
    corpus = quire.read_corpus(written(SURVEY, tmp_path / f"survey.{kind}"), text="answer")
    documents = corpus.documents
    assert {name: documents.schema[name] for name in KINDS} == KINDS
    assert documents["age"].to_list() == [18 + i for i in range(N)]
    assert documents["region"].to_list() == SURVEY["region"].to_list()
    assert documents["given_topic"].to_list() == SURVEY["topic"].to_list()
    assert any("'topic' is kept as 'given_topic'" in sentence for sentence in corpus.notes.sentences())


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_parts_keep_the_same(kind, place, tmp_path):
    """One late value that is no number makes a column one of strings, in whatever part it is."""
    survey = SURVEY.with_columns(age=pl.Series([*SURVEY["age"][:-1], "old"]))
    compared(written(survey, tmp_path / f"survey.{kind}"), Options(text="answer"), place)
    documents = quire.read_corpus(tmp_path / f"survey.{kind}", text="answer").documents
    assert documents["age"].to_list() == survey["age"].to_list()


def test_a_guess_that_does_not_hold_is_an_ordinary_column():
    frame = pl.DataFrame({"text": ["a b", "c d", "e f"], "id": ["x", "x", "y"], "date": ["soon", "late", "never"]})
    documents = quire.read_corpus(frame).documents
    assert documents["id"].to_list() == ["1", "2", "3"]
    assert documents["given_id"].to_list() == ["x", "x", "y"]
    assert documents["given_date"].to_list() == ["soon", "late", "never"]


def test_rows_of_a_group_keep_what_they_agree_on():
    frame = pl.DataFrame({"who": ["a", "a", "b"], "text": ["x", "y", "z"], "party": ["r", "r", "g"], "mood": [1, 2, 3]})
    documents = quire.read_corpus(frame, group="who", label="party").documents
    assert documents.drop("text").rows() == [("a", "r", None), ("b", "g", 3)]


def test_lists_are_left_out_in_a_sentence_and_other_types_are_made_plain():
    zone = datetime.timezone(datetime.timedelta(hours=2))
    frame = pl.DataFrame(
        {
            "text": ["a b", "c d"], "vector": [[0.1], [0.2]], "tags": [["x", "y"], []],
            "kind": pl.Series(["p", "q"], dtype=pl.Categorical),
            "price": pl.Series(["1.5", None]).cast(pl.Decimal(9, 2)),
            "at": pl.Series([datetime.datetime(2020, 1, 1, 1, tzinfo=zone)] * 2), "on": [True, None],
        }
    )  # fmt: skip
    corpus = quire.read_corpus(frame, date="at")
    assert "Column 'vector' is not kept: it holds lists or records." in corpus.notes.sentences()
    assert corpus.documents.drop("id", "text", "date").rows() == [("x y", "p", 1.5, True), (None, "q", None, None)]


@pytest.mark.parametrize("kind", ["csv", "xml"])
def test_a_table_without_end_to_the_right_is_bounded(kind, tmp_path):
    path, n = tmp_path / f"wide.{kind}", 30_000
    names = [f"c{i}" for i in range(n)]
    if kind == "csv":
        path.write_text(f"text,{','.join(names)}\n" + f"moon,{','.join('1' * n)}\n" * 2)
    else:
        record = "<one text='moon' " + " ".join(f"{name}='1'" for name in names) + "/>"
        path.write_text(f"<all>{record * 2}</all>")
    corpus = read_corpus(path)
    assert list(corpus.texts()) == ["moon"] * 2
    assert len(corpus.documents.columns) <= 2 + MOST
    assert kind == "xml" or "28,000 columns beyond the first 2,000 are not kept." in corpus.notes.sentences()


def test_sequences_beside_the_documents_leave_the_columns():
    documents = quire.read_corpus(SURVEY, text="answer", labels=["a"] * N, ids=range(N)).documents
    assert documents["age"].to_list() == [18 + i for i in range(N)]


def test_no_column_of_a_run_can_be_overwritten():
    assert set(FOUND) <= RESERVED


def test_a_run_has_them_and_shows_them(tmp_path):
    run = quire.cluster(SURVEY, 2, recipe="nmf", random_state=0, text="answer")
    loaded = quire.load(run.save(tmp_path / "run"))
    for one in (run, loaded):
        assert one.documents["age"].to_list() == [18 + i for i in range(N)]
        assert one.documents["given_topic"].to_list() == SURVEY["topic"].to_list()
        assert one.documents.schema["topic"] == pl.Int32
    assert loaded.documents.columns[-1] == "text"


def test_memory_counts_them():
    from quire.runs.need import need_of

    wide = SURVEY.with_columns(html=pl.Series(["<p>" * 5000] * N))
    bare, need = (need_of(one, Options(topics=2, text="answer")) for one in (SURVEY, wide))
    assert need.text_bytes == bare.text_bytes
    assert need.memory - bare.memory >= N * 15_000
