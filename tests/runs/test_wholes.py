"""Runs of passages: whole documents follow from them, and long documents are said to be long."""

import json

import numpy as np
import polars as pl
import pytest
from problems import THEMES

import quire
from quire.cli.show import show
from quire.pages.sections.section import Asked
from quire.pages.sections.wholes import wholes_section

PARTS = [("space",) * 4, ("sport", "sport", "food"), ("food",), ("space", "sport")] * 6


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(0)
    texts = ["\n\n".join(" ".join(rng.choice(THEMES[name].split(), 9)) for name in names) for names in PARTS]
    table = pl.DataFrame(
        {"id": [f"b{i}" for i in range(len(texts))], "text": [*texts[:-1], ""], "year": range(len(texts))}
    )
    return quire.cluster(table, 3, recipe="nmf", random_state=0, split="paragraphs", text="text")


def test_a_document_is_the_mean_of_its_passages_by_length(run):
    wholes, memberships = run.whole_documents(), run.memberships
    assert wholes["id"].to_list() == [f"b{i}" for i in range(len(PARTS))]
    assert wholes["year"].to_list() == list(range(len(PARTS)))
    for i in (0, 1, 7):
        own = (run.documents["document"] == f"b{i}").to_numpy()
        mean = np.average(memberships[own], axis=0, weights=run.documents["length"].to_numpy()[own])
        np.testing.assert_allclose(wholes["memberships"][i].to_list(), mean, rtol=1e-6)
        assert wholes["passages"][i] == own.sum() == len(PARTS[i])
        assert wholes["topic"][i] == mean.argmax()
        assert wholes["membership"][i] == pytest.approx(mean.max())
    last = wholes.row(-1, named=True)
    assert (last["topic"], last["runner_up"], last["membership"]) == (-1, -1, 0.0)


def test_the_order_of_passages_does_not_matter(run):
    from quire.runs.wholes import whole_documents

    order = np.random.default_rng(1).permutation(len(run.documents))
    shuffled = whole_documents(run.documents[order], run.memberships[order], run.silent()[order])
    a, b = (one.sort("id")["memberships"].to_list() for one in (run.whole_documents(), shuffled))
    np.testing.assert_allclose(a, b)


def test_it_is_kept_shown_and_a_section_of_the_page(run, tmp_path, capsys):
    folder = run.save(tmp_path / "run")
    assert quire.load(folder).whole_documents().equals(run.whole_documents())
    assert quire.load(folder, texts=False).whole_documents().equals(run.whole_documents())
    show(folder, document="b1", json=True)
    assert json.loads(capsys.readouterr().out)["passages"] == 3
    show(folder, document="b1")
    assert "of 3 passages" in capsys.readouterr().out
    show(folder, document="b1#2")
    assert "membership" in capsys.readouterr().out
    section = wholes_section(run, Asked())
    assert len(section.rows) == len(PARTS)
    assert all(len(row) == len(section.columns) for row in section.rows)
    shares = [cell for cell in section.rows[0][-6:] if isinstance(cell, float)]
    assert shares == sorted(shares, reverse=True)


def test_passages_are_told_by_their_words_and_not_by_the_title_that_all_share(capsys, tmp_path):
    texts = [" ".join(THEMES[name].split()) for name in ("space", "sport", "food")]
    table = pl.DataFrame({"id": ["a", "b"], "title": ["My Book"] * 2, "text": ["\n\n".join(texts)] * 2})
    made = quire.cluster(table, 3, recipe="nmf", random_state=0, split="paragraphs", out=tmp_path / "run")
    show(tmp_path / "run")
    said = capsys.readouterr().out
    assert said.startswith("6 passages")
    assert "My Book" not in said
    assert len(made.documents) == 6


def test_a_run_of_whole_documents_says_so():
    whole = quire.cluster(["moon orbit", "orbit moon", "goal team", "team goal"], 2, random_state=0)
    assert not wholes_section(whole, Asked()).columns
    with pytest.raises(ValueError, match="--split"):
        whole.whole_documents()


def test_passages_are_suggested_for_long_documents_alone(run):
    rng = np.random.default_rng(0)
    long = [" ".join(rng.choice(THEMES[list(THEMES)[i % 3]].split(), 1500)) for i in range(9)]
    told = quire.cluster(long, 2, recipe="nmf", random_state=0).info["corpus"]["sentences"]
    assert any("--split words:300" in sentence for sentence in told)
    split = quire.cluster(long, 2, recipe="nmf", random_state=0, split="words:300")
    assert len(split.documents) == 45
    for one in (run, split):
        assert not any("--split words:300" in sentence for sentence in one.info["corpus"]["sentences"])
