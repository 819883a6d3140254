"""How sure a run is: confidence, stability, documents that are left unassigned."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from problems import PLAIN, mixed_stories, several, stories

import quire


def test_runs_give_confidence_and_stability_that_are_kept(monkeypatch, tmp_path):
    several(monkeypatch)
    texts, labels = mixed_stories()
    run = quire.cluster(texts, 3, labels=labels, recipe=PLAIN, random_state=0)
    again = quire.load(run.save(tmp_path / "r"))
    assert again.documents.equals(run.documents)
    assert again.topics.equals(run.topics)
    assert again.info["runs"] == 20
    np.testing.assert_array_equal(again.confidence, run.confidence)
    assert np.isnan(run.confidence[4])
    assert np.nanmean(run.confidence) == pytest.approx(1 - 0.1 * 2 / 3, abs=0.02)
    assert (run.stability > 0.8).all()
    assert (run.stability < 1).all()
    placed = run.documents.filter(pl.col("topic") >= 0)
    assert (placed["else_topic"] != placed["topic"]).all()
    assert ((placed["else_topic"] >= 0) == (placed["confidence"] < 1)).all()


def test_runs_that_agree_are_sure_and_one_run_says_nothing(monkeypatch):
    texts, _ = stories(30)
    single = quire.cluster(texts, 3, recipe=PLAIN, random_state=0)
    assert single.confidence is single.stability is single.info["runs"] is None
    assert single.documents["confidence"].null_count() == 30
    assert single.topics["stability"].null_count() == 3
    several(monkeypatch, strayed=0)
    sure = quire.cluster(texts, 3, recipe=PLAIN, random_state=0)
    assert (sure.confidence == 1).all()
    assert (sure.stability == 1).all()
    assert (sure.documents["else_topic"] == -1).all()


def test_a_run_from_before_there_was_confidence_is_read(monkeypatch, tmp_path):
    texts, _ = stories(30)
    run = quire.cluster(texts, 3, recipe=PLAIN, random_state=0)
    older = dataclasses.replace(
        run,
        documents=run.documents.drop("confidence", "else_topic"),
        topics=run.topics.drop("stability"),
        info={name: value for name, value in run.info.items() if name != "runs"},
    )
    again = quire.load(older.save(tmp_path / "old"))
    assert again.documents.equals(run.documents)
    assert again.topics.equals(run.topics)
    assert again.confidence is again.stability is None
    np.testing.assert_array_equal(again.assign(texts).labels, run.labels)


def test_unsure_documents_are_left_unassigned(monkeypatch, tmp_path):
    several(monkeypatch)
    texts, labels = mixed_stories()
    dates = ["2020-01-01"] * len(texts)
    given = {"labels": labels, "dates": dates, "recipe": PLAIN, "random_state": 0}
    forced, run = quire.cluster(texts, 3, **given), quire.cluster(texts, 3, abstain=0.7, **given)
    shares = run.memberships
    unsure = (shares.max(axis=1) < 0.7) & (np.arange(60) != 4)
    assert 1 <= unsure.sum() <= 6
    np.testing.assert_array_equal(run.labels == -1, unsure | (np.arange(60) == 4))
    table = run.documents.filter(pl.Series(unsure))
    assert (table["membership"] == 0).all()
    np.testing.assert_array_equal(table["runner_up"], shares[unsure].argmax(axis=1))
    np.testing.assert_array_equal(table["runner_up_membership"], shares[unsure].max(axis=1))
    assert table["confidence"].null_count() == 0
    np.testing.assert_array_equal(np.sort(shares, axis=1), np.sort(forced.memberships, axis=1))
    sizes = run.topics["size"].to_list()
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == run.timeline["documents"].sum() == 59 - unsure.sum()
    assert not {i for ids in run.topics["typical"] for i in ids} & set(table["id"])
    assert run.scores["coverage"] == sum(sizes) / 60
    assert run.scores["accuracy"] >= forced.scores["accuracy"]
    assert "coverage" not in forced.scores
    again = quire.load(run.save(tmp_path / "r"))
    np.testing.assert_array_equal(again.memberships, shares)
    found = again.assign(texts)
    np.testing.assert_array_equal(found.labels, run.labels)
    np.testing.assert_array_equal(found.memberships, shares)
    from quire.studies.evaluate import evaluate

    assert {name: evaluate(again).against[name] for name in run.scores} == run.scores


def test_abstaining_from_everything_and_from_nothing():
    texts, labels = mixed_stories()
    given = {"labels": labels, "recipe": PLAIN, "random_state": 0}
    assert (quire.cluster(texts, 3, abstain=0, **given).labels >= 0).sum() == 59
    none = quire.cluster([*texts[6:12], *texts[6:12]], 2, recipe=PLAIN, random_state=0, abstain=1)
    assert none.topics["size"].sum() == (none.documents["membership"] == 1).sum()
    for bad in (-0.1, 1.1, float("nan"), "0.6", True):
        with pytest.raises(ValueError, match="abstain") as error:
            quire.cluster(texts, 3, abstain=bad, **given)
        assert "\n" not in str(error.value)
