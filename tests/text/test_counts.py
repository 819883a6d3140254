"""Counting: scikit-learn's vocabulary and matrix to the last entry, and what trimming keeps."""

import re
from collections import Counter
from itertools import pairwise

import numba
import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from quire import NMF, Counts, Weight
from quire.backends.kernels import text as textkernels
from quire.backends.kernels.layout import PAD
from quire.cli.docstrings import docstrings
from quire.text import encoded
from quire.text import tokens as tokenise
from quire.text.spelling import Spelling
from quire.text.tokens import count_texts
from quire.text.trimming import common_threshold, most_frequent
from quire.text.vocabulary import Vocabulary, characters

TEXTS = ["The moon, the orbit.", "MOON_base 42 a b", "", "  \n\t ", "naïve Café ÉCOLE straße İstanbul ΣΑΣ", "x" * 5000]
unicode_text = st.text(
    st.characters() | st.sampled_from("ΣςσİıßẞéÉ_७٣０Ａ語漢字عر́̈\ud800\udfffǅŉﬁȺⱥKÅ ab.\n\0’'ͅ"), max_size=80
)
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


def assert_words_of_re(texts, n_threads=1):
    counts, terms = count_texts(texts, n_threads)
    truth = [Counter(re.findall(r"(?u)\b\w\w+\b", text.lower())) for text in texts]
    assert terms == sorted(set().union(*truth))
    rows = (slice(a, b) for a, b in pairwise(counts.indptr))
    assert [dict(zip([terms[j] for j in counts.indices[r]], counts.data[r])) for r in rows] == truth


@given(st.lists(words, min_size=1, max_size=12), st.sampled_from([1, 2, 3]))
def test_same_as_scikit_learn_on_any_text(texts, n_threads):
    assert_same(texts, n_threads)


def test_same_as_scikit_learn_on_real_text():
    texts = [document.text for document in docstrings(("numpy", "scipy"))]
    for n_threads in (1, 2, 5):
        assert_same(texts + TEXTS, n_threads)


def test_a_hash_is_never_trusted():
    """Two words with one hash are two words, and each is found again, wherever they differ."""

    @numba.njit
    def number_of(at, length, text, key, table, begins, store, state):
        return textkernels._number_of(text, at, length, key, table, begins, store, state)

    for length in (9, 16, 32, 33, 64, 70):
        for differs in range(length):
            word, other = b"w" * length, b"w" * differs + b"v" + b"w" * (length - differs - 1)
            text = np.frombuffer((word + other) * 2 + bytes(PAD), np.uint8)
            found = Vocabulary()
            inside = np.uint64(7), found.table, found.begins, found.store, found.state
            assert [number_of(i * length, length, text, *inside) for i in range(4)] == [0, 1, 0, 1]


def test_word_characters_are_those_of_re():
    r"""``\w`` and the lower case of every code point; also again after lower(), as where Σ occurs."""
    everything = [chr(i) for i in range(0x110000)]
    lower = [c.lower() for c in everything]
    assert [c for c in everything if len(c.lower()) > 1] == ["İ"]
    kept = [re.sub(r"\W", "\n", c).encode("utf-8", "surrogatepass") for c in lower]
    truth = np.array([int.from_bytes(c, "little") for c in kept])
    truth[:0x10000] |= np.array([len(c) for c in kept[:0x10000]]) << 24
    truth[0xD800:0xE000] = 0  # halves of pairs, read as one character
    assert {chr(i) for i in np.flatnonzero(characters() != truth)} == set()
    assert all(c.lower() == c for c in lower)
    assert {len(c) for c in kept[:0x10000]} == {1, 2, 3}  # a buffer's size relies on it
    assert {len(c) for c in kept[0x10000:]} == {1, 4}


SCRIPTS = {
    "Latin": "abzABZ019_éÉßẞıİǅŉ",
    "Greek": "αβςσΣΑϊΐ\u0345",
    "Cyrillic": "абвяАБЯёЁѐџҐґ\u0301",
    "Armenian, Hebrew, Arabic": "աԱևאבת\u05b0عرى٣\u0640",
    "three bytes": "語漢字ไทयÅKẞȺⱥꞫꭰＡ０\ufb01",
    "four bytes": "𝔘𐐀𐐨𠀀😀🏴\U0010ffff",
    "in no word": " .\n\0’'-—№«»…\u200d\ud800\udfff\ufffd",
}
_one_script = st.sampled_from(list(SCRIPTS.values())).flatmap(lambda letters: st.text(letters, max_size=20))
mixed_scripts = st.lists(_one_script, max_size=12).map("".join)


@given(st.lists(mixed_scripts, min_size=1, max_size=6), st.sampled_from([1, 2]))
def test_words_of_mixed_scripts_are_those_of_re(texts, n_threads):
    assert_words_of_re(texts, n_threads)


@given(st.integers(1, 80), st.integers(0, 70), st.sampled_from(["aя", "яa", "яё", "aé", "a語", "é𝔘", "İi", "Σσ"]))
def test_words_of_any_length_at_any_place_are_those_of_re(length, place, letters):
    """Around the 8, 32 and 64 bytes that are keyed, hashed and seen at once; also words that end alike."""
    word = (letters * length)[:length]
    texts = [" " * place + word, f"{word} {word[1:]} {word[:-1]} {word}{letters[0]}", word + letters[1] + " " + word]
    assert_words_of_re(texts)


@given(st.lists(unicode_text, min_size=1, max_size=8), st.sampled_from([1, 2]))
def test_words_beyond_ascii_are_those_of_re(texts, n_threads):
    assert_words_of_re(texts, n_threads)


@given(st.lists(unicode_text, max_size=12), st.integers(1, 50), st.integers(1, 20), st.integers(1, 4))
def test_batches_and_threads_change_nothing(texts, batch, chunk, n_threads):
    truth, terms = count_texts(texts)
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenise, "BATCH", batch)
        patch.setattr(tokenise, "CHUNK", chunk)
        counts, again = count_texts(iter(texts), n_threads, progress=lambda *done: seen.append(done))
    assert again == terms
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(counts, name), getattr(truth, name))
        assert getattr(counts, name).dtype == getattr(truth, name).dtype
    assert not texts or seen[-1] == (len(texts), None)


def test_terms_sort_as_python_sorts():
    """Also those that share their first 8 bytes, hold a zero byte, or a lone surrogate."""
    rng = np.random.default_rng(0)
    alphabet = np.array(["a", "b", "\0", "é", "\ud800", "\uffff", "𝔘"], object)
    tokens = {"prefix-of-all"[:n] for n in range(1, 14)}
    tokens |= {"".join(rng.choice(alphabet, rng.integers(1, 30))) for _ in range(500)}
    tokens |= {"same eight bytes" * 3 + "".join(rng.choice(alphabet, 3)) for _ in range(300)}
    tokens |= {"a" + "\0" * n for n in range(40)}
    counts, terms = count_texts(["x"], split=lambda _: rng.permutation(np.array([*tokens], object)).tolist())
    assert terms == sorted(tokens)
    assert counts.data.tolist() == [1] * len(tokens)


@pytest.mark.parametrize("letter", ["a", "é", "語"])
def test_long_words_and_long_documents(letter):
    word = letter * 200_000
    many = " ".join(f"{letter}{i}" for i in range(60_000))
    assert_same([word, word + letter, "", f"{word} {word}", many, letter], 2)
    for n in range(60, 70):  # around the 64 bytes that are seen at once
        assert_same([letter * n, " " * n + letter * n, letter * n + " " + letter * 2, f"{letter} " * n + "zz"])


def test_no_documents():
    counts, terms = count_texts([])
    assert counts.shape == (0, 0)
    assert terms == []


def test_a_document_that_is_not_text_is_named():
    with pytest.raises(TypeError, match="Document 1 is of type float"):
        count_texts(["moon", float("nan")])


@given(st.lists(words | unicode_text, max_size=12),
       st.sampled_from([1, 3]), st.sampled_from([Spelling(), Spelling.here(), Spelling.here("tr")]))  # fmt: skip
def test_a_column_counts_as_a_list_of_its_texts(texts, n_threads, spelling):
    """Texts of ASCII are joined as they lie there, with others between them; a null is no text in either."""
    texts = [text for text in texts if not re.search("[\ud800-\udfff]", text)]
    of_list, of_column = (
        count_texts(given, n_threads, spelling=spelling) for given in (texts, pl.Series(texts, dtype=pl.String))
    )
    assert of_column[1] == of_list[1]
    assert of_column[0].dtype == of_list[0].dtype
    assert (of_column[0] != of_list[0]).nnz == 0
    with pytest.raises(TypeError, match=f"Document {len(texts)} is of type NoneType"):
        count_texts(pl.Series([*texts, None], dtype=pl.String))


def test_a_column_counts_alike_in_chunks_of_any_size(monkeypatch):
    monkeypatch.setattr(tokenise, "CHUNK", 64)
    texts = [f"word{i % 7} café {i % 3} end" if i % 5 == 0 else f"plain{i % 11} words" for i in range(400)]
    of_list, of_column = (count_texts(given, 3) for given in (texts, pl.Series(texts)))
    assert of_column[1] == of_list[1]
    assert (of_column[0] != of_list[0]).nnz == 0


def test_a_document_beyond_32_bits_is_refused(monkeypatch):
    monkeypatch.setattr(encoded, "MOST_BYTES", 10)
    with pytest.raises(ValueError, match="begins with 'far too long'"):
        count_texts(["moon", "far too long"])


@given(st.lists(words, min_size=1, max_size=8), st.lists(words, min_size=1, max_size=8))
def test_transform_is_scikit_learns(texts, new):
    texts = [*texts, "some words"]
    theirs, ours = CountVectorizer().fit(texts), Counts().fit(texts)
    asked = [*new, *texts[:1]]
    truth = theirs.transform(asked)
    for found in (ours.transform(asked), ours.transform(iter(asked))):  # a few, and who knows how many
        assert found.shape == truth.shape
        assert found.dtype == truth.dtype
        assert found.indices.dtype == found.indptr.dtype == np.int32
        assert (found != sp.csr_array(truth)).nnz == 0
        assert found.has_canonical_format


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
    for asked in (new, iter(new)):
        assert (ours.transform(asked) != sp.csr_array(theirs.transform(new))).nnz == 0


def test_another_vocabulary_is_looked_up_anew():
    ours = Counts().fit(["moon sun"])
    assert ours.transform(["sun"]).toarray().tolist() == [[0, 1]]
    ours.fit(["goal sun team"])
    assert ours.transform(["sun"]).toarray().tolist() == [[0, 1, 0]]
    assert "vocabulary_" not in vars(ours)  # which are stored


def test_own_tokens():
    ours = Counts(tokens=lambda text: text.split(";"))
    assert ours.fit_transform(["a b;c", "c;c"]).toarray().tolist() == [[1, 1], [0, 2]]
    assert ours.get_feature_names_out().tolist() == ["a b", "c"]
    odd = ["a;;b", "a\nb;c;\udfff;\udfff0"]  # terms that are no lines
    assert ours.fit_transform(odd).toarray().tolist() == [[1, 1, 0, 1, 0, 0, 0], [0, 0, 1, 0, 1, 1, 1]]
    assert ours.terms_ == ["", "a", "a\nb", "b", "c", "\udfff", "\udfff0"]
    assert (ours.transform(odd * 200) != ours.transform(odd)[np.tile([0, 1], 200)]).nnz == 0


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
    [(["", "  "], {}, "No term was found"), (["moon sun"], {"min_count": 5}, "trim less"), ("moon", {}, "list")],
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
