"""What a source would take is told for every recipe and every kind of source, so that `memory=` holds."""

import tracemalloc
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from problems import PLAIN, stories
from tables import N, table_of, texts_of, written

import quire
from quire.methods.ensemble.embedding import beside_vectors
from quire.runs.need import need_of
from quire.runs.options import Options
from quire.runs.recipe import recipe

ENSEMBLE = {"name": "mine", "factorization": {"method": "Ensemble"}}


@pytest.mark.parametrize("own", [PLAIN, ENSEMBLE, recipe("tfidf")], ids=["dict", "ensemble", "recipe"])
def test_a_recipe_of_ones_own_does_not_hide_the_need(own):
    texts, _ = stories()
    with pytest.raises(ValueError, match="takes more memory than it may"):
        quire.cluster(texts, 3, recipe=own, memory="1MB")


def test_several_runs_take_more_than_one():
    texts, _ = stories()
    one, several = (need_of(texts, Options(topics=3), recipe(own)).memory for own in (PLAIN, ENSEMBLE))
    assert 0 < one < several


COLUMNS = {
    "pandas": pd.Series,
    "polars": pl.Series,
    "of a frame": lambda texts: pd.DataFrame({"text": texts})["text"],
    "of strings": lambda texts: pd.Series(texts, dtype="string"),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_texts(kind):
    texts, _ = stories()
    column = COLUMNS[kind]
    need = need_of(column(texts), Options(topics=3))
    size = sum(map(len, texts))
    assert need.documents == len(texts)
    assert size <= need.text_bytes <= 3 * size
    found = quire.cluster(column(texts), 3, random_state=0)
    assert np.array_equal(found.labels, quire.cluster(texts, 3, random_state=0).labels)


def test_what_is_smaller_once_it_was_read_is_made_in_memory(tmp_path):
    """The size of a file is known at first, that of its texts once it was read for labels given beside it."""
    texts, labels = stories()
    frame = pl.DataFrame({"text": texts, "notes": ["padding " * 8000] * len(texts)})
    frame.write_csv(tmp_path / "wide.csv")
    run = quire.cluster(
        tmp_path / "wide.csv", 3, text="text", labels=labels, memory="440MB", out=tmp_path / "run",
        random_state=0,
    )  # fmt: skip
    assert run.scores["accuracy"] == 1


def test_the_need_is_told_before_anything_is_read(tmp_path):
    texts = texts_of()
    size = sum(len(text) for text in texts)
    written(table_of(), tmp_path / "a.parquet")
    written(table_of(), tmp_path / "a.csv")
    (tmp_path / "a.txt").write_text("\n".join(texts))
    folder = tmp_path / "folder"
    folder.mkdir()
    for i, text in enumerate(texts):
        (folder / f"{i}.txt").write_text(text)
    for source in (texts, table_of(), tmp_path / "a.parquet", tmp_path / "a.txt", folder):
        need = need_of(source, Options(topics=5))
        assert abs(need.documents - N) <= 1, source
        assert size - N <= need.text_bytes <= size + N, source
    need = need_of(tmp_path / "a.csv", Options(topics=5))
    assert need.documents in (N, N + 1)
    assert need.text_bytes == (tmp_path / "a.csv").stat().st_size
    assert need_of(tmp_path / "nothing.csv", Options()).documents == 0
    larger = need_of(tmp_path / "a.parquet", Options(topics=50))
    assert need_of(tmp_path / "a.parquet", Options(topics=5)).memory < larger.memory


@pytest.mark.parametrize("kind", ["file", "column", "column of text", "parquet", "read before"])
def test_vectors_are_counted(tmp_path, kind):
    texts, width = texts_of(), 48
    vectors = np.random.default_rng(0).random((len(texts), width)).astype(np.float32)
    source, options = pl.DataFrame({"text": texts}), Options(topics=5, embeddings="vectors")
    if kind == "file":
        np.save(tmp_path / "vectors.npy", vectors)
        with_vectors, options = source, Options(topics=5, embeddings=str(tmp_path / "vectors.npy"))
    elif kind == "column of text":
        with_vectors = source.with_columns(vectors=pl.Series([str(one.tolist()) for one in vectors]))
    else:
        with_vectors = source.with_columns(vectors=pl.Series(vectors.tolist()))
    if kind == "parquet":
        with_vectors.write_parquet(tmp_path / "a.parquet")
        with_vectors = tmp_path / "a.parquet"
    elif kind == "read before":
        with_vectors, options = quire.read_corpus(texts, embeddings=vectors), Options(topics=5)
    bare, need = need_of(source, Options(topics=5)), need_of(with_vectors, options)
    assert need.disk - bare.disk == vectors.nbytes
    assert need.memory - bare.memory == pytest.approx(vectors.nbytes + _bytes_of_use() * vectors.size, rel=0.15)
    plain = (need_of(*given, recipe(PLAIN)).memory for given in ((with_vectors, options), (source, Options(topics=5))))
    assert next(plain) - next(plain) == vectors.nbytes  # a method that does not look at them


@cache
def _bytes_of_use():
    """Return the bytes for a number that it takes to make places of vectors, at the peak."""
    vectors, places = np.ones((10_000, 128), np.float32), np.zeros((10_000, 1), np.float32)
    tracemalloc.start()
    try:
        beside_vectors(places, vectors[np.arange(len(vectors))])
        return tracemalloc.get_traced_memory()[1] / vectors.size
    finally:
        tracemalloc.stop()
