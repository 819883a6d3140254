"""``quire explain``, ``quire topics`` and ``quire assign``: what they print is what Python returns."""

import json
from dataclasses import replace

import polars as pl
import pytest
from problems import mixed_stories, one_sentence, said, stories

import quire


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    run = quire.cluster(mixed_stories()[0], 3, random_state=0)
    run.save(folder / "run")
    pl.DataFrame({"text": [*stories(12)[0], "violin sonata opera"]}).write_csv(folder / "more.csv")
    return run, folder


def json_of(*arguments):
    found = said(*arguments, "--json")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_an_explanation_is_the_same_in_python(made):
    run, folder = made
    id = run.documents.filter(pl.col("runner_up") >= 0)["id"][0]
    expected = run.explain(id).as_dict()
    assert json_of("explain", folder / "run", id) == {"run": str(folder / "run"), **json.loads(json.dumps(expected))}
    other = next(t for t in range(3) if t not in (expected["topic"], expected["other"]))
    assert json_of("explain", folder / "run", id, "--against", other)["other"] == other
    told = said("explain", folder / "run", id).stdout
    for word in ("Evidence", "all", "Typical documents", "What would have to change", expected["terms"][0]["term"]):
        assert word in told


def test_a_difference_is_the_same_in_python(made):
    run, folder = made
    expected = json.loads(json.dumps(run.diff(0, 2).as_dict()))
    assert json_of("topics", folder / "run", "--diff", 0, 2) == {"run": str(folder / "run"), **expected}
    told = said("topics", folder / "run", "--diff", 0, 2).stdout
    assert "Speaks for 0" in told
    assert expected["words"][0]["word"] in told
    assert len(json_of("topics", folder / "run")["topics"]) == 3
    assert "Keywords" in said("topics", folder / "run").stdout


def test_assigned_documents_are_the_same_in_python(made, tmp_path):
    run, folder = made
    texts = pl.read_csv(folder / "more.csv")["text"].to_list()
    expected = run.assign_table(texts)
    found = json_of("assign", folder / "run", folder / "more.csv")
    assert found["documents"] == json.loads(json.dumps(expected.to_dicts()))
    assert found["summary"]["documents"] == len(texts)
    told = said("assign", folder / "run", folder / "more.csv", "--out", tmp_path / "x.parquet").stdout
    assert "13 documents" in told
    assert "more unlike the run than 95%" in told
    assert pl.read_parquet(tmp_path / "x.parquet").equals(expected)


def test_questions_that_cannot_be_answered_are_a_sentence(made, tmp_path):
    _, folder = made
    one_sentence(said("explain", folder / "run", "nope"), "The run has no document 'nope'")
    one_sentence(said("explain", folder / "run", "6", "--against", 9), "There is no topic 9", "from 0 to 2")
    one_sentence(said("explain", folder / "nowhere", "5"), "There is no run at")
    one_sentence(said("topics", folder / "run", "--diff", 1, 9), "There is no topic 9")
    one_sentence(said("topics", folder / "run", "--diff", 1, 1), "does not differ from itself")
    one_sentence(said("topics", folder / "run", "--diff", 1), "--diff")


def test_documents_that_cannot_be_assigned_are_a_sentence(made, tmp_path):
    _, folder = made
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "head.csv").write_text("text\n")
    one_sentence(said("assign", folder / "run"), "needs documents")
    one_sentence(said("assign", folder / "run", tmp_path / "empty.csv"))
    one_sentence(said("assign", folder / "run", tmp_path / "head.csv"))
    one_sentence(said("assign", folder / "run", tmp_path / "gone.csv"), "gone.csv")
    one_sentence(said("assign", folder / "run", folder / "more.csv", "--text", "body"), "body")
    given = "assign", folder / "run", folder / "more.csv", "--out"
    one_sentence(said(*given, tmp_path / "x.xls"), ".parquet, .csv, .json")
    one_sentence(said(*given, tmp_path / "no" / "x.csv"), "make")
    assert not list(tmp_path.glob("x*"))


def test_an_older_run_says_what_to_do(made, tmp_path):
    run, folder = made
    replace(run, novelty=None).save(tmp_path / "old")
    told = said("assign", tmp_path / "old", folder / "more.csv", columns="200").stdout
    assert "does not know how unlike its own other documents are: make it anew" in told
    assert json_of("assign", tmp_path / "old", folder / "more.csv")["documents"][0]["novelty"] is None
