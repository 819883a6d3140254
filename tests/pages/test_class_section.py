"""Classes by topic, in the order in which the page shows them."""

import json

import numpy as np
import polars as pl
import pytest
from problems import stories

import quire
from quire.pages.sections.classes import class_section
from quire.pages.sections.section import Asked
from quire.studies.evaluate import evaluate


@pytest.fixture(scope="module")
def run():
    texts, labels = stories(60)
    texts[7], labels[11] = "", None
    return quire.cluster(texts, 4, labels=labels, recipe="nmf", random_state=0)


def test_the_matrix_counts_documents(run):
    found = json.loads(json.dumps(class_section(run, Asked()), allow_nan=False))
    labels = np.array(run.documents["label"].to_list(), object)
    for name, row, none in zip(found["labels"], found["matrix"], found["unassigned"], strict=True):
        mine = run.labels[labels == name]
        assert row == [(mine == topic).sum() for topic in found["topics"]]
        assert none == (mine < 0).sum()
    assert sorted(found["topics"]) == [0, 1, 2, 3]
    assert sum(found["unassigned"]) == 1
    assert "1 document without a class was left out." in found["said"]


def test_matched_pairs_lie_on_the_diagonal_largest_first(run):
    found = class_section(run, Asked())
    pairs = [name for name in found["matched"] if name is not None]
    assert found["matched"] == [*found["labels"], None]
    assert len(pairs) == 3
    diagonal = [found["matrix"][i][i] for i in range(3)]
    assert diagonal == sorted(diagonal, reverse=True)
    accuracy = {score["key"]: score["value"] for score in found["scores"]}["accuracy"]
    assert sum(diagonal) / 59 == pytest.approx(accuracy, abs=1e-6)


def test_more_classes_than_topics_and_only_the_largest(run, monkeypatch):
    texts, labels = stories(60)
    finer = [f"{label}{i % 2}" if i % 30 else "rare" for i, label in enumerate(labels)]
    made = quire.cluster(texts, 3, labels=finer, random_state=0)
    found = class_section(made, Asked())
    assert len(found["labels"]) == 7
    assert None not in found["matched"]
    assert found["matched"] == found["labels"][:3]
    monkeypatch.setattr("quire.pages.sections.classes._MOST", 5)
    fewer = class_section(made, Asked())
    assert len(fewer["labels"]) == 5
    assert "rare" not in fewer["labels"]
    assert fewer["scores"] == found["scores"]
    sizes = pl.Series(finer).value_counts()["count"].sort(descending=True)
    assert fewer["said"] == [f"The matrix has the 5 largest of 7 classes; the others have {sizes[5:].sum()} documents."]


def test_scores_are_those_of_evaluate_with_their_meanings(run):
    scores = class_section(run, Asked())["scores"]
    expected = evaluate(run).against
    assert {score["key"]: score["value"] for score in scores} == pytest.approx(expected, abs=1e-6)
    assert all(score["name"] and score["meaning"] for score in scores)
    assert {score["key"] for score in scores if score["better"] == "lower"} == {"entropy"}


def test_without_classes_there_is_nothing():
    texts, _ = stories(30)
    assert class_section(quire.cluster(texts, 3, random_state=0), Asked()) is None
    assert class_section(quire.cluster(texts, 3, labels=[None] * 30, random_state=0), Asked()) is None
