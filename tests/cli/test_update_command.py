"""``quire update``: another run in a folder of its own, what it prints, and what it refuses."""

import json

import numpy as np
import polars as pl
import pytest
from problems import THEMES, one_sentence, said

import quire
from quire.pages.payload import payload_of


def written(names, n, year):
    rng = np.random.default_rng(year)
    labels = [names[i % len(names)] for i in range(n)]
    texts = [" ".join(rng.choice(THEMES[name].split(), 9)) for name in labels]
    dates = [f"{year}-{1 + i % 12:02d}-01" for i in range(n)]
    return pl.DataFrame({"id": [f"{year}-{i}" for i in range(n)], "text": texts, "date": dates})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("update")
    for name, subjects, year in (("a", "space sport", 2020), ("b", "space food", 2021), ("c", "food", 2022)):
        written(subjects.split(), 60, year).write_csv(folder / f"{name}.csv")
    assert said("cluster", "a.csv", "--topics", "2", "--quiet", "--no-page", cwd=folder).returncode == 0
    return folder


@pytest.fixture(scope="module")
def told(folder):
    return said("update", "quire-a", "b.csv", cwd=folder, columns="120")


def test_it_tells_what_changed_and_keeps_a_new_run_with_its_page(told, folder):
    assert told.returncode == 0, told.stderr
    for words in ("60 documents came from b.csv to 60 documents", "is new", "faded", "The run is in quire-a-2"):
        assert words in told.stdout
    assert len(quire.load(folder / "quire-a").H) == 2
    assert len(quire.load(folder / "quire-a-2").H) == 3
    assert (folder / "quire-a-2" / "page.html").exists()


def test_the_next_one_goes_on_from_there(told, folder):
    found = said("update", "quire-a-2", "c.csv", "--json", "--no-page", cwd=folder)
    data = json.loads(found.stdout)
    assert data["run"] == "quire-a-3"
    assert [entry["source"] for entry in data["history"]] == ["b.csv", "c.csv"]
    run = quire.load(folder / "quire-a-3")
    assert run.history == data["history"]
    assert run.timeline["start"].max().year == 2022
    shown = said("show", "quire-a-3", cwd=folder, columns="120").stdout
    assert "60 documents from c.csv were added to 120 documents." in shown


def test_what_cannot_be_is_a_sentence(told, folder):
    one_sentence(said("update", "quire-a", "b.csv", cwd=folder), "quire-a-2 holds another run", "--replace")
    one_sentence(said("update", "quire-a", "a.csv", "--out", "x", cwd=folder), "Nothing new came")
    one_sentence(said("update", "quire-a", "b.csv", "--new-topics", "many", "--out", "x", cwd=folder), "auto, 0, 1, 2")
    one_sentence(said("update", "nowhere", "b.csv", cwd=folder), "There is no run at nowhere")
    one_sentence(said("update", "quire-a", cwd=folder), "needs documents")
    assert not (folder / "x").exists()


def test_a_run_may_be_replaced_and_made_on_workers(told, folder):
    pytest.importorskip("distributed")
    same = said("update", "quire-a", "b.csv", "--out", "d", "--dask", "local:1", "--quiet", cwd=folder)
    assert same.stdout == "d\n"
    for name in ("documents.parquet", "topics.json", "factors.safetensors", "vocabulary.json"):
        assert (folder / "d" / name).read_bytes() == (folder / "quire-a-2" / name).read_bytes(), name
    assert (
        said("update", "quire-a", "c.csv", "--out", "d", "--replace", "--quiet", "--no-page", cwd=folder).stdout
        == "d\n"
    )
    assert quire.load(folder / "d").history[0]["source"] == "c.csv"


def test_the_page_has_updates_and_seeds(told, folder):
    run = quire.load(folder / "quire-a-2")
    tables = {one["name"]: one for one in payload_of(run, folder / "quire-a-2").head["tables"]}
    rows = [dict(zip(tables["history"]["columns"], row)) for row in tables["history"]["rows"]]
    assert {row["Change"] for row in rows} >= {"new", "faded"}
    assert next(row["Came"] for row in rows if row["Change"] == "new") == 30
    guided = quire.cluster(folder / "a.csv", 2, random_state=0, seeds={"Games": ["coach"], "Operas": ["aria"]})
    tables = {one["name"]: one for one in payload_of(guided).head["tables"]}
    assert [row[0] for row in tables["seeds"]["rows"]] == ["Games", "Operas"]
    assert tables["seeds"]["rows"][1][1] is None
    assert "history" not in tables
