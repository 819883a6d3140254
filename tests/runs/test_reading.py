"""Documents to read and a passage to quote: of the usual length, no two the same, whatever the parts."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire.runs.keywords import topic_keywords
from quire.runs.passage import passage_of
from quire.runs.reading import N_TYPICAL, Guide, _telling_words, documents_to_read

WORDS = {"space": "moon orbit rocket launch probe lunar comet crater", "sport": "goal team match coach league cup win"}


def _corpus(n=200, seed=0):
    """Texts of two themes, most of about 20 words, some ten times as long or very short, each once more."""
    rng = np.random.default_rng(seed)
    lengths = rng.choice([3, 18, 20, 22, 200], n, p=[0.1, 0.25, 0.3, 0.25, 0.1])
    texts = [" ".join(rng.choice(list(WORDS.values())[i % 2].split(), length)) for i, length in enumerate(lengths)]
    return [f"{text} {'abcdefgh'[i % 8] * 3}x{i}y" for i, text in enumerate(texts)]


def _found(counts, labels, shares, cuts=()):
    """Return the documents to read, out of parts of some sizes."""
    counts, k = sp.csr_array(counts), shares.shape[1]
    H = np.array([counts[np.flatnonzero(labels == t)].sum(axis=0) for t in range(k)], float)
    words = [f"w{chr(97 + j % 26)}{j}" for j in range(counts.shape[1])]
    leading = topic_keywords(counts, labels, H, np.asarray(counts.sum(axis=0)), words).leading
    guide = Guide.of(leading, labels, np.asarray(counts.sum(axis=1)).ravel(), counts.shape[1])
    frame = pl.DataFrame({"id": [f"d{i}" for i in range(len(labels))]})
    edges = [0, *sorted(cuts), len(labels)]
    parts = [documents_to_read(frame[a:b], counts[a:b], labels[a:b], shares[a:b], guide) for a, b in pairwise(edges)]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole.of_each(k)


@given(st.integers(0, 2**32 - 1))
def test_telling_words_are_those_of_the_documents_own_topic(seed):
    rng = np.random.default_rng(seed)
    n, d, k = rng.integers(1, 12, 3)
    counts = sp.csr_array(rng.poisson(0.5, (n, d)))
    counts.data[::3] = 0  # which is kept, but is no word
    telling = sp.csr_array(rng.random((k, d)) * (rng.random((k, d)) < 0.5))
    topic = rng.integers(0, k, n)
    product = (counts.toarray() > 0) @ telling.toarray().T
    assert _telling_words(counts, topic, telling) == pytest.approx(product[np.arange(n), topic])


def test_typical_documents_are_about_as_long_as_others():
    texts = _corpus()
    run = quire.cluster(texts, 2, random_state=0)
    length = {id: len(text.split()) for id, text in run.documents.select("id", "text").iter_rows()}
    for typical in run.topics["typical"].to_list():
        assert len(typical) == N_TYPICAL
        assert all(15 <= length[id] <= 30 for id in typical)


def test_no_two_typical_documents_hold_the_same_words():
    texts = [text.rsplit(" ", 1)[0] for text in _corpus(60)]
    run = quire.cluster([*texts, *texts, *texts], 2, random_state=0)
    held = {id: frozenset(text.split()) for id, text in run.documents.select("id", "text").iter_rows()}
    for column in ("typical", "borderline"):
        for ids in run.topics[column].to_list():
            assert len({held[id] for id in ids}) == len(ids)


@given(st.integers(0, 1000), st.lists(st.integers(0, 60), max_size=4))
def test_parts_do_not_matter(seed, cuts):
    rng = np.random.default_rng(seed)
    counts, labels = rng.poisson(0.4, (60, 15)), rng.integers(-1, 3, 60)
    counts[30:40] = counts[:10]
    shares = rng.dirichlet(np.ones(3) / 2, 60)
    assert _found(counts, labels, shares, cuts) == _found(counts, labels, shares)


def test_documents_of_a_topic_are_its_own_and_borderline_ones_are_near_another():
    counts = np.kron(np.eye(2), np.ones((6, 3))) + np.vstack([np.eye(6, 6)] * 2)
    labels = np.array([0] * 6 + [1] * 5 + [-1])
    shares = np.column_stack([np.linspace(1, 0, 12), np.linspace(0, 1, 12)])
    typical, borderline, _ = _found(counts, labels, shares)
    assert set(typical[0]) <= {f"d{i}" for i in range(6)}
    assert "d11" not in typical[1]
    assert borderline[0] == ["d5", "d4"]


def test_a_passage_is_the_sentence_with_most_keywords():
    text = (
        "From: rocket@moon.edu (A. Probe) Subject: Re: moon orbit launch nasa\n\nHello there.\n"
        "> The launch put a probe into an\n> orbit around the moon last week. Thanks for the moon!"
    )
    passage = "The launch put a probe into an orbit around the moon last week."
    assert passage_of([text, None, "Nothing is told here of what was asked."], ["moon", "orbit", "launch"]) == passage
    assert passage_of([text], ["goal"]) is None
    assert passage_of([None], ["moon"]) is None
    assert passage_of(["moon orbit rocket launch probe lunar comet"], ["moon"])  # a title as a whole


def test_a_run_keeps_its_passages_and_an_older_one_has_none(tmp_path):
    texts = [f"The {a} of the {b} was seen by all who were there {i}." for i, (a, b) in enumerate(
        [("moon", "comet"), ("goal", "team"), ("moon", "orbit"), ("goal", "league")] * 6)]  # fmt: skip
    run = quire.cluster(texts, 2, random_state=0)
    assert all(passage in texts for passage in run.topics["passage"].to_list())
    folder = run.save(tmp_path / "run")
    assert quire.load(folder).topics.equals(run.topics)
    older = run.topics.drop("passage")
    from quire.runs.load import _topics_from

    assert _topics_from({"topics": older.to_dicts(), "timeline": None})[0]["passage"].to_list() == [None, None]


@pytest.mark.parametrize("abstain", [None, 0.9])
def test_every_topic_with_documents_has_a_typical_one(abstain):
    run = quire.cluster(_corpus(40), 2, random_state=0, abstain=abstain)
    for topic, ids in run.topics.select("topic", "typical").iter_rows():
        assert ids or not (run.labels == topic).any()
