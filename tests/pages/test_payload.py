"""What the page is made of says what the run says, for any run."""

import datetime
import json
import shlex
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import themed

import quire
from quire.pages.about import command
from quire.pages.encoding import json_bytes
from quire.pages.payload import payload_of
from quire.runs.diff import term_shares
from quire.runs.recipe import Recipe

HEAD = {
    "schema",
    "title",
    "n",
    "unassigned",
    "topics",
    "labels",
    "spark",
    "by",
    "classes",
    "choice",
    "compare",
    "tables",
    "about",
    "columns",
    "has",
    "left",
    "cuts",
    "edits",
    "parts",
    "tree",
}
TOPIC = {
    "topic",
    "name",
    "note",
    "size",
    "share",
    "stability",
    "confidence",
    "membership",
    "clear",
    "keywords",
    "terms",
    "nearest",
    "typical",
    "borderline",
    "passage",
    "x",
    "y",
    "spark",
}
WHOLE = {"row", "id", "title", "snippet", "text", "length", "label", "date", "memberships", "why", "beside", "url"}
ABOUT = {
    "command",
    "quire",
    "created",
    "recipe",
    "recipe_about",
    "paper",
    "seed",
    "runs",
    "options",
    "versions",
    "timings",
    "terms",
    "fit",
    "fingerprint",
    "notes",
    "scores",
    "layout",
}
BYTES = {"u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4}


@pytest.fixture(scope="module")
def run():
    labels = [None if i % 7 == 0 else f"class {i % 4}" for i in range(160)]
    days = [datetime.date(2001 + i % 9, 1 + i % 12, 1) for i in range(160)]
    return quire.cluster(themed(4, 40), 4, labels=labels, dates=days, random_state=0)


@pytest.fixture(scope="module")
def payload(run):
    return payload_of(run, title="news")


def test_it_has_the_keys_of_the_schema(payload):
    assert payload.head.keys() == HEAD
    assert all(topic.keys() == TOPIC for topic in payload.head["topics"])
    assert payload.head["about"].keys() == ABOUT
    assert payload.whole(0).keys() == WHOLE
    assert payload.time.keys() == {"bin", "undated", "bins"}
    assert payload.terms.keys() == {"words", "totals", "topics", "left"}


def test_topics_say_what_the_tables_say(run, payload):
    head = payload.head
    shares = term_shares(run)
    ids = run.documents["id"].to_list()
    for row, topic in zip(run.topics.iter_rows(named=True), head["topics"]):
        assert (topic["name"], topic["size"]) == (row["name"], row["size"])
        own = run.documents.filter(run.documents["topic"] == row["topic"])["membership"]
        assert topic["clear"] == sum(share >= 0.5 for share in own)
        assert topic["stability"] == pytest.approx(row["stability"], rel=1e-3)
        assert [ids[i] for i in topic["typical"]] == row["typical"]
        assert [word for word, _ in topic["keywords"]] == row["keywords"]
        for word, share in topic["keywords"]:
            parts = [shares[row["topic"], run.words.index(part)] for part in word.split()]
            assert share == pytest.approx(min(parts), rel=1e-3)
        assert len(topic["nearest"]) == 3
        assert topic["topic"] not in [other for other, _ in topic["nearest"]]
        assert sum(topic["spark"]) == topic["size"]
        values = [share for _, share, _ in topic["terms"]]
        assert values == sorted(values, reverse=True)
        assert set(row["heaviest"][:5]) <= {word for word, _, _ in topic["terms"]}
    assert head["labels"] == ["class 0", "class 1", "class 2", "class 3"]
    assert head["has"] == {"text": True, "words": True, "confidence": True, "search": False, "rename": False,
                           "edit": False}  # fmt: skip
    assert payload_of(run, served=True).head["has"]["search"]


def test_terms_are_the_vocabulary_with_the_topics_they_tell_of(run, payload):
    words = payload.terms["words"]
    assert sorted(words) == sorted(run.words)
    totals = payload.terms["totals"]
    assert totals == sorted(totals, reverse=True)
    assert sum(totals) == run.totals.sum()
    for topics in payload.terms["topics"]:
        percents = [percent for _, percent in topics]
        assert 1 <= len(topics) <= 3
        assert percents == sorted(percents, reverse=True)
        assert sum(percents) <= 102


def test_documents_are_told_as_they_are(run, payload):
    listed = payload.listed([5, 0, 159])
    assert [one["row"] for one in listed] == [5, 0, 159]
    assert listed[0]["snippet"] == run.documents["text"][5][:240]
    whole = payload.whole(8)
    assert whole["text"] == run.documents["text"][8]
    assert whole["length"] == len(whole["text"])
    assert (whole["label"], whole["date"]) == ("class 0", "2009-09-01")
    assert whole["memberships"][0][0] == run.labels[8]
    assert sum(share for _, share in whole["memberships"]) == pytest.approx(1, abs=0.02)
    long = payload_of(quire.cluster(["word " * 300_000, "goal"], 1, random_state=0)).whole(0)
    assert long["length"] == 1_500_000
    assert len(long["text"]) == 1_000_000
    assert len(long["snippet"]) <= 240


def test_the_command_repeats_the_run(tmp_path):
    path = tmp_path / "two words.csv"
    path.write_text("id,body\n1,the moon\n2,a moon\n3,goal\n4,a goal\n")
    told = command(quire.cluster(str(path), 2, text="body", random_state=5, min_count=1, stem=True, language="en"))
    assert shlex.split(told) == [
        "quire", "cluster", str(path), "--text", "body", "--topics", "2", "--language", "en", "--stem",
        "--min-count", "1", "--seed", "5",
    ]  # fmt: skip
    demo = quire.cluster(["the moon", "a moon"], 1, random_state=0)
    demo.info["corpus"]["source"] = "the docstrings of numpy"
    assert command(demo) == "quire demo --topics 1"


def test_a_run_of_code_is_repeated_by_code(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("body\nthe moon\na moon\ngoal\na goal\n")
    mine = {"name": "mine", "weight": {"scheme": "nl"}}
    for recipe in (mine, Recipe.from_dict(mine), mine | {"name": "nmf"}):  # nmf it is not, whatever its name
        run = quire.cluster(str(path), 2, recipe=recipe, text="body", random_state=5)
        told = f"quire.cluster({str(path)!r}, 2, recipe=…, random_state=5, text='body')"
        assert command(run) == told
        assert command(quire.load(run.save(tmp_path / "run"))) == told
    words = quire.cluster(["the moon", "a goal"], 1, tokens=str.split, random_state=0)
    assert command(words) == "quire.cluster('FILE', 1, tokens=…, random_state=0)"
    (tmp_path / "mine.toml").write_text('[weight]\nscheme = "nl"\n')
    kept = quire.cluster(str(path), 2, recipe=str(tmp_path / "mine.toml"), random_state=0)
    assert shlex.split(command(kept))[3:] == ["--topics", "2", "--recipe", str(tmp_path / "mine.toml")]


def _matrix():
    return sp.csr_array(np.kron(np.eye(2), np.ones((6, 4))))


def _moved(topic, runner_up):
    """Return a run whose documents are all in one topic, or in none."""
    days = [datetime.date(2020, 1, 1)] * 40
    run = quire.cluster(themed(2, 20), 2, dates=days, random_state=0, abstain=0.5)
    sizes = [40 if t == topic else 0 for t in range(2)]
    table = run.documents.with_columns(
        pl.lit(topic, pl.Int32).alias("topic"), pl.lit(runner_up, pl.Int32).alias("runner_up")
    )
    topics = run.topics.with_columns(pl.Series("size", sizes), pl.Series("share", sizes) / 40)
    return replace(run, documents=table, topics=topics)


MEANS = {"name": "means", "factorization": {"method": "KMeans"}}
DEGENERATE = {
    "one document": lambda: quire.cluster(["the moon"], 1, random_state=0),
    "one topic": lambda: quire.cluster(["the moon", "a goal", "goal moon"], 1, random_state=0),
    "duplicates": lambda: quire.cluster(["the moon"] * 20 + ["goal"] * 20, 2, random_state=0),
    "empty topic": lambda: _moved(0, -1),
    "matrix": lambda: quire.cluster(_matrix(), 2, random_state=0),
    "matrix with dates": lambda: quire.cluster(
        _matrix(), 2, recipe="nmf", dates=[datetime.date(2020, 1, 1)] * 12, random_state=0
    ),
    "all unsure": lambda: _moved(-1, 0),
    "all silent": lambda: _moved(-1, -1),
    "empty documents": lambda: quire.cluster(["the moon", "", "goal", " "], 2, random_state=0),
    "negative topics": lambda: quire.cluster(themed(2, 20), 2, recipe="lsi", random_state=0),
    "k-means": lambda: quire.cluster(themed(2, 20), 2, recipe=MEANS, random_state=0),
}  # fmt: skip


@pytest.mark.parametrize("which", DEGENERATE)
def test_any_run_has_a_payload_without_nan(which, tmp_path):
    made = DEGENERATE[which]()
    for run in (made, quire.load(made.save(tmp_path / "run"))):
        payload = payload_of(run)
        n = len(run.documents)
        whole = [payload.whole(row) for row in range(n)]
        parts = [payload.head, payload.terms, payload.time, payload.listed(range(n)), whole]
        json.dumps(parts, allow_nan=False)
        size = sum(BYTES[c["type"]] * n for c in payload.head["columns"])
        assert len(payload.points) >= size
        assert len(payload.head["topics"]) == len(run.H)
        assert (which in ("matrix", "matrix with dates")) != payload.head["has"]["text"]


def test_what_json_cannot_say_becomes_null():
    assert json.loads(json_bytes({"a": [float("nan"), (float("inf"), 1.5)], "b": "\udcff"})) == {
        "a": [None, [None, 1.5]], "b": "?",
    }  # fmt: skip


def test_every_keyword_that_is_a_term_has_its_share_among_the_terms_of_the_slider(run):
    for topic in payload_of(run).head["topics"]:
        known = {word for word, _, _ in topic["terms"]}
        assert {word for word, _ in topic["keywords"] if word in run.words} <= known
