"""What Python programs hold: texts in any iterable, tables of any library; and what standard input is seen to be."""

import importlib.util
import io
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused
from tables import N, compared, table_of

from quire import read_corpus
from quire.runs.need import need_of
from quire.runs.options import Options

TEXTS = ["one moon", "two goals", ""]
ITERABLES = {
    "tuple": tuple(TEXTS),
    "keys": dict.fromkeys(TEXTS).keys(),
    "array": np.array(TEXTS),
    "objects": np.array(TEXTS, object),
    "series": pl.Series(TEXTS),
    "pandas": pd.Series(TEXTS),
    "pandas strings": pd.Series(TEXTS, dtype="string", index=["x", "y", "z"]),
}


@pytest.mark.parametrize("name", ITERABLES)
def test_texts_in_any_iterable(name, place):
    corpus = compared(ITERABLES[name], Options(), place)
    assert list(corpus.texts()) == TEXTS


def test_a_dict_of_dicts_is_records_by_id_or_columns():
    records = {"a": {"text": "one moon", "n": 1}, "b": {"text": "two goals", "n": 2}}
    frame = pl.DataFrame({"id": ["a", "b"], "text": ["one moon", "two goals"], "n": [1, 2]})
    columns = {name: dict(enumerate(frame[name])) for name in frame.columns}  # as pandas gives them
    for source in (records, columns):
        assert read_corpus(source).documents.equals(frame)


def test_lines_of_an_open_file_are_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,n\none moon,1\n")
    with path.open() as file:
        corpus = read_corpus(file)
    assert len(corpus) == 2
    assert "pass its path to read it by its ending" in corpus.notes.sentences()[0]


def test_texts_that_are_names_of_files_are_told(tmp_path):
    paths = [tmp_path / f"{name}.txt" for name in "ab"]
    for path in paths:
        path.write_text("one moon")
    corpus = read_corpus([str(path) for path in paths])
    assert list(corpus.texts()) == [str(path) for path in paths]
    assert (
        "Every text is the name of a file: to read the files, pass pathlib.Path(name) for each."
        in corpus.notes.sentences()
    )
    assert list(read_corpus(paths).texts()) == ["one moon", "one moon"]
    for texts in ([str(paths[0]), "a text"], [str(paths[0]), "a\0b"], [str(paths[0]), "x" * 5000]):
        assert not any("name of a file" in one for one in read_corpus(texts).notes.sentences())


def test_texts_that_come_once():
    assert list(read_corpus(text for text in TEXTS).texts()) == TEXTS
    assert list(read_corpus(map(str, TEXTS)).texts()) == TEXTS


class Dataset:
    """As much as is needed of one of Hugging Face's."""

    def __init__(self, frame):
        self._frame, self.column_names, self.num_rows = frame, frame.columns, frame.height

    def __len__(self):
        return self.num_rows

    def __getitem__(self, rows):
        return self._frame[rows].to_dict(as_series=False)


Dataset.__module__ = "datasets.arrow_dataset"


class Streamed:
    """Stands for a dataset of Hugging Face's that is not known whole."""

    def __init__(self, rows, features):
        self.rows, self.features = rows, features

    def __iter__(self):
        return iter(self.rows)


Streamed.__module__ = "datasets.iterable_dataset"


def tables():
    frame = table_of()
    yield "columns", frame.to_dict(as_series=False)
    yield "arrays", {name: frame[name].to_numpy() if name == "key" else frame[name] for name in frame.columns}
    yield "records", frame.to_dicts()
    yield "dataset", Dataset(frame)
    if importlib.util.find_spec("pyarrow") is not None:
        yield "arrow", frame.to_arrow()


@pytest.mark.parametrize(("name", "table"), list(tables()), ids=lambda value: value if isinstance(value, str) else "")
def test_tables_of_any_library(name, table, place):
    corpus = compared(table, Options(id="key"), place)
    assert corpus.fingerprint() == read_corpus(table_of(), id="key").fingerprint()
    assert need_of(table, Options()).documents in (0, N)


def test_an_arrow_column_is_texts():
    arrow = pytest.importorskip("pyarrow")
    for column in (arrow.chunked_array([TEXTS[:1], TEXTS[1:]]), arrow.array(TEXTS)):
        assert list(read_corpus(column).texts()) == TEXTS


REFUSED = {
    "a dict of texts": ({"a": "one moon", "b": "two"}, "pass list(texts.values()), with ids=list(texts)"),
    "no columns": ({}, "The dict is empty"),
    "lengths": ({"text": ["a", "b"], "id": [1]}, "different lengths (text 2, id 1)"),
    "a set": ({"a", "b"}, "A set of texts has no order"),
    "datasets": (dict.fromkeys(["train", "test"], Dataset(table_of())), "several datasets (train, test): pass one"),
    "mixed": ([{"text": "a"}, "b"], "Record 2 of the list is of type str"),
    "numbers": ([1, 2], "Text 1 of the list is of type int"),
    "a number": (7, "cannot be read from int"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_and_no_texts_says_so(name):
    source, sentence = REFUSED[name]
    assert sentence in refused(source)


def test_a_word_of_a_long_column_is_enough_for_a_hint():
    frame = pl.DataFrame({"How did you like the moon?": ["well"], "Rest": ["x"]})
    assert "Did you mean 'How did you like the moon?'?" in refused(frame, text="moon")
    assert "its columns are 'How did you like the moon?', 'Rest'. Did you mean 'Rest'?" in refused(frame, text="rset")


STREAMS = {
    "csv": ("id,text\n1,one moon\n2,two\n", {}, ["one moon", "two"]),
    "semicolons": ("Id;Body\n1;one, two\n2;three\n", {}, ["one, two", "three"]),
    "tsv": ("text\tlabel\none moon\ta\ntwo\ta\n", {}, ["one moon", "two"]),
    "quotes": ('id,text\n1,"one\nmoon"\n2,"two, three"\n', {}, ["one\nmoon", "two, three"]),
    "named": ("n,words\n1,one moon\n2,two\n", {"text": "words"}, ["one moon", "two"]),
    "jsonl": ('{"text": "one"}\n{"text": "two"}\n', {}, ["one", "two"]),
    "json": ('[\n {"text": "one"},\n {"text": "two"}\n]\n', {}, ["one", "two"]),
    "texts": ('["one", "two"]', {}, ["one", "two"]),
    "prose": ("Well, it was late\nAnd dark, too\n", {}, ["Well, it was late", "And dark, too"]),
    "uneven": (
        "text, they said\nis one\nof three, or, more\n",
        {},
        ["text, they said", "is one", "of three, or, more"],
    ),
    "a survey": (
        '"who","What, if anything, did you like?","from"\n1,"all, really",n\n2,nothing,s\n3,"the ""food""",n\n',
        {},
        ["all, really", "nothing", 'the "food"'],
    ),
    "several named": ('likes,dislikes\nall,none\n"a, b",\n', {"text": "likes,dislikes"}, ["all\n\nnone", "a, b"]),
    "verse": ("one, two, three\n" * 2 + "four, five, six\nsun, moon, sky\n", {}, None),
    "bracket": ("[sic] it was\n[late]\n", {}, ["[sic] it was", "[late]"]),
    "one column": ("text\none\ntwo\n", {}, ["text", "one", "two"]),
}


@pytest.mark.parametrize("name", STREAMS)
def test_standard_input_is_recognised(name, monkeypatch):
    raw, options, texts = STREAMS[name]
    texts = raw.splitlines() if texts is None else texts
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw.encode())))
    assert list(read_corpus("-", **options).texts()) == texts


def test_a_real_dataset_is_read(place):
    datasets = pytest.importorskip("datasets")
    assert isinstance(datasets, ModuleType)
    data = datasets.Dataset.from_dict(table_of().to_dict(as_series=False))
    corpus = compared(data, Options(id="key"), place)
    assert corpus.fingerprint() == read_corpus(table_of(), id="key").fingerprint()


def test_an_iterator_of_records_is_a_table():
    rows = [{"id": f"r{i}", "text": text, "age": i} for i, text in enumerate(TEXTS)]
    for source in (iter(rows), (row for row in rows), map(dict, rows)):
        corpus = read_corpus(source, text="text")
        assert corpus.documents.rows() == [(row["id"], row["text"], row["age"]) for row in rows]
    assert "Record 2 of the list is of type str" in refused(iter([rows[0], "moon"]))


def test_the_named_index_of_a_frame_is_a_column():
    frame = pd.DataFrame({"text": TEXTS, "id": ["a", "b", "c"], "age": [1, 2, 3]})
    assert read_corpus(frame.set_index("id")).documents.rows() == read_corpus(frame).documents.rows()
    deep = frame.set_index(["id", "age"])
    assert read_corpus(deep).documents["age"].to_list() == [1, 2, 3]
    assert read_corpus(frame.set_index("age", drop=False)).documents["age"].to_list() == [1, 2, 3]


def test_classes_of_a_dataset_have_their_names():
    data = Dataset(pl.DataFrame({"text": TEXTS, "label": [1, 0, -1]}))
    data.features = {"label": SimpleNamespace(names=["moon", "goal"]), "text": SimpleNamespace()}
    assert read_corpus(data, label="label").documents["label"].to_list() == ["goal", "moon", None]
    assert len(read_corpus({"train": data})) == 3
    streamed = Streamed(data._frame.to_dicts(), data.features)
    assert read_corpus(streamed, label="label").documents["label"].to_list() == ["goal", "moon", None]
    assert len(read_corpus({"train": streamed})) == 3
    assert "several datasets (train, test)" in refused({"train": data, "test": data})


def test_several_texts_may_be_a_list_of_names():
    frame = pl.DataFrame({"likes": ["moon"], "dislikes": ["goal"]})
    assert list(read_corpus(frame, text=["likes", "dislikes"]).texts()) == ["moon\n\ngoal"]
    assert "named by a string, not by int" in refused(frame, text=3)
