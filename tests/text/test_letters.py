"""One form of each letter: the words that are found, wherever a text came from, and the same by any way."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from quire import Counts
from quire.text.letters import _spellings, composed
from quire.text.spelling import Spelling
from quire.text.tokens import count_texts

NORMAL = Spelling(normal=True)
TURKISH = Spelling(normal=True, turkish=True)


def words(text, spelling=NORMAL):
    return count_texts([text], spelling=spelling)[1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("İzmir, İSTANBUL izmir", ["istanbul", "izmir"]),
        ("Işık ve kırmızı ışık", ["kırmızı", "ve", "ışık"]),  # a text with enough ı is Turkish
        ("It was in İzmir", ["in", "it", "izmir", "was"]),  # one with İ alone is not
        ("STRAẞE Straße", ["straße"]),
        ("STRASSE Straße", ["strasse", "straße"]),  # as Masse and Maße are two words
        ("ΟΔΟΣ οδος Οδος, ΣΟΦΟΣ.", ["οδος", "σοφος"]),
        ("كِتَابٌ كتاب كـــتاب", ["كتاب"]),
        ("שָׁלוֹם שלום", ["שלום"]),
        (unicodedata.normalize("NFD", "한글") + " 한글", ["한글"]),
        ("Ｆｕｌｌ　ｗｉｄｔｈ ２０２４ full", ["2024", "full", "width"]),
        ("𝐈𝐭 𝓲𝓼 𝔪𝔞𝔱𝔥 ﬁne", ["fine", "is", "it", "math"]),
        ("cafe\u0301 café co\u00adope\u00adrate", ["café", "cooperate"]),
        ("Windows™ don´t word¹ 12 m² CO₂ ①one", ["12", "co2", "don", "one", "windows", "word"]),
        ("हिन्दी भाषा में", ["भाषा", "में", "हिन्दी"]),
        ("❤️ 1️⃣ 👍🏽 ok", ["ok"]),
    ],
)
def test_what_people_mean_is_found(text, found):
    assert words(text) == sorted(found)
    assert sorted(set(NORMAL.words(text))) == sorted(found)


def test_turkish_texts_have_two_letters_i():
    assert words("ISPARTA'DA KIZIL IRMAK", TURKISH) == ["da", "kızıl", "ırmak", "ısparta"]
    counts = Counts(normalize=True, stop_words="tr").fit(["KIZIL ırmak İzmir", "kızıl elma"])
    assert counts.terms_ == ["elma", "izmir", "kızıl", "ırmak"]
    assert counts.transform(["KIZIL"]).toarray().tolist() == [[0, 0, 1, 0]]


@pytest.mark.parametrize("more", ["", " Σ", " 𝐈𝐭", " 😀" * 40, " word" * 30])
def test_a_capital_i_is_that_of_the_text_it_stands_in(more):
    """One in a hundred characters that is ı makes a text Turkish, however it is read, and whatever stands beside it."""
    texts = [f"{'ı' * n} IRMAK {'a' * (100 - n)}{more}" for n in range(4)] + ["IRMAK in English"]
    counts, terms = count_texts(texts, spelling=NORMAL)
    for row, text in zip(counts.toarray(), texts):
        assert [terms[j] for j in np.flatnonzero(row)] == sorted(set(NORMAL.words(text)))
    assert "irmak" in words(texts[-1])
    assert words("ırmak IRMAK") == ["ırmak"]


def test_every_character_is_read_alike_by_compiled_code_and_by_python():
    """``ab`` and ``cd`` around each: kernels, and what phrases, forms and sentences are looked up by."""
    codes = [*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0x1D400, 0x1D800), *range(0x1F100, 0x1F200)]
    texts = [f"ab{chr(code)}cd" for code in codes]
    counts, terms = count_texts(texts, spelling=NORMAL)
    for i, text in enumerate(texts):
        found = sorted(terms[j] for j in counts.indices[counts.indptr[i] : counts.indptr[i + 1]])
        assert found == sorted(set(NORMAL.words(text))), hex(codes[i])


@given(st.lists(st.text(max_size=40), max_size=5))
def test_texts_are_read_alike_by_compiled_code_and_by_python(texts):
    counts, terms = count_texts(texts, spelling=NORMAL)
    for row, text in zip(counts.toarray(), texts):
        assert [terms[j] for j in np.flatnonzero(row)] == sorted(set(NORMAL.words(text)))
    assert [composed(composed(text)) for text in texts] == [composed(text) for text in texts]


def test_without_being_asked_texts_are_read_as_scikit_learn_does():
    texts = ["İzmir 𝐈𝐭 Ｆｕｌｌ كِتَابٌ", "人工智能 word¹ cafe\u0301", "plain text"]
    ours, theirs = Counts(), CountVectorizer()
    np.testing.assert_array_equal(ours.fit_transform(texts).toarray(), theirs.fit_transform(texts).toarray())
    assert ours.terms_ == theirs.get_feature_names_out().tolist()


def test_ascii_is_read_alike_either_way():
    texts = ["The Moon, the I.O.U. of it's_all", "A sun 2 x"]
    one, other = Counts(normalize=True).fit_transform(texts), Counts().fit_transform(texts)
    np.testing.assert_array_equal(one.toarray(), other.toarray())


def test_stop_words_and_runs_of_words_are_spelled_alike():
    counts = Counts(normalize=True, stop_words=["كِتَاب"], ngrams=(1, 2)).fit(["Ｆｕｌｌ moon كتاب full ｍｏｏｎ"] * 2)
    assert counts.terms_ == ["full", "full moon", "moon", "moon full"]


def test_threads_that_begin_together_know_all_letters():
    made = _spellings.__wrapped__  # which each of them calls where none has ended
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: made(), range(4)))
    assert found == [_spellings()] * 4
    assert len(found[0]) > 1000


def test_marks_beyond_any_word_are_dropped_before_they_are_sorted():
    marks = "\u0301\u0323"
    assert composed("x" + marks * 100_000 + "y") == composed("x" + marks * 15 + "y")


@pytest.mark.parametrize("text", ["I\u0307STANBUL Σ", "\U0001d6a4IRI", "İzmir", "ISIR ılık"])
def test_words_of_a_text_do_not_depend_on_others(text):
    alone = count_texts([text], spelling=Spelling.here())[1]
    beside = count_texts([text, "ı", "İ", "ａ"], spelling=Spelling.here())
    held = {beside[1][j] for j in beside[0][[0]].indices}
    assert held == set(alone)
