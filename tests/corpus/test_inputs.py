"""Every kind of input, from end to end: what goes in comes out as documents."""

import gzip
import io
import json
import os
import subprocess
import sys
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from quire.corpus.corpus import Corpus, read_corpus

ROWS = [
    ("007", 'She said "no",\nthen left.', "talk", "2020-01-31"),
    ("b", "line; with | every\tseparator", "talk", "2020-02-01"),
    ("c", "", "", ""),
    ("d", "naïve 日本 😀", "note", "2020-02-03"),
]
FRAME = pl.DataFrame(ROWS, schema=["id", "text", "label", "date"], orient="row")


def check(corpus, kind):
    assert corpus.notes.kind == kind
    documents = corpus.documents
    assert documents.schema["date"] == pl.Date
    assert documents["id"].to_list() == ["007", "b", "c", "d"]
    assert documents["text"].to_list() == [row[1] for row in ROWS] == list(corpus.texts(batch=3))
    assert documents["label"].to_list() == ["talk", "talk", None, "note"]
    assert documents["date"].to_list() == [date(2020, 1, 31), date(2020, 2, 1), None, date(2020, 2, 3)]
    assert corpus.notes.columns == {name: name for name in ("text", "id", "date", "label")}
    assert (len(corpus), corpus.notes.n_documents, corpus.notes.n_empty) == (4, 4, 1)
    assert corpus.notes.malformed == corpus.notes.unparsed_dates == 0
    json.dumps(corpus.notes.as_dict())
    return corpus.fingerprint()


def jsonl(frame):
    return "".join(json.dumps(row) + "\n" for row in frame.iter_rows(named=True))


@pytest.mark.parametrize(
    ("name", "write"),
    {
        "a.csv": lambda p: FRAME.write_csv(p),
        "semicolons.csv": lambda p: FRAME.write_csv(p, separator=";"),
        "crlf.CSV": lambda p: FRAME.write_csv(p, line_terminator="\r\n"),
        "all quoted.csv": lambda p: FRAME.write_csv(p, quote_style="always"),
        "a.tsv": lambda p: FRAME.write_csv(p, separator="\t"),
        "pandas.csv": lambda p: FRAME.to_pandas().to_csv(p, index=False),
        "a.csv.gz": lambda p: p.write_bytes(gzip.compress(FRAME.write_csv().encode())),
        "a.csv.zst": lambda p: FRAME.write_csv(p, compression="zstd"),
        "[1] star*.csv": lambda p: FRAME.write_csv(p),
    }.items(),
)
def test_csv(tmp_path, name, write):
    write(tmp_path / name)
    assert check(read_corpus(tmp_path / name), "csv") == check(read_corpus(FRAME), "frame")


@pytest.mark.parametrize(
    ("name", "write"),
    {
        "a.jsonl": lambda p: p.write_text(jsonl(FRAME)),
        "a.ndjson": lambda p: p.write_text(jsonl(FRAME).replace("\n", "\r\n\r\n")),
        "[1] star*.jsonl": lambda p: p.write_text(jsonl(FRAME)),
        "a.jsonl.gz": lambda p: p.write_bytes(gzip.compress(jsonl(FRAME).encode())),
        "a.jsonl.zst": lambda p: FRAME.write_ndjson(p, compression="zstd"),
        "bom.jsonl": lambda p: p.write_text("\ufeff" + jsonl(FRAME)),
        "a.json": lambda p: p.write_text(json.dumps(FRAME.to_dicts(), indent=1)),
        "lines.json": lambda p: p.write_text(jsonl(FRAME)),
    }.items(),
)
def test_json(tmp_path, name, write):
    write(tmp_path / name)
    check(read_corpus(tmp_path / name), "json" if name.endswith(".json") else "jsonl")


def test_parquet(tmp_path):
    typed = FRAME.with_columns(
        pl.col("date").str.to_date(strict=False), pl.col("label").replace("", None).cast(pl.Categorical)
    )
    typed.write_parquet(tmp_path / "[a].parquet")
    check(read_corpus(tmp_path / "[a].parquet"), "parquet")
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress((tmp_path / "[a].parquet").read_bytes()))
    check(read_corpus(tmp_path / "a.parquet.gz"), "parquet")


def test_data_frames():
    check(read_corpus(FRAME), "frame")
    check(read_corpus(FRAME.lazy()), "frame")
    frame = pd.DataFrame(ROWS, columns=["id", "text", "label", "date"]).assign(n=[1, 2, 3, 4])
    check(read_corpus(frame), "frame")
    check(read_corpus(frame.replace("", None).set_index("n")), "frame")
    check(read_corpus(frame.replace("", np.nan).astype({"label": "category"})), "frame")
    moments = frame.assign(date=pd.to_datetime(frame["date"].replace("", None)))
    assert read_corpus(moments).documents["date"].dt.date().to_list() == [
        date(2020, 1, 31),
        date(2020, 2, 1),
        None,
        date(2020, 2, 3),
    ]
    zoned = moments.assign(date=moments["date"].dt.tz_localize("Europe/Rome"))
    assert read_corpus(zoned).documents["date"][0] == datetime(2020, 1, 30, 23)


def test_lists_and_series():
    texts = ["one", None, "one", "", "  \n", "two"]
    for source in (texts, tuple(texts), iter(texts), pl.Series(texts), pd.Series(texts), np.array(texts, object)):
        corpus = read_corpus(source, labels=[1, 2, None, 1, 1, 1], dates=["1998", "1999-02", None, "", "2", "x"])
        assert corpus.documents["id"].to_list() == list("123456")
        assert list(corpus.texts()) == ["one", "", "one", "", "  \n", "two"]
        assert corpus.documents["label"].to_list() == ["1", "2", None, "1", "1", "1"]
        assert corpus.documents["date"].to_list() == [date(1998, 1, 1), date(1999, 2, 1), *[None] * 4]
        notes = corpus.notes
        assert (notes.kind, notes.n_empty, notes.n_duplicates, notes.unparsed_dates) == ("texts", 3, 1, 2)
    assert read_corpus(corpus) is corpus
    days = np.array(["2020-01-02", "NaT"], "datetime64[D]")
    dated = read_corpus(["a", "b"], dates=days, ids=[5, 6], labels=pd.Series([1.0, np.nan]))
    assert dated.documents.rows() == [("5", "a", "1", datetime(2020, 1, 2)), ("6", "b", None, None)]
    assert read_corpus(["a"], dates=[date(2020, 1, 2)]).documents["date"][0] == date(2020, 1, 2)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.txt.gz"])
def test_text_file_is_a_document_a_line(tmp_path, name):
    raw = "one\r\n\r\nthrée\u2028still\x0c\r\n".encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    corpus = read_corpus(str(tmp_path / name))
    assert corpus.documents.rows() == [("1", "one"), ("2", ""), ("3", "thrée\u2028still\x0c")]
    assert corpus.notes.kind == "lines"
    assert "Each line of" in corpus.notes.sentences()[0]


def test_standard_input(monkeypatch):
    def given(raw):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return read_corpus("-")

    assert list(given(b"one\ntwo").texts()) == ["one", "two"]
    assert list(given(b"{one}\ntwo\n").texts()) == ["{one}", "two"]
    assert given(b"caf\xe9\n").notes.replaced_characters == 1
    check(given(b"\n" + jsonl(FRAME).encode()), "jsonl")
    broken = given(b'{"body": "a"}\nnot JSON\n{"body": "b"}\n')
    assert (list(broken.texts()), broken.notes.malformed_lines) == (["a", "b"], (2,))


def test_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = subprocess.Popen(["sh", "-c", f"printf 'one\\ntwo\\n' > '{tmp_path}/pipe'"])
    assert list(read_corpus(tmp_path / "pipe").texts()) == ["one", "two"]
    writer.wait()


def test_matrix(tmp_path):
    X = sp.coo_array(np.array([[0, 2, 0], [1, 0, 3], [0, 0, 0]]))
    sp.save_npz(tmp_path / "m.npz", X)
    np.save(tmp_path / "m_labels.npy", [4, 4, 5])
    np.save(tmp_path / "m_dates.npy", ["1998-01-10", "1998-01-12", "?"])
    (tmp_path / "terms.txt").write_text("a\nb\nc\n")
    (tmp_path / "terms.json").write_text('["a", "b", "c"]')
    for vocabulary in (tmp_path / "terms.txt", str(tmp_path / "terms.json"), ["a", "b", "c"]):
        corpus = read_corpus(tmp_path / "m.npz", vocabulary=vocabulary)
        assert corpus.vocabulary == ["a", "b", "c"]
    assert isinstance(corpus.counts, sp.csr_array)
    assert (corpus.counts != X.tocsr()).nnz == 0
    assert corpus.documents.rows() == [("0", "4", date(1998, 1, 10)), ("1", "4", date(1998, 1, 12)), ("2", "5", None)]
    assert corpus.notes.guessed == ("label", "date")
    assert (corpus.notes.kind, corpus.notes.n_empty, corpus.notes.unparsed_dates) == ("matrix", 1, 1)
    with pytest.raises(ValueError, match="no texts"):
        next(corpus.texts())
    in_memory = read_corpus(X, labels=[4, 4, 5], dates=["1998-01-10", "1998-01-12", None])
    assert in_memory.fingerprint() == read_corpus(tmp_path / "m.npz").fingerprint() != corpus.fingerprint()


@pytest.mark.parametrize(("ending", "written"), [(".txt", "a\nb\nc\n"), (".json", '["a", "b", "c"]')])
def test_a_vocabulary_beside_a_matrix_is_found_and_told(tmp_path, ending, written):
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(np.eye(3)))
    beside = tmp_path / f"m_vocabulary{ending}"
    beside.write_text(written)
    corpus = read_corpus(tmp_path / "m.npz")
    assert corpus.vocabulary == ["a", "b", "c"]
    assert corpus.notes.sentences() == [f"Its terms are named by {beside.name}, which lies beside it."]
    given = read_corpus(tmp_path / "m.npz", vocabulary=["x", "y", "z"])
    assert (given.vocabulary, given.notes.sentences()) == (["x", "y", "z"], [])
    beside.write_text('["a"]')
    wrong = read_corpus(tmp_path / "m.npz")
    assert wrong.vocabulary is None
    assert f"{beside.name} was not used. The vocabulary has 1 terms" in wrong.notes.sentences()[0]


def test_matrix_keeps_going_without_its_neighbours(tmp_path):
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(np.eye(3)))
    np.save(tmp_path / "m_labels.npy", [4, 4])
    np.save(tmp_path / "m_dates.npy", np.array([{}, 1, 2], dtype=object), allow_pickle=True)
    corpus = read_corpus(tmp_path / "m.npz")
    assert corpus.documents.columns == ["id"]
    assert len(corpus.notes.sentences()) == 2


def test_groups():
    frame = pl.DataFrame(
        {
            "who": ["b", "a", None, "b", "a", "b", ""],
            "said": ["one", "two", "lost", "three", None, "four", "lost"],
            "party": ["x", "y", "z", "w", None, "w", "z"],
            "when": ["2020-01-03", "soon", "2020-01-01", "2020-01-02", "2020-05-05", "", "2020-01-01"],
            "title": list("1234567"),
        }
    )
    corpus = read_corpus(frame, text="said", group="who", label="party", date="when")
    assert corpus.documents.rows() == [
        ("b", "one\nthree\nfour", "w", date(2020, 1, 2), None),
        ("a", "two\n", "y", date(2020, 5, 5), None),
    ]
    assert (corpus.notes.grouped_from, corpus.notes.n_ungrouped, corpus.notes.unparsed_dates) == (5, 2, 1)
    assert "2 rows without a value in column 'who' were left out." in corpus.notes.sentences()
    tie = read_corpus(frame.head(4), group="who", label="party").documents
    assert tie["label"].to_list() == ["x", "y"]  # one each: the first seen


def test_guesses():
    frame = pl.DataFrame(
        {
            "Unnamed": ["some quite long string of words"] * 4,
            "Doc-ID": ["a", "b", "c", "d"],
            "Created At": ["2020-01-01T10:00:00Z", "2020-01-01T12:00:00+02:00", None, "2020-01-02T00:00"],
            "Headline": ["A", "B", "C", "D"],
            "BODY": ["one", "two", "three", "four"],
            "Category": ["x", "x", "y", None],
        }
    )
    corpus = read_corpus(frame)
    assert corpus.notes.columns == {
        "text": "BODY",
        "id": "Doc-ID",
        "date": "Created At",
        "title": "Headline",
        "label": "Category",
    }
    assert set(corpus.notes.guessed) == set(corpus.notes.columns)
    assert corpus.documents["date"].to_list()[:2] == [datetime(2020, 1, 1, 10), datetime(2020, 1, 1, 10)]
    named = read_corpus(frame, text="Unnamed", id="BODY").notes
    assert (named.columns["text"], named.columns["id"]) == ("Unnamed", "BODY")
    assert set(named.guessed) == {"date", "title", "label"}
    assert "Columns were guessed: text = 'BODY'" in corpus.notes.sentences()[0]


def test_a_guess_that_does_not_hold_is_dropped():
    frame = pl.DataFrame(
        {
            "id": ["a", "a", "b"],  # not unique
            "x": ["longest on average", "b", "c"],
            "y": ["short", "b", "c"],
            "date": ["tomorrow", "later", "2020-01-01"],
            "label": ["p", "q", "r"],  # as many as rows
        }
    )
    corpus = read_corpus(frame)
    assert corpus.notes.columns == {"text": "x"}
    assert corpus.documents.select("id", "text").rows() == [("1", "longest on average"), ("2", "b"), ("3", "c")]


@pytest.mark.parametrize(
    ("n", "values", "holds"), [(100, 19, True), (100, 20, False), (100, 40, False), (12, 3, True), (12, 7, False)]
)
def test_names_of_authors_are_no_known_classes(n, values, holds):
    frame = pl.DataFrame({"text": [f"text {i}" for i in range(n)], "label": [f"a{i % values}" for i in range(n)]})
    corpus = read_corpus(frame)
    assert ("label" in corpus.documents.columns) == holds
    assert ("given_label" in corpus.documents.columns) != holds
    assert "label" in read_corpus(frame, label="label").documents.columns, "a column that was named is taken"


@pytest.mark.parametrize("name", ["Date of answer", "SubmissionDate", "start_date", "Timestamp (UTC)"])
def test_a_date_is_guessed_by_a_word_of_its_name(name):
    frame = pl.DataFrame({"text": ["one", "two"], "Date of birth": ["1980-01-01"] * 2, name: ["2024-05-06"] * 2})
    corpus = read_corpus(frame)
    assert corpus.notes.columns["date"] == name
    assert corpus.documents["date"].to_list() == [date(2024, 5, 6)] * 2
    no_dates = read_corpus(frame.with_columns(pl.lit("soon").alias(name)))
    assert "date" not in no_dates.documents.columns
    assert no_dates.documents[name].to_list() == ["soon"] * 2


def test_a_date_is_guessed_by_its_type():
    frame = pl.DataFrame({"text": ["a", "b"], "when it was": [date(2020, 1, 1), None]})
    assert read_corpus(frame).notes.columns["date"] == "when it was"


def test_fingerprint_sees_every_part_and_nothing_else(tmp_path):
    base = read_corpus(["ab", "c"], labels=["x", None], dates=["2020", None])
    for name in ("a.csv", "b.csv"):
        base.documents.write_csv(tmp_path / name, null_value="")
    read = [read_corpus(tmp_path / name, label="label", date="date") for name in ("a.csv", "b.csv")]
    assert {corpus.fingerprint() for corpus in read} == {base.fingerprint()}
    chunked = pl.concat([base.documents[:1], base.documents[1:]], rechunk=False)
    assert Corpus.of(chunked, base.notes).fingerprint() == base.fingerprint()
    others = [
        read_corpus(["a", "bc"], labels=["x", None], dates=["2020", None]),
        read_corpus(["ab", "c"], labels=[None, "x"], dates=["2020", None]),
        read_corpus(["ab", "c"], labels=["x", None], dates=[None, "2020"]),
        read_corpus(["ab", "c"], labels=["x", None]),
        read_corpus(["ab", "c"], labels=["x", None], dates=["2020", None], ids=["p", "q"]),
    ]
    assert len({corpus.fingerprint() for corpus in [base, *others]}) == 6


def test_progress(tmp_path):
    seen = []
    for i in range(130):
        (tmp_path / f"{i:03}.txt").write_text("a word")
    read_corpus(tmp_path, progress=lambda *call: seen.append(call))
    assert seen[0] == ("reading", 0, 130)
    assert ("reading", 64, 130) in seen
    assert seen[-1] == ("reading", 130, 130)


def test_no_pandas_nor_pyarrow(tmp_path):
    """A user may have neither: reading must import neither."""
    FRAME.write_csv(tmp_path / "a.csv")
    FRAME.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text(jsonl(FRAME))
    code = """
import sys
sys.modules["pandas"] = sys.modules["pyarrow"] = None  # importing them raises
from quire.corpus.corpus import read_corpus
prints = {read_corpus(path).fingerprint() for path in sys.argv[1:]}
assert len(prints) == 1, prints
"""
    files = [str(tmp_path / f"a.{ending}") for ending in ("csv", "jsonl", "parquet")]
    subprocess.run([sys.executable, "-c", code, *files], check=True)


QUESTIONS = {
    "a question": "Respondent,What do you like most about the service that we offer you?\n17,It is fast\n18,Nothing\n",
    "an order": "Respondent,Please describe your experience with us in your own words\n17,It was good\n18,Nothing\n",
    "two": "What is your age in years at this very time?,Any comment on the whole event as such?\n17,Good\n18,No\n",
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_header_may_hold_long_questions(tmp_path, name):
    path = tmp_path / "survey.csv"
    path.write_text(QUESTIONS[name])
    corpus = read_corpus(path)
    assert corpus.notes.columns["text"] == QUESTIONS[name].split("\n")[0].split(",")[1]
    assert len(corpus) == 2


def test_a_long_first_line_is_a_header_where_a_column_of_it_is_named(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("Please describe your experience with us in your own words\nIt was good\nNothing\n")
    with pytest.raises(ValueError, match="name the column with --text"):
        read_corpus(path)
    assert len(read_corpus(path, text="Please describe your experience with us in your own words")) == 2


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
def test_a_comma_in_a_question_separates_nothing(tmp_path, separator):
    path = tmp_path / "a.csv"
    header = ["What do you like about the moon, and why?", "What, then, would you change?"]
    rows = [[f"I like {i} of its craters", f"fewer goals, {i} of them, and so on"] for i in range(9)]
    cells = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in [header, *rows]]
    path.write_text("\n".join(separator.join(row) for row in cells))
    corpus = read_corpus(path, text=header[0])
    assert list(corpus.texts()) == [row[0] for row in rows]
    assert corpus.documents[header[1]].to_list() == [row[1] for row in rows]
