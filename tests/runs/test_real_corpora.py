"""Runs on real corpora, where they are on this machine."""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import quire

# Far below what was measured (0.94 for BBC): a broken pipeline falls under it, another seed does not.
LEAST_ACCURACY = {
    "bbc_news.parquet": 0.8, "reuters21578_single51.parquet": 0.25, "webkb.parquet": 0.35, "tdt2.npz": 0.5,
    "k1b.npz": 0.4, "re0.npz": 0.25, "cstr.npz": 0.5, "sotu.parquet": 0.25,
}  # fmt: skip


QUICK = "bbc_news.parquet", "re0.npz", "cstr.npz"
CORPORA = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in LEAST_ACCURACY]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in LEAST_ACCURACY]
)
def test_classes_are_found(data, name, tmp_path):
    k = {"bbc_news.parquet": 5, "webkb.parquet": 4, "cstr.npz": 4, "k1b.npz": 6, "sotu.parquet": 8}.get(name, 20)
    run = quire.cluster(data / name, k, random_state=0)
    assert run.scores["accuracy"] > LEAST_ACCURACY[name], run.scores
    kept = quire.load(run.save(tmp_path / "run"))
    assert kept.documents.equals(run.documents)
    assert len(set(run.topics["name"])) == k


def test_empty_documents_stay_unassigned(data):
    run = quire.cluster(data / "webkb.parquet", 4, random_state=0)
    empty = run.documents.filter(pl.col("text").str.strip_chars() == "")
    assert len(empty) == 31
    assert (empty["topic"] == -1).all()
    assert len(run.documents) == 4199


@pytest.mark.slow
def test_accounts_are_joined_and_dated(data):
    run = quire.cluster(data / "russian_trolls.parquet", 8, group="author", random_state=0)
    assert run.documents["id"].n_unique() == len(run.documents) < 5000
    assert run.timeline["documents"].sum() == int((run.labels >= 0).sum())


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["default", "tfidf", "xu2003-ncw", "conroy2023-nl"])
def test_newsgroups_assigned_again_are_the_same(data, recipe, tmp_path):
    posts = pl.read_parquet(data / "20newsgroups.parquet").filter(pl.col("split") == "train")
    run = quire.cluster(posts, 20, recipe=recipe, random_state=0)
    again = quire.load(run.save(tmp_path / "run")).assign(posts["text"])
    np.testing.assert_array_equal(again.memberships, run.memberships)
    some = [5, 77, 11_000]
    few = run.assign(posts["text"][some])
    np.testing.assert_array_equal(few.memberships, run.memberships[some])


@pytest.mark.slow
def test_a_document_of_100_megabytes(tmp_path):
    texts = [f"orbit moon rocket {i % 7}" if i % 2 else f"goal team coach {i % 5}" for i in range(200)]
    texts.append("moon rocket orbit lunar " * (100 * 2**20 // 24))
    pl.DataFrame({"text": texts}).write_csv(tmp_path / "d.csv")
    said = subprocess.run(
        [sys.executable, "-c", "from quire.cli.app import main; main()", "cluster", tmp_path / "d.csv",
         "--topics", "2", "--json", "--out", tmp_path / "out"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout)["corpus"]["n_documents"] == 201
    assert quire.load(tmp_path / "out").documents["topic"][200] in (0, 1)
