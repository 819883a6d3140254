"""Hashtags, mentions, addresses, numbers and emoji: what is counted of them, and what is cut out."""

import re
import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from quire import Counts
from quire.text.spelling import Spelling
from quire.text.token_kinds import KINDS, Preparation, TokenKinds

POST = (
    "Read https://ex.org/a?b=c#d, www.site.net/x and mail joe.bloggs+x@mail.ex.co.uk! @ann and @bob@social.example "
    "like #NLProc and #1 since 2024, it&#39;s 50% of mp3 👍🏽 🤷‍♀️ 🇩🇪 ❤️ — thanks"
)
OF_KIND = {
    "words": {"read", "and", "mail", "like", "since", "it", "of", "mp3", "thanks"},
    "hashtags": {"nlproc"},
    "mentions": {"ann", "bob", "social", "example"},
    "urls": {"https", "ex", "org", "www", "site", "net"},
    "emails": {"joe", "bloggs", "mail", "ex", "co", "uk"},
    "numbers": {"2024", "39", "50"},
    "emoji": {"👍", "🤷\u200d♀", "🇩🇪", "❤"},
}
some_text = st.text(st.sampled_from('ab1 #@:/.-_é\n語👍\u200d\ufe0fİΣ&;<"') | st.characters(), max_size=60)
built = st.lists(
    st.sampled_from(["#tag", "@ann", "a@b.cd", "http://x.yz/q", "www.x.yz", "2024", "word", "Ünder", "👍", "\n"])
).map(" ".join)


def terms_of(text, tokens, **options):
    return set(Counts(tokens=tokens, **options).fit([text]).terms_)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_counted_alone_and_left_out_alone(kind):
    others = set().union(*(words for name, words in OF_KIND.items() if name != kind))
    assert terms_of(POST, kind) == OF_KIND[kind]
    left = terms_of(POST, ",".join(name for name in KINDS if name != kind))
    assert left == others


def test_all_kinds_but_emoji_are_what_scikit_learn_finds():
    plain = ",".join(kind for kind in KINDS if kind != "emoji")
    assert terms_of(POST, plain) == terms_of(POST, "word") == set(CountVectorizer().fit([POST]).vocabulary_)


def test_auto_is_written_out_and_changed_by_signs():
    auto = terms_of(POST, "auto")
    assert auto == terms_of(POST, "words,hashtags,mentions,emails,emoji")
    assert terms_of(POST, "auto,-mentions") == terms_of(POST, "-mentions") == auto - OF_KIND["mentions"]
    assert terms_of(POST, " + numbers ,-emoji") == (auto | OF_KIND["numbers"]) - OF_KIND["emoji"]
    assert terms_of(POST, "words,hashtags,emoji,-numbers") == terms_of(POST, "words,hashtags,emoji")


def test_emoji_are_kept_in_short_documents_unless_they_are_asked_for():
    short, long = ["so good 👍", "so bad 👎"], [f"so good 👍 {'and more words ' * 40}", "so bad 👎"]
    assert "👍" in Counts(tokens="auto").fit(short).terms_
    counts = Counts(tokens="auto").fit(long)
    assert "👍" not in counts.terms_
    assert counts.cut_["emoji"] == 2
    assert "👍" in Counts(tokens="auto,+emoji").fit(long).terms_
    assert "👍" not in Counts(tokens="auto,-emoji").fit(short).terms_


@pytest.mark.parametrize("word", ["हिन्दी", "ที่นี่", "မြန်မာ", "தமிழ்", "عَرَبِيّ"])
def test_words_with_vowel_marks_are_no_emoji(word):
    text = f"{word} {' '.join(f'word{i}' for i in range(80))} ‼️ 👍"
    counts = Counts(tokens="auto", normalize=True).fit([text, text])
    assert counts.cut_["emoji"] == 2
    assert counts.spelling_.words(word)[0] in counts.terms_


def test_numbers_that_are_to_be_kept_are_and_alone_they_are_the_text():
    texts = ["in 2024 and 1999", "since 1999"]
    assert {"2024"} == set(Counts(tokens="auto", keep_words=["2024"]).fit(texts).terms_) - {"in", "and", "since"}
    runs = Counts(tokens="auto", keep_words=["2024"], ngrams=(1, 2)).fit(texts).terms_
    assert "in 2024" in runs
    assert not any("1999" in run for run in runs)
    assert Counts(tokens="auto").fit(["12 34", "34 56"]).terms_ == ["12", "34", "56"]


MAIL = "Ann wrote:\n> the old moon\n>> and stars\n\nA comet came\n-- \nJoe of Quasar"


@pytest.mark.parametrize("tokens", ["-quotes", "auto, - quotes", "words,-quotes"])
def test_what_mail_quotes_is_counted_unless_it_is_taken_away(tokens):
    assert terms_of(MAIL, tokens) == {"came", "comet"}
    assert terms_of(MAIL, tokens.replace("-", "+")) == terms_of(MAIL, "auto") >= {"old", "moon", "stars", "quasar"}
    assert terms_of("> all is quoted", tokens) == {"all", "is", "quoted"}, "something must be left"


def test_runs_of_words_have_the_same_kinds():
    runs = Counts(tokens="words,hashtags,emoji", ngrams=(1, 2)).fit([POST]).terms_
    singles = {run for run in runs if " " not in run}
    assert singles == terms_of(POST, "words,hashtags,emoji")
    assert "thanks" in runs
    assert "👍 🤷\u200d♀" in runs


def by_definition(text, kinds):
    """Find the words of the rest of a text where each piece is cut out that has the form of its kind."""
    forms = {
        "urls": r"[a-z]{2,}://[^\s<>\"\u2010-\u2fff\u3000-\uffef]+|www\.[^\s<>\"\u2010-\u2fff\u3000-\uffef]+",
        "emails": r"(?<![\w.+%-])[\w+][\w.+%-]*(?<!\.)@[\w-]+(?:\.[\w-]+)*",
        "mentions": r"(?<![\w+-])@\w+",
        "hashtags": r"(?<![\w&#])#\w*[^\W\d_]\w*",
    }
    for kind in ("urls", "emails", "mentions", "hashtags"):
        text = re.sub(forms[kind], " ", text) if kind not in kinds else text
    return {w for w in re.findall(r"\w\w+", text.lower()) if "numbers" in kinds or not w.isdigit()}


@given(built, st.sets(st.sampled_from(["hashtags", "mentions", "urls", "emails", "numbers"])))
def test_what_is_left_is_its_definition(text, kinds):
    text += " word"
    assert terms_of(text, ",".join(["words", *sorted(kinds)])) == by_definition(text, kinds)


@given(st.lists(some_text | built, min_size=1, max_size=8), st.sampled_from([1, 2]), st.sampled_from([(1, 1), (1, 2)]))
def test_any_text_is_counted_alike_alone_and_among_others(texts, n_jobs, ngrams):
    counts = Counts(tokens="auto,-emails,+emoji", n_jobs=n_jobs, ngrams=ngrams)
    matrix = counts.fit_transform([*texts, "some words"])
    for asked in ([*texts, "some words"], iter([*texts, "some words"])):
        assert (counts.transform(asked) != matrix).nnz == 0
    alone = sp.vstack([counts.transform([text]) for text in [*texts, "some words"]])
    assert (alone != matrix).nnz == 0
    text = texts[0]
    assert Preparation(TokenKinds.of("words,hashtags,mentions,urls,emails,numbers"))(text) == text


@given(st.lists(some_text | built | st.text(st.characters(max_codepoint=0x3FF)), max_size=8))
def test_a_batch_is_prepared_as_each_of_its_texts(texts):
    for tokens in ("auto", "words", "hashtags,emoji", ",".join(KINDS)):
        prepare = Preparation(TokenKinds.of(tokens), Spelling.here())
        units = "".join(text for text in texts if not text.isascii()).encode("utf-16-le", "replace")
        assert prepare.many(texts, np.frombuffer(units, np.uint16)) == [prepare(text) for text in texts]


@given(some_text | built)
def test_what_is_cut_out_leaves_the_rest_as_it_was(text):
    for tokens in ("auto,-emails", "words", "hashtags,emoji"):
        cut = TokenKinds.of(tokens).cut(text)
        at = 0
        for piece in cut.split(" | "):
            at = text.find(piece, at) if " | " not in text else 0
            assert at >= 0 or " | " in text
            at += len(piece)


HOSTILE = ["#", "@", "://", "a@", "@a", "#a", "a://", "www.", "#1", "aaaaaaaa@", "@@a", "👍", "👍\u200d", "\ufe0f",
           "a.", "1", "a", "-", "+@", "#_", "🇩", "h", "://a "]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_signs_takes_time_in_proportion(piece):
    """Ten times the text takes about ten times as long, not a hundred times; and no longer than seconds."""
    kinds = [TokenKinds.of(tokens) for tokens in ("auto,-emails", "words", "hashtags,mentions,emoji,numbers")]

    def seconds(n):
        text, start = piece * (n // len(piece)) + " a", time.process_time()
        for kind in kinds:
            Preparation(kind)(text)
            kind.cut(text, numbers=True)
        return time.process_time() - start

    small = seconds(100_000)
    assert seconds(1_000_000) < 40 * max(small, 0.02)


def test_bad_kinds_are_a_sentence():
    for tokens, told in {"hashtag": "did you mean 'hashtags'", "words,": "'' is not known", "-words": None}.items():
        if told:
            with pytest.raises(ValueError, match=re.escape(told)):
                Counts(tokens=tokens).fit(["a word"])
    with pytest.raises(ValueError, match="leaves nothing to count"):
        Counts(tokens="emoji,-emoji").fit(["a word"])
    with pytest.raises(ValueError, match="No term was found"):
        Counts(tokens="hashtags").fit(["no such thing"])


def test_a_function_for_tokens_may_give_any_sequence():
    counts = Counts(tokens=lambda text: tuple(text.split("/")))
    assert counts.fit(["a/b", "b"]).terms_ == ["a", "b"]
    assert np.array_equal(counts.transform(["b/b"]).toarray(), [[0, 2]])
