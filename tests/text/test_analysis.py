"""CountVectorizer's parameters: the same matrix and vocabulary, by whichever path, and the same refusals."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils.estimator_checks import check_estimator

from quire import Counts, Tfidf

TEXTS = [
    "The Moon\nand the SUN, again: the moon™ of Café Ÿ", "chess  and\tmoon", "", "été ÉTÉ naïve 42 a1",
    "x y z moon sun",
]  # fmt: skip
SAME = [
    {"lowercase": False}, {"strip_accents": "ascii"}, {"strip_accents": "unicode"}, {"token_pattern": r"\w+"},
    {"token_pattern": r"\b(\w)\w+\b"}, {"tokenizer": str.split, "token_pattern": None}, {"preprocessor": str.upper},
    {"analyzer": "char"}, {"analyzer": "char_wb", "ngram_range": (2, 3)}, {"analyzer": str.split},
    {"ngram_range": (1, 2), "stop_words": ["moon", "the"]}, {"stop_words": "english"}, {"binary": True},
    {"dtype": np.float32}, {"dtype": bool}, {"max_features": 1}, {"max_features": 1, "binary": True, "min_df": 2},
    {"vocabulary": ["sun", "moon", "nothing"]}, {"vocabulary": {"sun": 1, "moon": 0}, "stop_words": ["sun"]},
    {"vocabulary": {"moon", "sun"}}, {"max_df": np.int64(2)}, {"max_df": np.float64(0.5)},
    {"strip_accents": lambda text: text.replace("é", "e"), "lowercase": False},
]  # fmt: skip


@pytest.mark.parametrize("options", SAME, ids=[f"{n}-{'-'.join(one)}" for n, one in enumerate(SAME)])
@pytest.mark.parametrize("many", [1, 60])  # few documents are looked up in another way
def test_as_count_vectorizer(options, many):
    ours, theirs = Counts(**options), CountVectorizer(**options)
    expected = theirs.fit_transform(TEXTS)
    found = ours.fit_transform(TEXTS)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.fixed_vocabulary_ == theirs.fixed_vocabulary_
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    assert np.array_equal(found.toarray(), expected.toarray())
    new = [*TEXTS, "sun sun moon é"] * many
    assert np.array_equal(ours.transform(new).toarray(), theirs.transform(new).toarray())
    for mine, their in zip(ours.inverse_transform(found), theirs.inverse_transform(expected)):
        assert sorted(mine) == sorted(their)
    assert ours.build_analyzer()(TEXTS[0]) == theirs.build_analyzer()(TEXTS[0])


@pytest.mark.parametrize("kind", ["content", "filename", "file"])
@pytest.mark.parametrize(
    "options", [{}, {"ngram_range": (1, 2)}, {"analyzer": str.split}], ids=["words", "runs", "own"]
)
def test_documents_may_be_bytes_or_files(kind, options, tmp_path):
    paths = [tmp_path / f"{i}.txt" for i in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS):
        path.write_bytes(text.encode("utf-16"))
    documents = {"content": [path.read_bytes() for path in paths], "filename": paths}.get(kind)
    expected = Counts(**options).fit_transform(TEXTS)
    opened = [path.open("rb") for path in paths]
    counts = Counts(input=kind, encoding="utf-16", **options)
    assert (counts.fit_transform(documents or opened) != expected).nnz == 0
    for file in opened:
        file.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_df": -1}, "min_df=-1"), ({"max_df": 1.5}, "max_df=1.5"), ({"min_df": True}, "min_df=True"),
        ({"max_features": 0}, "'max_features' parameter of Counts"), ({"lowercase": "no"}, "'lowercase'"),
        ({"input": "url"}, "'input'"), ({"vocabulary": []}, "empty vocabulary"),
        ({"vocabulary": ["a", "a"]}, "Duplicate term"), ({"ngram_range": (2, 1)}, "lower boundary"),
        ({"tokens": "char", "analyzer": "char"}, "give one of them"), ({"analyzer": "letter"}, "'analyzer'"),
        ({"tokens": "-urls", "tokenizer": str.split, "token_pattern": None}, "Both tokens and tokenizer"),
        ({"tokens": "-urls", "token_pattern": r"\S+"}, "Both tokens and token_pattern"), ({"tokens": 5}, "tokens=5"),
    ],
)  # fmt: skip
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        Counts(**options).fit(TEXTS)


@pytest.mark.parametrize("bad", [None, 3, ["moon"]], ids=str)
def test_documents_that_are_no_texts_are_named(bad):
    with pytest.raises(TypeError, match="Document 1 is of type"):
        Counts().fit(["moon", bad])
    with pytest.raises(TypeError, match="A term of document 0 is of type int"):
        Counts(analyzer=lambda text: [1, 2]).fit(["moon"])


@pytest.mark.parametrize("as_it_is", [{"lowercase": False}, {"preprocessor": list}], ids=str)
def test_tokens_that_are_known_go_by_a_tokenizer_as_they_are(as_it_is):
    documents = [["New York", "moon"], ["moon", "moon"], []]
    options = {"tokenizer": list, "token_pattern": None, **as_it_is}
    ours, theirs = Counts(**options), CountVectorizer(**options)
    assert np.array_equal(ours.fit_transform(documents).toarray(), theirs.fit_transform(documents).toarray())
    assert np.array_equal(ours.transform(documents).toarray(), theirs.transform(documents).toarray())
    with pytest.raises(TypeError, match="Document 0 is of type list"):
        Counts(tokenizer=list).fit(documents)


def test_names_are_no_documents():
    frames = [pytest.importorskip(library).DataFrame({"a text": TEXTS}) for library in ("pandas", "polars")]
    for source in (dict.fromkeys(TEXTS, 1), *frames):
        for method in ("fit", "fit_transform"):
            with pytest.raises(ValueError, match="pass one column, or the values"):
                getattr(Counts(), method)(source)
        with pytest.raises(ValueError, match="pass one column, or the values"):
            Counts().fit(TEXTS).transform(source)


@pytest.mark.parametrize("source", [None, 3, np.array("moon sun"), sp.csr_matrix(np.eye(2)), sp.csr_array(np.eye(2))])
def test_what_holds_no_documents_is_refused_in_a_sentence(source):
    for method in (Counts().fit, Counts().fit_transform, Counts().fit(TEXTS).transform, Tfidf().fit(TEXTS).transform):
        with pytest.raises(TypeError, match=r"Documents cannot be taken from .*: pass a list of texts"):
            method(source)


def test_a_share_may_be_numpys():
    for name in ("min_df", "max_df"):
        assert Counts(**{name: np.float32(0.5)}).fit(TEXTS).terms_ == Counts(**{name: 0.5}).fit(TEXTS).terms_


@pytest.mark.filterwarnings("ignore:Only")
@pytest.mark.parametrize("dtype", ["float32", "f8", np.dtype("float32"), float, np.int32, bool])
def test_weights_have_the_type_that_scikit_learns_have(dtype):
    ours, theirs = (made(dtype=dtype).fit_transform(TEXTS) for made in (Tfidf, TfidfVectorizer))
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-3)


def test_a_type_of_no_numbers_is_refused_in_a_sentence():
    for made in (Counts, Tfidf):
        for dtype in (str, "moon", object, complex):
            with pytest.raises(ValueError, match="is no kind of number"):
                made(dtype=dtype).fit_transform(TEXTS)


def test_stop_words_that_leave_nothing_are_named_by_the_parameter():
    with pytest.raises(ValueError, match="stop_words=None"):
        Counts(stop_words=["moon"]).fit(["moon"])


def test_of_terms_as_frequent_the_first_by_name_are_kept():
    texts = ["d c b a", "e", "a b c"]
    kept = [Counts(max_features=2, token_pattern=r"\w").fit(some).terms_ for some in (texts, texts[::-1])]
    assert kept == [["a", "b"]] * 2


def test_report_says_who_finds_the_words():
    assert "compiled code." in Counts(stop_words="english", max_features=5, binary=True, vocabulary=["aa"]).report()
    assert "beyond ASCII" in Counts(strip_accents="unicode").report()
    for name, value in {"lowercase": False, "tokenizer": str.split, "ngram_range": (1, 2), "analyzer": "char"}.items():
        assert f"by Python ({name.replace('ngram_range', 'ngrams')})" in Counts(**{name: value}).report()


POSTS = ["Moon \U0001f600 #Tag www.x.org 42 Café", "SUN moon 42 #Tag", "", "été ÉTÉ moon \U0001f600\U0001f600"]


@pytest.mark.parametrize(
    ("options", "terms"),
    [
        ({}, "café moon sun tag été \U0001f600"),
        ({"lowercase": False}, "Café Moon SUN Tag moon ÉTÉ été \U0001f600"),
        ({"strip_accents": "unicode"}, "cafe ete moon sun tag \U0001f600"),
        ({"preprocessor": str.upper}, "CAFÉ MOON SUN TAG ÉTÉ \U0001f600"),
        ({"preprocessor": str, "ngram_range": (2, 2), "token_pattern": r"\b\w\w+\b"}, None),
    ],
)
def test_kinds_of_tokens_are_told_apart_whoever_finds_the_words(options, terms):
    counts = Counts(tokens="-urls", **options)
    found = counts.fit_transform(POSTS)
    assert terms is None or counts.terms_ == terms.split(" ")
    assert not any("42" in term or "www" in term for term in counts.terms_)
    assert np.array_equal(counts.transform(POSTS * 90)[: len(POSTS)].toarray(), found.toarray())
    analyse, each = counts.build_analyzer(), dict.fromkeys(counts.terms_, 0)
    assert all(each.keys() & analyse(text) == set(row) for text, row in zip(POSTS, counts.inverse_transform(found)))


def test_repeated_lines_are_left_out_of_bytes_too():
    line = "\nNobody has ever read this line to its end, as it is far too long for that\nmoon"
    texts = [f"chess {'abcdefghijkl'[i] * 3}{line}" for i in range(12)]
    of_texts, of_bytes = Counts(keep_repeated=False), Counts(keep_repeated=False)
    expected = of_texts.fit_transform(texts)
    assert "nobody" not in of_texts.terms_
    assert (of_bytes.fit_transform([text.encode() for text in texts]) != expected).nnz == 0
    assert (of_bytes.transform([text.encode() for text in texts]) != expected).nnz == 0
    own = Counts(keep_repeated=False, analyzer=lambda document: document["text"].split())
    assert own.fit_transform([{"text": text} for text in texts]).shape[0] == 12


def test_documents_have_their_own_language_where_the_vocabulary_is_given():
    given = Counts(stop_words="en,de", extra_stop_words=["cat"], vocabulary=["die", "the", "cat", "katze"])
    both = ["the cat and the dog are in my house, so die hard", "die Katze und der Hund sind in dem Haus"] * 9
    assert given.fit_transform(both).toarray()[:2].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
    assert given.transform(both * 20).toarray()[:2].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]


def test_a_subclass_may_override_what_a_count_vectorizers_may():
    class Short(Counts):
        def build_analyzer(self):
            analyse = super().build_analyzer()
            return lambda text: [term[:2] for term in analyse(text)]

    class Bare(Counts):
        def build_preprocessor(self):
            return lambda text: text.lower().replace("o", "0")

    assert Short().fit(["moon sun mood"]).terms_ == ["mo", "su"]
    assert Bare().fit(["moon sun"]).terms_ == ["m00n", "sun"]


def test_the_matrix_is_of_the_kind_that_scikit_learn_is_set_to():
    if "sparse_interface" not in sklearn.get_config():
        pytest.skip("this scikit-learn has no sparse_interface")
    for kind, expected in {"spmatrix": sp.csr_matrix, "sparray": sp.csr_array}.items():
        with sklearn.config_context(sparse_interface=kind):
            assert type(Counts().fit_transform(TEXTS)) is expected


def test_checks_are_those_of_count_vectorizer():
    ours, theirs = ({one["check_name"]: one["status"] for one in check_estimator(made, on_fail=None)}
                    for made in (Counts(), CountVectorizer()))  # fmt: skip
    assert ours == theirs
    assert clone(Counts(max_features=3)).max_features == 3
