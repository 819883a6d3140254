"""Counting: scikit-learn's vocabulary and matrix to the last entry, and what trimming keeps."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from quire import NMF, Counts, Weight
from quire.demo import docstrings
from quire.ops import textkernels
from quire.tokenise import count_texts
from quire.trim import common_threshold, most_frequent

TEXTS = [
    "The moon, the orbit.",
    "MOON_base 42 a b",
    "",
    "  \n\t ",
    "naïve Café ÉCOLE straße İstanbul ΣΑΣ",
    "x" * 5000,
]
words = st.text(st.characters(), max_size=60) | st.text("aB_1 é\n.'-", max_size=80)


def assert_same(texts, n_threads=1, **options):
    theirs = CountVectorizer(**options)
    try:
        truth = theirs.fit_transform(texts)
    except ValueError:  # an empty vocabulary
        assert count_texts(texts, n_threads)[0].shape == (len(texts), 0)
        return
    counts, terms = count_texts(texts, n_threads)
    assert terms == theirs.get_feature_names_out().tolist()
    assert counts.dtype == truth.dtype
    assert (counts != sp.csr_array(truth)).nnz == 0
    assert counts.has_canonical_format


@given(st.lists(words, min_size=1, max_size=12), st.sampled_from([1, 2, 3]))
def test_same_as_scikit_learn_on_any_text(texts, n_threads):
    assert_same(texts, n_threads)


def test_same_as_scikit_learn_on_real_text():
    texts = [document.text for document in docstrings(("numpy", "scipy"))]
    for n_threads in (1, 2, 5):
        assert_same(texts + TEXTS, n_threads)


def test_a_hash_is_never_trusted():
    """Two words with one hash are two words, and each is found again."""
    number_of = textkernels._number_of.py_func
    store = np.frombuffer(b"w0 w1 w0 w1 ", np.uint8).copy()
    table, state = np.zeros(8, np.int32), np.zeros(4, np.int64)
    known = np.zeros(4, np.uint64), np.zeros(4, np.int64), np.zeros(4, np.int32)
    numbers = [number_of(np.uint64(7), begin, 2, table, *known, store, state) for begin in (0, 3, 6, 9)]
    assert numbers == [0, 1, 0, 1]


def test_a_table_grows():
    source = [f"w{i:x}" for i in range(100_000)]
    counts, terms = count_texts([" ".join(source), *source[:50]], 2)
    assert terms == sorted(source)
    assert counts.sum() == 100_050


@pytest.mark.parametrize(
    "options",
    [
        {"tokens": "char", "ngrams": (2, 3)},
        {"tokens": "char_wb", "ngrams": (3, 3)},
        {"ngrams": (1, 2)},
        {"ngrams": (1, 2), "stop_words": "english"},
        {"stop_words": "english"},
        {"stop_words": ["moon"]},
        {"min_df": 2, "max_df": 0.8},
    ],
)
def test_options_are_scikit_learns(options):
    texts = [d.text for d in docstrings(("numpy",))][:200]
    named = {"tokens": "analyzer", "ngrams": "ngram_range"}
    theirs = CountVectorizer(**{named.get(key, key): value for key, value in options.items()})
    truth = theirs.fit_transform(texts)
    ours = Counts(**options)
    found = ours.fit_transform(texts)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert (found != sp.csr_array(truth)).nnz == 0
    new = ["The array of moons", "dtype axis axis", ""]
    assert (ours.transform(new) != sp.csr_array(theirs.transform(new))).nnz == 0


def test_own_tokens():
    ours = Counts(tokens=lambda text: text.split(";"))
    assert ours.fit_transform(["a b;c", "c;c"]).toarray().tolist() == [[1, 1], [0, 2]]
    assert ours.get_feature_names_out().tolist() == ["a b", "c"]
    for bad in ("a;;b", "a\nb;c"):
        with pytest.raises(ValueError, match="empty or holds a line break"):
            ours.fit([bad])


def test_common_cut_uses_distinct_totals():
    """The trap: over all totals the many ones have no variance and everything above 1 is cut."""
    rng = np.random.default_rng(0)
    totals = np.r_[np.ones(5000, int), rng.integers(1, 60, 800), rng.integers(900, 1100, 30)]
    assert 59 <= common_threshold(totals) < 900
    assert common_threshold(np.array([1, 1, 1, 2, 2])) == np.inf


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.floats(0.01, 1.0))
def test_rare_cut_keeps_its_share_and_no_more_than_needed(totals, share):
    totals = np.array(totals)
    kept = most_frequent(totals, share)
    if totals.sum():
        assert totals[kept].sum() >= share * totals.sum() * (1 - 1e-9)
        least = totals[kept].min()
        without = totals[totals > least].sum()
        assert without < share * totals.sum() or least == 0 or np.isclose(without, share * totals.sum())


def test_trimming_is_counted():
    texts = ["moon moon sun", "moon star", "moon the of"] * 3
    counts = Counts(stop_words="english", min_count=6)
    X = counts.fit_transform(texts)
    assert counts.get_feature_names_out().tolist() == ["moon"]
    assert X.shape == (9, 1)
    assert counts.cut_["stop_words"] == 2
    assert counts.cut_["min_count"] == 2


@pytest.mark.parametrize(
    ("texts", "options", "words_"),
    [
        (["", "  "], {}, "No term was found"),
        (["moon sun"], {"min_count": 5}, "trim less"),
        ("moon", {}, "list"),
    ],
)
def test_errors_are_sentences(texts, options, words_):
    with pytest.raises(ValueError, match=words_):
        Counts(**options).fit(texts)


def test_in_a_pipeline():
    texts = ["moon orbit rocket", "orbit rocket launch moon", "goal match team", "team goal match win"] * 6
    model = make_pipeline(Counts(), Weight("log-tfidf"), NMF(2, random_state=0)).fit(texts)
    labels = model[-1].labels_
    assert labels[0] == labels[1] != labels[2] == labels[3]


@pytest.mark.slow
def test_20_newsgroups(data):
    import polars

    table = polars.read_parquet(data / "20newsgroups.parquet").filter(polars.col("split") == "train")
    texts = table["text"].to_list()
    assert_same(texts, 2)
    counts, terms = count_texts(texts, 2)
    assert len(terms) == 130_107
    totals = counts.sum(axis=0)
    threshold = common_threshold(totals)
    assert threshold == 1641
    assert (totals > threshold).sum() == 195  # and one more term occurs just that often
