"""The real corpora, read without a hint."""

import polars as pl
import pytest

from quire.corpus.corpus import read_corpus


def test_20newsgroups(data):
    corpus = read_corpus(data / "20newsgroups.parquet")
    assert len(corpus) == 18_846
    assert corpus.documents.columns == ["id", "text", "label", "split"]
    assert corpus.documents["label"].n_unique() == 20
    assert (corpus.notes.n_empty, corpus.notes.n_duplicates) == (0, 0)


@pytest.mark.parametrize("name", ["bbc_news", "reuters21578_single51", "webkb"])
def test_duplicates_and_empty_documents(data, name):
    corpus = read_corpus(data / f"{name}.parquet")
    texts = list(corpus.texts())
    filled = [text for text in texts if text.strip()]
    assert corpus.notes.n_duplicates == len(filled) - len(set(filled)) > 0
    assert corpus.notes.n_empty == len(texts) - len(filled) == (31 if name == "webkb" else 0)


def test_dates(data):
    reuters = read_corpus(data / "reuters21578_single51.parquet")
    assert isinstance(reuters.documents.schema["date"], pl.Datetime)
    assert reuters.documents["date"].dt.year().unique().to_list() == [1987]
    assert reuters.documents["id"][0] == "1"
    speeches = read_corpus(data / "sotu.parquet").documents
    assert speeches.schema["date"] == pl.Date
    assert (speeches["date"].min().year, speeches["date"].max().year) == (1790, 2021)


def test_accounts(data):
    corpus = read_corpus(data / "russian_trolls.parquet", group="author")
    rows = pl.read_parquet(data / "russian_trolls.parquet")
    authors = rows["author"].unique(maintain_order=True)
    assert corpus.documents["id"].to_list() == authors.to_list()
    assert corpus.notes.grouped_from == rows.height
    assert corpus.notes.unparsed_dates == 0
    first = rows.filter(pl.col("author") == authors[0])
    assert corpus.documents["text"][0] == "\n".join(first["text"])
    assert corpus.documents["label"][0] == first["label"][0]


@pytest.mark.parametrize("name", ["tdt2", "k1a", "k1b", "re0", "re1", "webace1000", "cstr"])
def test_matrices(data, name):
    corpus = read_corpus(data / f"{name}.npz")
    assert corpus.counts.shape[0] == len(corpus)
    assert corpus.documents["label"].null_count() == 0
    assert ("date" in corpus.documents.columns) == (name == "tdt2")


def test_the_same_corpus_from_any_file(data, tmp_path):
    parquet = read_corpus(data / "bbc_news.parquet")
    documents = parquet.documents
    documents.write_csv(tmp_path / "a.csv")
    documents.write_ndjson(tmp_path / "a.jsonl")
    (tmp_path / "b.csv").write_text((tmp_path / "a.csv").read_text() + "short\n")
    (tmp_path / "b.jsonl").write_text((tmp_path / "a.jsonl").read_text() + "{\n")
    for name in ("a.csv", "a.jsonl", "b.csv", "b.jsonl"):
        assert read_corpus(tmp_path / name).fingerprint() == parquet.fingerprint()
