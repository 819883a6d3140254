"""Titles, addresses and weights: roles that columns have only where they are named."""

import numpy as np
import polars as pl
import pytest
from problems import THEMES
from tables import compared, written

import quire
from quire.pages.beside import address_of
from quire.runs.options import Options

N = 90


def survey(**more):
    rng = np.random.default_rng(0)
    names = [list(THEMES)[i % 3] for i in range(N)]
    columns = {
        "answer": [" ".join(rng.choice(THEMES[name].split(), 9)) for name in names], "theme": names,
        "w": [f"{1 + i % 3}.5" for i in range(N)], "page": [f"https://a.org/{i}" for i in range(N)],
        "name": [f"Answer {i}" for i in range(N)],
    }  # fmt: skip
    return pl.DataFrame(columns | more)


NAMED = {"text": "answer", "title": "name", "url": "page", "weight": "w"}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_they_are_the_same_in_parts(kind, place, tmp_path):
    documents = compared(written(survey(), tmp_path / f"a.{kind}"), Options(**NAMED), place).documents
    assert documents["weight"].to_list() == [1.5 + i % 3 for i in range(N)]
    assert documents["url"][5] == "https://a.org/5"
    assert documents["title"][5] == "Answer 5"
    assert "w" not in documents.columns


def test_shares_are_by_weight_and_topics_are_not():
    plain = quire.cluster(survey(), 3, recipe="nmf", random_state=0, text="answer")
    run = quire.cluster(survey(), 3, recipe="nmf", random_state=0, **NAMED)
    np.testing.assert_array_equal(run.labels, plain.labels)
    np.testing.assert_array_equal(run.topics["size"], plain.topics["size"])
    weight = run.documents["weight"].to_numpy()
    shares = [weight[run.labels == t].sum() / weight.sum() for t in range(3)]
    np.testing.assert_allclose(run.topics["share"], shares)
    assert not np.allclose(run.topics["share"], plain.topics["share"])
    assert "weighted" in run.by("theme").columns
    assert any("by column 'w'" in sentence for sentence in run.info["corpus"]["sentences"])


@pytest.mark.parametrize("wrong", ["", "many", "-1", "nan", "inf", None])
def test_what_is_no_weight_is_named(wrong, tmp_path):
    weights = survey()["w"].to_list()
    weights[7] = wrong
    with pytest.raises(ValueError, match="holds no weight in row 8"):
        quire.read_corpus(survey(w=weights), text="answer", weight="w")


def test_all_weights_zero_and_groups_are_refused():
    with pytest.raises(ValueError, match="the weight 0"):
        quire.read_corpus(survey(w=[0] * N), text="answer", weight="w")
    with pytest.raises(ValueError, match="name a group or a weight"):
        quire.read_corpus(survey(), text="answer", weight="w", group="theme")


def test_only_addresses_of_the_web_are_links():
    assert address_of(" https://a.org/x ") == "https://a.org/x"
    for url in (None, "", "javascript:alert(1)", "data:text/html,x", "ftp://a.org", "https://", "//a.org"):
        assert address_of(url) is None
