"""A run that somebody made on purpose, with valid checksums: whole, or refused with a sentence when it is read."""

import json

import polars as pl
import pytest
from problems import stories
from sealed import seal

import quire
from quire.cli.reports.run import made_lines
from quire.runs.folder import HEAD
from quire.runs.write import mapped_arrays, write_arrays


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    texts, labels = stories()
    dates = [f"2020-{1 + i % 12:02d}-01" for i in range(len(texts))]
    recipe = {"name": "plain", "factorization": {"method": "NMF"}}
    run = quire.cluster(texts, 3, recipe=recipe, labels=labels, dates=dates, random_state=0)
    return run.save(tmp_path_factory.mktemp("sound") / "run")


@pytest.fixture
def folder(saved, tmp_path):
    return quire.load(saved).save(tmp_path / "run")


def refused(folder):
    with pytest.raises(ValueError, match=r"^The run [^\n]* does not hold what it should \([^\n]*\); make it anew\.$"):
        quire.load(folder)


def test_one_that_is_whole_is_read(folder):
    seal(folder)
    assert quire.load(folder).info["seed"] == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("timings", {"read": "soon"}), ("scores", []), ("seed", -1), ("seed", 0.5), ("corpus", {}), ("runs", "many"),
     ("fit", {"iterations": 3, "stopped": None, "error": 1.0}), ("terms", None), ("options", {"topics": [3]}),
     ("options", {"topics": 3, "abstain": "never"}), ("cuts", [[]]), ("versions", {"numpy": 2})],
)  # fmt: skip
def test_run_json(folder, name, value):
    seal(folder, **{name: value})
    refused(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [("columns", {"date": None}), ("guessed", float("nan")), ("guessed", 3), ("unread", {".zip": "many"}),
     ("skipped", [3]), ("n_empty", "none")],
)  # fmt: skip
def test_what_run_json_says_of_the_corpus(folder, name, value):
    head = json.loads((folder / HEAD).read_text())
    seal(folder, corpus={**head["corpus"], name: value})
    refused(folder)


def test_a_recipe_without_a_name_is_shown(folder):
    head = json.loads((folder / HEAD).read_text())
    del head["recipe"]["name"]
    seal(folder, recipe=head["recipe"])
    assert any("recipe a recipe, seed 0" in line for line in made_lines(quire.load(folder)))


def test_run_json_without_options(folder):
    head = json.loads((folder / HEAD).read_text())
    del head["options"]
    (folder / HEAD).write_text(json.dumps(head))
    seal(folder)
    refused(folder)


@pytest.mark.parametrize("words", [True, 3, ["a"], [None], "moon", "short", "list", "half"])
def test_words(folder, words):
    path = folder / "vocabulary.json"
    state = json.loads(path.read_text())
    terms = state["terms"]
    state["words"] = {"short": terms[:-1], "list": [*terms[:-1], []], "half": [*terms[:-1], "\ud800"]}.get(
        str(words), words
    )
    path.write_text(json.dumps(state))
    seal(folder)
    refused(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [("language", 3), ("stemmed", "yes"), ("stops", [3]), ("stops", ["\ud800"]), ("callable", None), ("terms", "moon"),
     ("terms", ["moon"]), ("spelling", {"turkish": False}), ("spelling", []), ("spoken", [3]),
     ("repeated", {"keys": 3})],
)  # fmt: skip
def test_what_counts_other_texts(folder, name, value):
    path = folder / "vocabulary.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, "words": state["terms"], name: value}))
    seal(folder)
    refused(folder)


@pytest.mark.parametrize("name", ["name", "size", "keywords", "typical", "borderline", "heaviest"])
@pytest.mark.parametrize("value", [None, [None], ["nobody"], -1])
def test_topics(folder, name, value):
    if (name, value) == ("name", -1) or (name in ("keywords", "heaviest") and value == ["nobody"]):
        return  # a name, and words, of somebody's own
    path = folder / "topics.json"
    state = json.loads(path.read_text())
    state["topics"][1][name] = value
    path.write_text(json.dumps(state))
    seal(folder)
    refused(folder)


_DAY = {"start": ["2020-01-01"], "documents": [1], "share": [1.0]}


@pytest.mark.parametrize(
    "value",
    [
        {"topic": [0], "when": ["2020"]}, {}, [], {"topic": [9], "start": ["2020-01-01"]}, {"topic": [9]} | _DAY,
        {"topic": {"": None}} | _DAY, {"topic": {"": 0}} | _DAY, {"topic": [0]} | _DAY | {"share": {"": 1.0}},
        {"topic": [0]} | _DAY | {"start": ["+99999-01-01"]},
    ],
)  # fmt: skip
def test_timelines(folder, value):
    path = folder / "topics.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"timeline": value}))
    seal(folder)
    if value in ({}, []):
        assert quire.load(folder).timeline.is_empty()
    else:
        refused(folder)


@pytest.mark.parametrize("change", [lambda t: t[:2], lambda t: t[::-1], lambda t: [*t, t[0]]])
def test_other_topics_than_factors(folder, change):
    path = folder / "topics.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps(state | {"topics": change(state["topics"])}))
    seal(folder)
    refused(folder)


@pytest.mark.parametrize(
    "change",
    [pl.lit(7, pl.Int32).alias("topic"), pl.lit(None, pl.Int32).alias("topic"), pl.lit("x").alias("topic"),
     pl.lit(None, pl.String).alias("id"), pl.lit(1.5).alias("membership"), pl.lit("all").alias("membership"),
     pl.lit(-2, pl.Int32).alias("else_topic"), pl.lit(3).alias("text"), pl.lit("today").alias("date"),
     pl.lit(2**31 - 1, pl.Int32).cast(pl.Date).alias("date"), pl.lit(-(2**62)).cast(pl.Datetime("us")).alias("date"),
     pl.lit(2**62).cast(pl.Datetime("ms")).alias("met"), pl.lit(None, pl.Float64).alias("membership"),
     pl.lit(float("nan")).alias("runner_up_membership"), pl.lit(float("nan")).alias("confidence"),
     pl.lit(0.5).alias("confidence"), pl.lit(1, pl.Int32).alias("else_topic"),
     [pl.lit(-1, pl.Int32).alias("topic"), pl.lit(0, pl.Int32).alias("runner_up")]],
)  # fmt: skip
def test_documents(folder, change):
    path = folder / "documents.parquet"
    pl.read_parquet(path).with_columns(change).write_parquet(path)
    seal(folder)
    refused(folder)


@pytest.mark.parametrize("name", ["W", "H", "totals"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), "fewer"])
def test_factors(folder, name, value):
    path = folder / "factors.safetensors"
    arrays = {key: array.copy() for key, array in mapped_arrays(path).items()}
    if value == "fewer":
        arrays[name] = arrays[name][:-1]
    else:
        arrays[name].flat[1] = value
    write_arrays(path, arrays)
    seal(folder)
    with pytest.raises(ValueError, match=r"^[^\n]{20,400}\.$"):
        quire.load(folder)


def test_a_panic_of_a_library_is_told_in_a_sentence(folder, monkeypatch):
    def panic(*_, **__):
        raise pl.exceptions.PanicException("assertion failed: offset + length <= self.length")

    monkeypatch.setattr(pl, "scan_parquet", panic)
    refused(folder)
