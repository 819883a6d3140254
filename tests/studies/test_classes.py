"""`quire classes`: W held at the known classes, H learnt from it, and the documents that disagree."""

import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import THEMES, one_sentence, said, stories
from rich.console import Console
from scipy.optimize import nnls

import quire
from quire.cli.reports.classes import classes_report
from quire.engine.rules.simplex import onto_simplex
from quire.studies.class_fit import class_weights, fit_classes

DATA = Path(__file__).parents[3] / "shared" / "data"


def mislabelled(n=60):
    """Stories of which [4] says sport and is food, [9] has no label, [10] no word; ids count from 1."""
    texts, labels = stories(n)
    texts[4] = "bread oven flour butter recipe sugar yeast dough"
    labels[9] = None
    texts[10] = ""
    return texts, labels


def shown(found, width=80):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(classes_report(found, width))
    return console.file.getvalue()


# -- what is learnt --------------------------------------------------------------------------------------


@pytest.mark.parametrize("z", [0.3, 1.0, 4.0])
def test_with_indicators_for_w_each_topic_is_the_projection_of_its_class_mean(z):
    rng = np.random.default_rng(0)
    X, codes = rng.random((40, 15)), rng.integers(0, 3, 40)
    found = quire.SimplexNMF(fixed="W", z=z).fit(sp.csr_array(X), W=np.eye(3)[codes]).components_
    for c in range(3):
        np.testing.assert_allclose(found[c], onto_simplex(X[codes == c].mean(axis=0), z), atol=1e-9)


def test_with_the_mean_totals_for_w_each_topic_is_its_class_mean_as_shares():
    rng = np.random.default_rng(1)
    X = rng.random((50, 12)) * rng.lognormal(0, 2, (50, 1))  # documents of very different lengths
    codes = np.r_[rng.integers(0, 4, 45), np.full(5, -1)]
    found = fit_classes(sp.csr_array(X), codes, 4)
    for c in range(4):
        mean = X[codes == c].mean(axis=0)
        np.testing.assert_allclose(found.H[c], mean / mean.sum(), rtol=1e-6)
    held = class_weights(X[:45].sum(axis=1), codes[:45], 4)
    assert ((held > 0).sum(axis=1) == 1).all()
    for x, w in zip(X, found.W):  # the five without a label too
        np.testing.assert_allclose(w, nnls(found.H.T, x)[0], rtol=1e-4, atol=1e-6 * x.sum())


def test_threads_change_nothing():
    texts, labels = mislabelled(300)
    one, two = (quire.classes(texts, labels=labels, n_jobs=n) for n in (1, 2))
    assert one.documents.equals(two.documents)
    assert one.classes.equals(two.classes)


# -- what is told ----------------------------------------------------------------------------------------


def test_keywords_typical_documents_and_disagreements():
    texts, labels = mislabelled()
    found = quire.classes(texts, labels=labels)
    assert found.classes.columns == ["class", "size", "keywords", "heaviest", "typical", "disagreeing"]
    assert found.classes.rows_by_key("class", named=True, unique=True)["sport"]["disagreeing"] == 1
    assert found.classes["size"].sum() == 59
    for row in found.classes.iter_rows(named=True):
        assert set(row["keywords"][:6]) <= set(THEMES[row["class"]].split())
        assert all(labels[int(id) - 1] == row["class"] for id in row["typical"])
        assert row["typical"]
    first = found.disagreements().row(0, named=True)
    assert (first["id"], first["label"], first["reads_like"]) == ("5", "sport", "food")
    assert first["share_reads_like"] > first["share_label"]
    assert found.disagreements().height == 1


def test_documents_without_label_or_words_are_kept_and_told_about():
    texts, labels = mislabelled()
    found = quire.classes(texts, labels=labels)
    assert found.documents.height == 60
    unknown, mute = found.documents.row(9, named=True), found.documents.row(10, named=True)
    assert (unknown["label"], unknown["reads_like"], unknown["share_label"]) == (None, "space", None)
    assert (mute["reads_like"], mute["share_reads_like"]) == (None, None)
    text = " ".join(shown(found).split())
    assert "1 document without a label was only compared: 1 like space." in text
    assert "1 document with a label was not compared" in text
    assert found.as_dict()["unlabelled"][0]["id"] == "10"


def test_tiny_classes_and_a_class_without_a_word_break_nothing():
    texts, labels = stories(30)
    found = quire.classes([*texts, "", "comet"], labels=[*labels, "void", "rare"])
    rows = found.classes.rows_by_key("class", named=True, unique=True)
    assert (rows["void"]["size"], rows["void"]["keywords"], rows["void"]["typical"]) == (1, [], [])
    assert rows["rare"]["disagreeing"] == rows["void"]["disagreeing"] == 0
    assert np.isfinite(found.documents["share_label"].drop_nulls().to_numpy()).all()
    assert "void" in shown(found)
    assert "Every document reads most like its own class." in shown(found)


def test_a_matrix_has_no_titles_and_other_recipes_do():
    texts, labels = stories(30)
    counts = quire.Counts().fit_transform(texts)
    found = quire.classes(sp.csr_array(counts), labels=labels)
    assert "title" not in found.documents.columns
    assert found.classes["keywords"].list.len().min() > 5
    for recipe in ("tfidf", "xu2003-ncw", "conroy2023-nl"):
        other = quire.classes(texts, labels=labels, recipe=recipe)
        assert other.disagreements().height == 0
        assert set(other.classes["keywords"][0][:5]) <= set(THEMES[other.classes["class"][0]].split())


@pytest.mark.parametrize(
    ("labels", "words"), [(["a"] * 30, "one class only"), ([None] * 30, "--label"), (None, "--label")]
)
def test_nothing_to_compare_is_a_sentence(labels, words):
    with pytest.raises(ValueError, match=words):
        quire.classes(stories(30)[0], labels=labels)


def test_classes_themselves_are_no_name_of_a_column():
    with pytest.raises(ValueError, match="pass the classes themselves as labels="):
        quire.classes(["one moon", "two goals"], ["a", "b"])


def test_names_are_no_classes_and_labelled_documents_need_words():
    texts, _ = stories(300)
    with pytest.raises(ValueError, match="300 different labels"):
        quire.classes(texts, labels=list(range(300)))
    with pytest.raises(ValueError, match="No document with a label"):
        quire.classes(["", "", *texts[:9]], labels=["a", "b", *[None] * 9])


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_tells_the_classes_at_80_columns_and_as_json(tmp_path):
    texts, labels = mislabelled()
    titles = [f"\x1b[31mStory [bold]{i}" for i in range(60)]
    pl.DataFrame({"title": titles, "text": texts, "topic": labels}).write_parquet(tmp_path / "d.parquet")
    found = said("classes", "d.parquet", "--label", "topic", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert max(map(len, found.stdout.splitlines())) <= 80
    assert "60 documents in 3 classes" in found.stdout
    assert "Story [bold]4" in found.stdout
    assert "\x1b" not in found.stdout
    assert "is labelled sport" in found.stdout
    data = json.loads(said("classes", "d.parquet", "--label", "topic", "--json", cwd=tmp_path).stdout)
    assert data["disagreements"][0]["reads_like"] == "food"
    assert {row["class"] for row in data["classes"]} == set(THEMES)
    assert [path.name for path in tmp_path.iterdir()] == ["d.parquet"]


def test_bad_input_is_one_sentence(tmp_path):
    texts, labels = stories(30)
    pl.DataFrame({"text": texts, "class": labels, "same": ["x"] * 30}).write_csv(tmp_path / "d.csv")
    pl.DataFrame({"text": texts}).write_csv(tmp_path / "bare.csv")
    for arguments, word in {
        ("nowhere.csv",): "nowhere.csv", ("d.csv", "--label", "klass"): "klass",
        ("d.csv", "--label", "same"): "one class only", ("bare.csv",): "--label",
        ("d.csv", "--recipe", "nonsense"): "quire recipes", ("d.csv", "--threads", "0"): "threads",
    }.items():  # fmt: skip
        one_sentence(said("classes", *arguments, cwd=tmp_path), word)


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared corpora are not on this machine")
def test_newsgroups_are_about_what_they_are_about():
    found = quire.classes(DATA / "20newsgroups.parquet")
    words = dict(found.classes.select("class", pl.col("keywords").list.head(8)).iter_rows())
    assert {"bike", "dod", "ride"} <= set(words["rec.motorcycles"])
    assert {"hockey", "nhl"} <= set(words["rec.sport.hockey"])
    assert {"encryption", "key"} <= set(words["sci.crypt"])
    assert "orbit" in words["sci.space"]
    assert found.disagreements().height < 0.07 * found.documents.height
