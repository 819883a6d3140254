"""Keywords and phrases: no word in two topics, no fillers, words that go together, terms of two words."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from problems import find_phrases

import quire
from quire.places.memory import in_memory
from quire.runs.boilerplate import independent, sentences
from quire.runs.keywords import N_KEYWORDS, topic_keywords
from quire.runs.terms import Terms
from quire.runs.topics import one_per_family
from quire.runs.words import keywords_of, sample_of
from quire.scores.coherence import coherence
from quire.studies.evaluate import evaluate
from quire.text.phrases import Phrases, count_phrases

THEMES = {"space": "moon orbit rocket launch nasa probe lunar comet", "sport": "goal team match coach league cup"}


def _telling(counts, labels, words=None, phrases=None, n=N_KEYWORDS):
    """Return keywords where H is what the labels say."""
    counts, labels = sp.csr_array(counts), np.asarray(labels)
    k = int(labels.max(initial=0)) + 1
    H = np.array([counts[np.flatnonzero(labels == t)].sum(axis=0) for t in range(k)], float)
    words = words or [f"w{chr(97 + j // 26)}{chr(97 + j % 26)}" for j in range(counts.shape[1])]
    return topic_keywords(counts, labels, H, np.asarray(counts.sum(axis=0)), words, phrases, n).words


def _texts(seed=0, n=60, extra=""):
    rng = np.random.default_rng(seed)
    themes = list(THEMES.values())
    return [", ".join([*rng.permutation(themes[i % 2].split())[:4], extra]) for i in range(n)]


@given(st.data())
def test_no_word_is_a_keyword_of_two_topics_unless_a_topic_has_no_other(data):
    shape = data.draw(st.tuples(st.integers(1, 25), st.integers(1, 30)))
    counts = data.draw(arrays(np.int64, shape, elements=st.sampled_from([0, 0, 1, 3])))
    labels = data.draw(arrays(np.int64, shape[0], elements=st.integers(-1, 4)))
    lists = _telling(counts, labels)
    assert lists == _telling(counts, labels)
    held = [np.asarray(counts)[labels == t].sum() for t in range(len(lists))]
    for row, total in zip(lists, held):
        assert len(row) <= N_KEYWORDS
        assert len(set(row)) == len(row)
        assert bool(row) == bool(total)  # a topic has keywords if its documents have words
    words = [word for row in lists for word in row]
    for word in {word for word in words if words.count(word) > 1}:  # one has it, the others have nothing else
        assert sum(len(row) > 1 for row in lists if word in row) <= 1


@given(st.integers(0, 1000), st.integers(2, 6), st.integers(2, 8))
def test_words_spread_evenly_over_topics_are_never_keywords(seed, k, own):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(k), 40)
    telling = np.kron(np.eye(k), np.ones((40, own))) * (rng.random((40 * k, own * k)) < 0.6)
    evenly = np.tile(rng.random((40, 10)) < rng.random(10), (k, 1))
    evenly[:, 0] = True
    words = [f"{chr(97 + j)}filler" for j in range(10)] + _names(own * k)
    lists = _telling(np.hstack([evenly, telling]), labels, words)
    assert all(len(row) == own for row in lists)  # also where that is a short list
    assert not any(word.endswith("filler") for row in lists for word in row)


def test_numbers_rare_words_and_families_do_not_fill_a_list():
    labels = np.repeat([0, 1], 50)
    first = (labels == 0).astype(int)
    rare = np.zeros(100, int)
    rare[0] = 1
    words = ["1987", "d9", "_x", "orbit", "orbits", "moon", "nasa", "probe", "comet", "rare", "goal"]
    counts = np.column_stack([first] * 9 + [rare, 1 - first])
    assert set(_telling(counts, labels, words)[0]) == {"orbit", "moon", "nasa", "probe", "comet"}
    assert _telling(counts[:, :3], labels, words[:3])[0] == ["1987", "d9", "_x"]  # better than none


def test_words_that_go_together_come_before_a_word_that_is_alone():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 200)
    told = (rng.random(400) < 0.4) & (labels == 0)
    alone = (labels == 0) & ~told & (rng.random(400) < 0.5)
    together = [told & (rng.random(400) < 0.7) for _ in range(6)]
    counts = np.column_stack([alone, *together, labels == 1]).astype(int)
    found = _telling(counts, labels, ["alone", *_names(6), "other"], n=6)[0]
    assert "alone" not in found
    assert coherence([found], counts, ["alone", *_names(6), "other"]).mean > 0.7


def _signed(n=300, signed=40, seed=0):
    """Counts of two topics of 12 words each, and a signature of six words in some documents of the first."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], n // 2)
    own = np.kron(np.eye(2), np.ones((n // 2, 12))) * (rng.random((n, 24)) < 0.25)
    signature = np.zeros((n, 6))
    signature[:signed] = 1
    signature[0, 0] = signature[1, 3] = 0
    return (
        np.hstack([own, signature]),
        labels,
        [*_names(24), *["gordon", "skeptic", "n3jxp", "chastity", "cadre", "surrender"]],
    )


@pytest.mark.parametrize("signed", [50, 60])
def test_a_signature_is_no_keyword_and_a_note_says_so(signed):
    counts, labels, words = _signed(signed=signed)
    H = np.array([counts[labels == t].sum(axis=0) for t in (0, 1)])
    chosen = topic_keywords(counts, labels, H, counts.sum(axis=0), words)
    assert len(chosen.words[0]) == N_KEYWORDS
    assert not set(words[24:]) & set(chosen.words[0])
    (note,) = sentences(chosen.blocks, chosen.words)
    assert f"{signed} documents" in note
    assert "topic 0" in note
    counts[:, 24:] = 0
    without = topic_keywords(counts, labels, H, counts.sum(axis=0), words)
    assert sentences(without.blocks, without.words) == []
    assert without.words == chosen.words


def test_a_word_and_its_phrases_are_no_signature():
    shown = ["fourier", "fourier transform", "discrete fourier", "geb", "gordon banks", "n3jxp"]
    held = np.zeros((60, 6))
    held[:20, :3] = held[30:45, 3:] = 1
    held[0, 1] = held[1, 2] = 0
    share, block = independent(sp.csc_array(held), shown)
    assert block[:3].tolist() == [-1] * 3
    assert len(set(block[3:].tolist())) == 1
    assert block[3] >= 0
    assert (share[:3] == 1).all()
    assert (share[3:] < 0.2).all()


def test_a_term_of_three_words_is_no_signature_but_a_long_chain_is():
    shown = ["named", "named entity", "entity recognition", "skepticism chastity", "chastity", "intellect", "shameful",
             "shameful surrender", "intellect surrender", "surrender soon"]  # fmt: skip
    held = np.zeros((60, 10))
    held[:20, :3] = held[30:45, 3:] = 1
    held[0, 1] = held[1, 2] = 0
    block = independent(sp.csc_array(held), shown)[1]
    assert block[:3].tolist() == [-1] * 3
    assert len(set(block[3:].tolist()) - {-1}) == 1


def test_a_term_and_what_is_short_for_it_are_no_signature():
    words = ["llms", "large", "language", "large language", "other"]
    present = np.zeros((60, 5))
    present[:20, :4] = present[30:, 4] = 1
    share, block = independent(sp.csc_array(present), words)
    assert (share == 1).all()
    assert (block == -1).all()
    share, block = independent(sp.csc_array(present), ["n3jxp", *words[1:]])  # initials of nothing
    assert (share[:4] < 0.1).all()
    assert (block[:4] == block[0]).all()


def test_a_word_of_a_signature_counts_where_it_stands_without_it():
    counts, labels, words = _signed(signed=30)
    counts[30:100, 25] = 1  # a word that many others write too
    assert words[25] in _telling(counts, labels, words)[0]
    assert not set(words[26:]) & set(_telling(counts, labels, words)[0])


def test_words_of_every_document_of_a_topic_and_names_of_two_words_are_no_signature():
    labels = np.repeat([0, 1], 50)
    counts = np.column_stack([labels == 0] * 6 + [labels == 1]).astype(int)
    assert len(_telling(counts, labels, _names(7))[0]) == 6
    rng = np.random.default_rng(0)
    both = (rng.random(100) < 0.4) & (labels == 0)
    others = [(rng.random(100) < 0.4) & (labels == 0) for _ in range(4)]
    counts = np.column_stack([both, both, *others, labels == 1]).astype(int)
    assert {"hong", "kong"} <= set(_telling(counts, labels, ["hong", "kong", *_names(5)])[0])


def test_words_that_many_topics_share_come_after_those_of_one():
    labels = np.repeat(np.arange(8), 50)
    rng = np.random.default_rng(0)
    shared = (rng.random(400) < np.where(labels < 6, 0.5, 0.05)).astype(int)
    own = (rng.random(400) < np.where(labels == 0, 0.4, 0.0)).astype(int)
    shared[labels == 0] = rng.random(50) < 0.6
    words = _telling(np.column_stack([shared, own, labels > 0]), labels, ["thanks", "orbit", "other"])[0]
    assert words.index("orbit") < words.index("thanks") if "thanks" in words else "orbit" in words


@pytest.mark.parametrize(
    ("counts", "labels", "expected"),
    [
        (np.ones((1, 1)), [0], [["waa"]]),  # one topic, one document, one word
        (np.eye(2), [0, 1], [["waa"], ["wab"]]),
        (np.ones((2, 1)), [0, 1], [["waa"], ["waa"]]),  # one word for two topics: shared
        (np.eye(2), [-1, 1], [[], ["wab"]]),  # a topic without documents, and without words
        (np.eye(3) * 0.25, [0, 0, 1], [["waa", "wab"], ["wac"]]),
        (np.zeros((2, 2)), [0, 1], [[], []]),
    ],
)
def test_small_and_odd_corpora(counts, labels, expected):
    assert [sorted(row) for row in _telling(counts, labels)] == expected


def test_a_topic_without_documents_lists_its_words_and_a_matrix_its_columns():
    counts = sp.csr_array(np.kron(np.eye(2), np.ones((6, 2))))
    H = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 2]])
    words = [f"#{j}" for j in range(4)]
    lists = topic_keywords(counts, np.repeat([0, 1], 6), H, np.full(4, 6.0), words).words
    assert [sorted(row) for row in lists] == [["#0", "#1"], ["#2", "#3"], ["#3"]]


def test_phrases_are_found_in_texts_but_not_across_stop_words_and_signs():
    texts = [f"{t} in Hong Kong, new\nwave of it; Kong. Wins" for t in _texts()]
    counts = quire.Counts(stop_words="english").fit(texts)
    found = find_phrases(pl.Series(texts), counts)
    assert set(found.words) == {"hong kong", "new wave"}
    assert found.present.toarray().tolist() == [[1, 1]] * len(texts)
    accents = [text.replace("Kong,", "Kong, é") for text in texts]  # the slower way to the same
    assert find_phrases(pl.Series(accents), counts).words == found.words


def test_phrases_are_looked_for_in_a_sample_that_is_spread_evenly(monkeypatch):
    monkeypatch.setattr("quire.text.phrases.MOST_DOCUMENTS", 20)
    texts = _texts(extra="hong kong")
    found = find_phrases(pl.Series(texts), quire.Counts().fit(texts))
    assert found.rows.tolist() == list(range(0, 60, 3))
    assert found.present.shape == (20, len(found.words))


@pytest.mark.parametrize("how", [{"tokens": "char"}, {"tokens": str.split}, {"ngrams": (1, 2)}, {"stem": "en"}])
def test_there_are_no_phrases_where_terms_are_not_plain_words(how):
    texts = _texts(extra="hong kong")
    assert find_phrases(pl.Series(texts), quire.Counts(**how).fit(texts)).words == []
    assert find_phrases(None, None).words == []


@given(st.lists(st.lists(st.sampled_from(["new", "york", "of", ",", "é"]), max_size=8), max_size=6))
def test_phrases_are_counted_as_they_stand(documents):
    expected = [[sum(pair == ("new", "york") for pair in pairwise(row))] for row in documents]
    counts = count_phrases([" ".join(row) for row in documents], ["new york"])
    assert counts.toarray().tolist() == expected


def test_a_phrase_stands_for_its_words_where_they_hardly_occur_without_it():
    texts = _texts()
    texts = [text + (" hong kong" if i % 2 else " team cup") for i, text in enumerate(texts)]
    texts[1::6] = [text + " a team" for text in texts[1::6]]
    counts = quire.Counts()
    matrix = counts.fit_csr(texts)
    labels = np.arange(60) % 2
    H = np.array([matrix[labels == t].sum(axis=0) for t in (0, 1)], float)
    terms = Terms(in_memory(matrix, 100), counts.terms_, np.asarray(matrix.sum(axis=0), float), counts)
    lists = keywords_of(sample_of(quire.read_corpus(texts), terms), terms, labels, H).words
    assert "hong kong" in lists[1]
    assert not {"hong", "kong"} & {word for row in lists for word in row}


def test_a_run_has_keywords_of_its_own_for_every_topic_and_scores_its_phrases():
    texts = [text + (" solar wind" if i % 2 else " penalty kick") for i, text in enumerate(_texts())]
    run = quire.cluster(texts, 2, random_state=0)
    words = [word for row in run.topics["keywords"].to_list() for word in row]
    assert len(words) == len(set(words))
    assert {"solar wind", "penalty kick"} <= set(words)
    assert run.topics["keywords"].to_list() == quire.cluster(texts, 2, random_state=0).topics["keywords"].to_list()
    assert evaluate(run).alone["npmi"] > 0  # a phrase that were not counted would be at −1


def test_families_are_words_that_differ_in_their_ending():
    assert one_per_family(["filter", "filters", "signal"]) == ["filter", "signal"]
    assert one_per_family(["tory", "tories", "story", "cars", "car"]) == ["tory", "story", "cars"]
    assert one_per_family(["computer", "company", "final", "finance"]) == ["computer", "company", "final", "finance"]
    assert one_per_family(["hard disk", "disks", "hard drive", "drive"]) == ["hard disk", "drive"]
    assert Phrases.none().present.shape == (0, 0)


def _names(n):
    """Return words that are no family."""
    return [f"{chr(97 + j % 26)}{chr(97 + j // 26)}{chr(122 - j % 26)}word" for j in range(n)]
