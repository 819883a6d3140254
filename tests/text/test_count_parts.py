"""Counts and X in parts are those of the same documents in memory."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from tables import GERMAN, ROWS, WORDS, N, compared, parts_at, texts_of

import quire.corpus.cut
from quire.corpus.corpus import Corpus
from quire.places.disk import DiskPlace
from quire.runs.options import Options
from quire.runs.pipeline import read
from quire.runs.recipe import recipe
from quire.runs.terms import count_terms, weigh_terms
from quire.text.weights.registry import SCHEMES


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(quire.corpus.cut, "ROWS", ROWS)
    with DiskPlace(tmp_path / "parts") as made:
        yield made


def _recipe(counts=None, weight=None):
    return recipe({"name": "own", "counts": counts or {}, "weight": weight or {"scheme": "log-tfidf"}})


def counted_terms(corpus, chosen, options, tokens=None):
    """The same by the plain estimators, which know no parts."""
    if corpus.counts is not None:
        return SimpleNamespace(matrix=corpus.counts, counts=None)
    counts = chosen.make_counts(options.threads)
    if tokens is not None:
        counts.tokens = tokens
    matrix = counts.fit_csr(corpus.texts())
    return SimpleNamespace(matrix=matrix, words=counts.shown_, totals=matrix.sum(axis=0), counts=counts)


def weighed(terms, chosen):
    weight = chosen.make_weight()
    return weight, weight.fit_csr(terms.matrix)


def _stacked(blocks):
    return sp.vstack([blocks.place.fetch(handle) for handle in blocks.handles], "csr")


def _assert_same_matrix(found, expected):
    assert found.shape == expected.shape
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def _assert_same_counts(texts, chosen, options, place, tokens=None):
    expected = counted_terms(read(texts, options), chosen, options, tokens)
    found = count_terms(parts_at(texts, options, place), chosen, options, tokens)
    assert len(found.matrix.handles) > 1
    assert found.words == expected.words
    np.testing.assert_array_equal(found.totals, expected.totals)
    _assert_same_matrix(_stacked(found.matrix), expected.matrix)
    assert found.counts.state() == expected.counts.state()
    assert found.counts.cut_ == expected.counts.cut_
    new = ["moons and goals in the Haus", ""]
    _assert_same_matrix(found.counts.transform(new), expected.counts.transform(new))
    return found


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"stop_words": "auto"},
        {"stop_words": "english"},
        {"stop_words": ["moon"]},
        {"stop_words": "auto", "stem": "auto", "min_df": 3},
        {"stem": "en", "min_count": 12, "max_df": 0.5},
        {"ngrams": [1, 2], "stop_words": "auto"},
        {"ngrams": [2, 2], "stop_words": "auto", "stem": "auto"},
        {"ngrams": [1, 2]},
        {"tokens": "char_wb", "ngrams": [2, 3]},
        {"min_count": 14},
        {"min_df": "auto", "max_df": 0.4},
        {"min_df": "shared", "cut_common": True},
        {"keep_share": 0.6},
        {"max_features": 4, "lowercase": False},
        {"vocabulary": ["sun", "moon", "nowhere"], "stop_words": ["sun"]},
        {"binary": True, "stem": "auto", "stop_words": "auto"},
        {"analyzer": "char", "ngram_range": [1, 2]},
        {"min_df": 0.2, "keep_share": 0.9, "cut_common": True, "stem": "auto", "stop_words": "auto"},
    ],
    ids=str,
)
@pytest.mark.parametrize("words", [WORDS, GERMAN], ids=["english", "german"])
def test_the_same_counts(place, counts, words):
    _assert_same_counts(texts_of(words), _recipe(counts), Options(threads=2), place)


def test_a_function_makes_tokens(place):
    odd = ["one\ud83d" if i % 2 else "two" for i in range(3)]  # half of a surrogate pair is a character too
    _assert_same_counts(texts_of(), _recipe(), Options(), place, lambda text: [*text.split(), *odd])


def test_sub_words(place):
    pytest.importorskip("sentencepiece")
    chosen = _recipe({"tokens": "subword", "subword_size": 60})
    found = _assert_same_counts(texts_of(), chosen, Options(), place)
    assert found.counts.subword_model_


def test_options_change_the_recipe(place):
    options = Options(language="de", stem=True, ngrams="1:2", min_count=2, threads=1)
    _assert_same_counts(texts_of(GERMAN), options.resolved_recipe(), options, place)


@pytest.mark.parametrize("scheme", [*SCHEMES, *(f"log-{scheme}" for scheme in SCHEMES)])
def test_the_same_weights(place, scheme):
    chosen, options = _recipe(weight={"scheme": scheme}), Options()
    weight, X = weighed(counted_terms(read(texts_of(), options), chosen, options), chosen)
    parted = parts_at(texts_of(), options, place)
    found, blocks = weigh_terms(count_terms(parted, chosen, options), chosen)
    stacked = _stacked(blocks)
    assert blocks.nnz == X.nnz
    assert blocks.dtype == X.dtype
    for name in ("indptr", "indices"):
        np.testing.assert_array_equal(getattr(stacked, name), getattr(X, name))
    # Sums of logarithms over all documents are rounded in another order.
    rtol = 1e-13 if scheme.startswith("log-") or scheme == "ncw" else 0
    np.testing.assert_allclose(stacked.data, X.data, rtol=1e-6 if rtol else 0)
    for name, values in weight.state().items():
        np.testing.assert_allclose(found.state()[name], values, rtol=rtol, err_msg=name)
    new = counted_terms(read(["moon goal"], options), _recipe(), options).matrix
    assert new.shape[1] == 2
    assert found.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("scheme", ["tfidf", "log-tfidf", "tfidf-cf", "log-tfidf-cf", "counts", "rs", "nl", "pwmi"])
def test_weights_without_sums_of_logarithms_are_the_same_to_the_last_bit(place, scheme):
    chosen, options = _recipe(weight={"scheme": scheme}), Options()
    X = weighed(counted_terms(read(texts_of(), options), chosen, options), chosen)[1]
    parted = parts_at(texts_of(), options, place)
    _assert_same_matrix(_stacked(weigh_terms(count_terms(parted, chosen, options), chosen)[1]), X)


def test_nothing_depends_on_blocks_or_threads(place, monkeypatch):
    chosen, found = _recipe({"stop_words": "auto", "stem": "auto"}), []
    for rows, threads in ((7, 1), (7, 3), (1, 1), (100, 2)):
        monkeypatch.setattr(quire.corpus.cut, "ROWS", rows)
        options = Options(threads=threads)
        terms = count_terms(parts_at(texts_of(), options, place), chosen, options)
        found.append(_stacked(weigh_terms(terms, chosen)[1]))
    for other in found[1:]:
        _assert_same_matrix(other, found[0])


@pytest.mark.parametrize("scheme", ["log-tfidf", "ncw", "nl-tau"])
@pytest.mark.parametrize("counts", [{}, {"stem": "en", "stop_words": "auto", "min_df": 2}], ids=str)
def test_blocks_without_rows_and_of_one_row(place, scheme, counts):
    chosen, options, texts = _recipe(counts, {"scheme": scheme}), Options(), texts_of()
    corpus = read(texts, options)
    sizes = np.array([0, 1, 20, 0, 1, N - 22, 0])
    starts = np.cumsum(sizes) - sizes
    handles = [place.put(corpus.documents.slice(at, size)) for at, size in zip(starts, sizes, strict=True)]
    parted = Corpus(place, handles, sizes, corpus.notes)
    assert parted.fingerprint() == corpus.fingerprint()
    terms = count_terms(parted, chosen, options)
    weight, X = weigh_terms(terms, chosen)
    expected = counted_terms(corpus, chosen, options)
    _assert_same_matrix(_stacked(terms.matrix), expected.matrix)
    assert terms.matrix.sizes.tolist() == sizes.tolist()
    other, whole = weighed(expected, chosen)
    np.testing.assert_allclose(weight.row_scale_, other.row_scale_, rtol=1e-13)
    np.testing.assert_allclose(_stacked(X).toarray(), whole.toarray(), rtol=1e-6)


def test_a_matrix_is_taken_as_it_is(place, tmp_path):
    counts = sp.random_array((N, 6), density=0.3, rng=np.random.default_rng(0), format="csr")
    counts.data = np.ceil(10 * counts.data)
    sp.save_npz(tmp_path / "m.npz", counts)
    options = Options(vocabulary=list("abcdef"))
    parted = compared(tmp_path / "m.npz", options, place)
    terms = count_terms(parted, _recipe(), options)
    assert terms.words == list("abcdef")
    assert terms.counts is None
    _assert_same_matrix(_stacked(terms.matrix), read(tmp_path / "m.npz", options).counts)
    _assert_same_matrix(
        _stacked(weigh_terms(terms, _recipe())[1]),
        weighed(counted_terms(read(tmp_path / "m.npz", options), _recipe(), options), _recipe())[1],
    )
    with pytest.raises(ValueError, match="A matrix of counts is taken as it is"):
        count_terms(parted, _recipe(), Options(stem=True))


@pytest.mark.parametrize(
    ("texts", "counts", "scheme"),
    [
        ([""] * 20, {}, "tfidf"),
        (["a b c"] * 20, {}, "tfidf"),
        (texts_of(), {"min_count": 1000}, "tfidf"),
        (["the moon"] * 20, {"stop_words": ["the"]}, "tfidf"),
        (["the"] * 20, {"stop_words": "en", "stem": "en"}, "tfidf"),
        (["moon"] * 20, {"keep_share": 2.0}, "tfidf"),
        (["moon"] * 20, {}, "nonsense"),
    ],
)
def test_nothing_left_is_told_by_the_same_sentence(place, texts, counts, scheme):
    chosen, options = _recipe(counts, {"scheme": scheme}), Options()
    with pytest.raises(ValueError, match=r".") as expected:
        weigh_terms(count_terms(read(texts, options), chosen, options), chosen)
    with pytest.raises(ValueError, match=r".") as found:
        weigh_terms(count_terms(parts_at(texts, options, place), chosen, options), chosen)
    assert str(found.value) == str(expected.value)


def test_progress_is_told(place):
    told = []
    parted = parts_at(texts_of(), Options(), place)
    count_terms(parted, _recipe(), Options(), update=lambda done, total: told.append((done, total)))
    assert told == [(done, 12) for done in range(1, 13)]
