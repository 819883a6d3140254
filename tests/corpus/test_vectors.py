"""Vectors beside documents: from wherever they come they are the same, and what is wrong with them is said."""

import json
import sys
from types import ModuleType

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from quire.corpus import models
from quire.corpus.corpus import read_corpus
from quire.corpus.vectors import MODEL

TEXTS = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
VECTORS = np.array([[1.0, 0.0], [0.5, 0.25], [0.0, 1.0], [0.0, 2.0]], np.float32)


def _array(folder):
    return read_corpus(TEXTS, embeddings=VECTORS)


def _file(folder):
    np.save(folder / "vectors.npy", VECTORS.astype(np.float64))
    return read_corpus(TEXTS, embeddings=folder / "vectors.npy")


def _frame(folder):
    return read_corpus(pl.DataFrame({"text": TEXTS, "vector": VECTORS.tolist()}), embeddings="vector")


def _pandas(folder):
    pandas = pytest.importorskip("pandas")
    return read_corpus(pandas.DataFrame({"text": TEXTS, "vector": list(VECTORS)}), embeddings="vector")


def _fixed_width(folder):
    column = pl.Series("vector", VECTORS.tolist(), pl.Array(pl.Float64, 2))
    pl.DataFrame([pl.Series("text", TEXTS), column]).write_parquet(folder / "t.parquet")
    return read_corpus(folder / "t.parquet", embeddings="vector")


def _lines(folder):
    rows = [json.dumps({"text": text, "vector": vector}) for text, vector in zip(TEXTS, VECTORS.tolist())]
    (folder / "t.jsonl").write_text("\n".join(rows))
    return read_corpus(folder / "t.jsonl", embeddings="vector")


def _written_out(folder):
    pl.DataFrame({"text": TEXTS, "vector": [json.dumps(row) for row in VECTORS.tolist()]}).write_csv(folder / "t.csv")
    return read_corpus(folder / "t.csv", embeddings="vector")


@pytest.mark.parametrize("given", [_array, _file, _frame, _pandas, _fixed_width, _lines, _written_out])
def test_vectors_come_from_anywhere(given, tmp_path):
    corpus = given(tmp_path)
    assert np.array_equal(np.asarray(corpus.vectors), VECTORS)
    assert corpus.documents["text"].to_list() == TEXTS
    assert "vector" not in corpus.documents.columns
    assert "embeddings" not in corpus.documents.columns
    assert np.array_equal(corpus.vectors[np.array([3, 0])], VECTORS[[3, 0]])


def test_a_fingerprint_knows_them():
    plain, one = read_corpus(TEXTS), read_corpus(TEXTS, embeddings=VECTORS)
    assert one.fingerprint() == read_corpus(plain, embeddings=VECTORS.tolist()).fingerprint()
    assert len({plain.fingerprint(), one.fingerprint(), read_corpus(TEXTS, embeddings=2 * VECTORS).fingerprint()}) == 3


def test_a_matrix_may_have_them(monkeypatch):
    counts = sp.csr_array(np.eye(4, dtype=int))
    assert read_corpus(counts, embeddings=VECTORS).vectors.shape == (4, 2)
    monkeypatch.setattr(models, "_wordllama", lambda: None)
    with pytest.raises(ValueError, match="A model reads texts, and a matrix has none"):
        read_corpus(counts, embeddings=MODEL + "wordllama")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (VECTORS[:3], "There are 3 embeddings for 4 documents"),
        (VECTORS.ravel(), "have the shape"),
        (np.zeros((4, 0)), "have the shape"),
        (np.where(VECTORS == 2, np.nan, VECTORS), "The embedding of document 4 is not finite"),
        ([["a", "b"]] * 4, "no array of numbers"),
        ([[1], [1, 2], [1], [1]], "no array of numbers"),
        ("missing.npy", "There is no file missing.npy of embeddings"),
        (MODEL + "nothing here", "There is no model 'nothing here'"),
        ("column", "A list of texts has no columns.*pass embeddings="),
    ],
)
def test_what_cannot_be_used(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_corpus(TEXTS, embeddings=given)


@pytest.mark.parametrize(
    "column", [[[1.0, 2.0], [1.0], [1.0, 2.0], [1.0, 2.0]], [[1.0], None, [1.0], [1.0]], [[float("nan")]] * 4, [[]] * 4,
               ["[1", "x", "", "[2]"], [1.0, 2.0, 3.0, 4.0]]
)  # fmt: skip
def test_a_column_that_holds_no_vectors(column):
    frame = pl.DataFrame({"text": TEXTS, "vector": column}, strict=False)
    with pytest.raises(ValueError, match="does not hold a list of as many numbers in every row"):
        read_corpus(frame, embeddings="vector")


def test_a_file_that_is_something_else(tmp_path):
    (tmp_path / "v.npy").write_text("no array")
    np.save(tmp_path / "o.npy", np.array([{}] * 4, dtype=object), allow_pickle=True)
    for name in ("v.npy", "o.npy"):
        with pytest.raises(ValueError, match="holds no array"):
            read_corpus(TEXTS, embeddings=str(tmp_path / name))


def test_groups_have_no_vectors():
    frame = pl.DataFrame({"text": TEXTS, "who": list("aabb"), "vector": VECTORS.tolist()})
    with pytest.raises(ValueError, match="name a group or embeddings"):
        read_corpus(frame, group="who", embeddings="vector")


def test_a_model_reads_the_texts_in_order(monkeypatch):
    monkeypatch.setattr(models, "_wordllama", lambda: lambda texts: np.array([[len(text)] for text in texts]))
    seen = []
    corpus = read_corpus(TEXTS, embeddings=MODEL + "wordllama", progress=lambda *news: seen.append(news))
    assert np.asarray(corpus.vectors).ravel().tolist() == [len(text) for text in TEXTS]
    assert ("embedding", 4, 4) in seen


def test_an_extra_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(ImportError, match=r"pip install 'quire-topics\[embed\]'"):
        read_corpus(TEXTS, embeddings=MODEL + "wordllama")


def test_a_folder_is_read_by_the_library_that_wrote_it(monkeypatch, tmp_path):
    for library, name, file in (("model2vec", "StaticModel", "config.json"),
                                ("sentence_transformers", "SentenceTransformer", "modules.json")):  # fmt: skip
        fake, folder = ModuleType(library), tmp_path / library
        folder.mkdir()
        (folder / file).write_text("{}")
        model = type(name, (), {"__init__": lambda self, path: None, "encode": lambda self, t, **_: [[1.0]] * len(t)})
        model.from_pretrained = classmethod(lambda cls, path: cls(path))
        setattr(fake, name, model)
        monkeypatch.setitem(sys.modules, library, fake)
        assert np.asarray(read_corpus(TEXTS, embeddings=f"{MODEL}{folder}").vectors).tolist() == [[1.0]] * 4
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(ImportError, match=f"needs the package {library}"):
            read_corpus(TEXTS, embeddings=f"{MODEL}{folder}")
