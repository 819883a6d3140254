"""Topics by columns on the page, in the command, and as JSON."""

import json

import numpy as np
import polars as pl
import pytest
from problems import THEMES

import quire
from quire.cli.show import show
from quire.pages.payload import payload_of
from quire.pages.sections.by import by_section, value_columns
from quire.pages.sections.section import Asked

N = 120


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    names = [list(THEMES)[i % 3] for i in range(N)]
    texts = [" ".join(rng.choice(THEMES[name].split(), 9)) for name in names]
    columns = {
        "text": texts, "who": names, "age": [18 + i % 50 for i in range(N)], "same": ["one"] * N,
        "remark": [f"remark {i}" for i in range(N)], "party": [f"p{i % 2}" for i in range(N)],
    }  # fmt: skip
    return pl.DataFrame(columns)


@pytest.fixture(scope="module")
def run(table):
    return quire.cluster(table, 3, recipe="nmf", random_state=0, text="text", by="party")


def test_the_page_has_the_columns_that_can_be_compared_those_asked_for_first(run):
    columns = {column["name"]: column for column in by_section(run, Asked())["columns"]}
    assert list(columns) == ["party", "who", "age"]  # `same` says nothing, `remark` is another in every row
    who, found = columns["who"], run.by("who")
    assert who["documents"] == found["documents"].to_numpy().reshape(3, 3).tolist()
    assert np.array(who["out"]).tolist() == np.where(np.array(who["documents"]) > 20, 1, -1).tolist()
    assert columns["age"]["kind"] == "numbers"
    assert who["weighted"] is None


def test_the_points_have_the_value_of_every_document(run):
    payload = payload_of(run)
    n, shown = len(run.documents), payload.head["by"]["columns"]
    places = {column["name"]: column for column in payload.head["columns"]}
    for number, column in enumerate(shown):
        place = places[f"by{number}"]
        codes = np.frombuffer(payload.points, np.uint8, n, place["offset"])
        assert place["type"] == "u8"
        if column["kind"] == "values":
            names = [column["values"][code] for code in codes]
            assert names == run.documents[{"party": "label"}.get(column["name"], column["name"])].to_list()
        counts = np.zeros_like(column["documents"])
        np.add.at(counts, (run.labels, codes), 1)
        assert counts.tolist() == column["documents"]


def test_bins_that_were_asked_for_and_no_value_are_in_the_points(table):
    some = table.with_columns(who=pl.when(pl.col("age") < 20).then(None).otherwise(pl.col("who")))
    made = quire.cluster(some, 3, recipe="nmf", random_state=0, text="text", by="age:3")
    payload = payload_of(made)
    shown = payload.head["by"]["columns"]
    assert (shown[0]["name"], len(shown[0]["values"])) == ("age", 3)
    columns = {name: codes for name, _, codes in value_columns(made, payload.head["by"])}
    assert set(columns["by0"].tolist()) == {0, 1, 2}
    who = [one["name"] for one in shown].index("who")
    assert ((columns[f"by{who}"] == 255) == (some["age"] < 20).to_numpy()).all()


def test_a_run_without_other_columns_has_no_such_section():
    texts = ["moon orbit", "orbit moon", "goal team", "team goal"]
    assert by_section(quire.cluster(texts, 2, random_state=0), Asked()) is None


def test_a_column_that_is_not_there_is_refused_before_the_fit(table, monkeypatch):
    monkeypatch.setattr("quire.runs.pipeline.factorized", lambda *_: pytest.fail("it was fitted"))
    with pytest.raises(ValueError, match="did you mean 'party'"):
        quire.cluster(table, 3, recipe="nmf", random_state=0, text="text", by="who,partey")
    for by, sentence in (("remark", "too many to compare"), ("age:1", "is no number of bins"), ("who:2", "in no bins")):
        with pytest.raises(ValueError, match=sentence):
            quire.cluster(table, 3, recipe="nmf", random_state=0, text="text", by=by)


def test_the_command_compares_in_words_and_as_json(run, tmp_path, capsys):
    folder = run.save(tmp_path / "run")
    show(folder, by="who,age:2")
    said = capsys.readouterr().out
    assert "Topics by who: 3 values, 120 documents" in said
    assert "▲" in said
    assert "Nothing stands out from chance" in said
    show(folder, by="age:20")
    assert "A table of 20 values is too wide here: the page and --json have it." in capsys.readouterr().out
    show(folder, by="who", json=True)
    found = json.loads(capsys.readouterr().out)["by"][0]
    assert found["values"] == sorted(THEMES)
    assert found["table"] == run.by("who").to_dicts()
    with pytest.raises(ValueError, match="too many to compare"):
        show(folder, by="remark")
