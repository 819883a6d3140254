"""Counts in memory that are no sparse matrix, and texts that are no strings."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from refusals import tried
from tables import compared

import quire
from quire.runs.options import Options

COUNTS = np.random.default_rng(0).integers(0, 3, (9, 4))
NAMES = ["moon", "sun", "goal", "cup"]
TABLES = {
    "array": (COUNTS, None), "floats": (COUNTS.astype(np.float32), None),
    "pandas": (pd.DataFrame(COUNTS, columns=NAMES), NAMES), "numbered": (pd.DataFrame(COUNTS), list("0123")),
    "polars": (pl.DataFrame(COUNTS, schema=NAMES), NAMES),
    "sparse": (pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(COUNTS), columns=NAMES), NAMES),
    "arrow": (pa.table(dict(zip(NAMES, COUNTS.T))), NAMES),
    "batch": (pa.RecordBatch.from_pydict(dict(zip(NAMES, COUNTS.T))), NAMES),
    "dict": (dict(zip(NAMES, COUNTS.T.tolist())), NAMES),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_rows_of_numbers_are_documents(name, place):
    source, terms = TABLES[name]
    corpus = compared(source, Options(), place)
    assert np.array_equal(corpus.counts.toarray(), COUNTS)
    assert corpus.vocabulary == terms


def test_numbers_that_are_no_counts_are_refused():
    assert "finite number" in tried(-COUNTS)
    assert "finite number" in tried(np.full((3, 2), np.nan))
    assert "has no columns" in tried(pd.DataFrame(COUNTS, columns=NAMES), text="moon")


def test_columns_are_named_in_topics():
    blocks = np.kron(np.eye(2, dtype=int), np.ones((6, 2), int))
    run = quire.cluster(pd.DataFrame(blocks, columns=NAMES), 2, recipe="nmf", random_state=0)
    assert {word for words in run.topics["keywords"].to_list() for word in words} == set(NAMES)


TEXTS = ["one moon", "two goals", "née"]
LISTS = {
    "arrow": pa.array(TEXTS), "chunks": pa.chunked_array([TEXTS]), "bytes": [text.encode() for text in TEXTS],
    "latin": [text.encode("cp1252") for text in TEXTS], "tokens": [text.split() for text in TEXTS],
    "batch": pa.RecordBatch.from_pydict({"text": TEXTS}), "rows": [{"text": text} for text in TEXTS],
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_texts_that_are_no_strings(name, place):
    corpus = compared(LISTS[name], Options(), place)
    assert list(corpus.texts()) == TEXTS
    assert ("tokens=str.split" in " ".join(corpus.notes.sentences())) == (name == "tokens")


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_tokens_are_joined_wherever_they_stand(kind):
    tokens = [kind(text.split()) for text in TEXTS]
    column = pd.Series(tokens)
    for source in (tokens, column, column.to_frame("text"), [{"text": one} for one in tokens]):
        assert list(quire.read_corpus(source).texts()) == TEXTS
    assert "is of type ndarray" in tried([np.arange(3)])


def test_a_dict_is_never_read_by_its_keys():
    assert "texts.values" in tried(dict.fromkeys(TEXTS, "a text"))
    assert "is of type list" in tried([[1, 2], [3, 4]])
