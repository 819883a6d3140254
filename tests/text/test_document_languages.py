"""Several languages in one corpus: which are there, which a document is in, and what is left out of it."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire import Counts
from quire.runs.tongues import renumbered, told_of_topics
from quire.text.document_languages import Spoken, language_votes, languages_among
from quire.text.languages import stop_list
from quire.text.tokens import count_texts
from quire.text.vocabulary import as_bytes

SENTENCES = {
    "en": [
        "The moon and the stars are above the sea, and nobody knows where they will be when we are all gone",
        "It was the best of games because the team had been there before, and they did what they could",
        "Soldiers may die in a war that nobody wanted, and those who come back are not what they were",
    ],
    "de": [
        "Der Mond und die Sterne sind über dem Meer, und niemand weiß, wo sie sein werden, wenn wir nicht mehr da sind",
        "Es war das beste Spiel, weil die Mannschaft schon vorher dort war und alles gemacht hat, was sie konnte",
        "Die Soldaten haben einen Krieg geführt, den niemand wollte, und das ist für alle nicht gut gewesen",
    ],
    "fr": [
        "La lune et les étoiles sont sur la mer, et personne ne sait où elles seront quand nous serons morts",
        "C'était le meilleur des matchs parce que l'équipe avait déjà été là, et ils ont fait tout ce qu'ils pouvaient",
        "Les soldats sont allés dans une guerre que personne ne voulait, mais ils ont été contents pour leur pays",
    ],
    "pt": [
        "A lua e as estrelas estão sobre o mar, e ninguém sabe onde elas estarão quando nós não estivermos mais aqui",
        "Foi o melhor dos jogos porque a equipe já tinha estado lá antes e eles fizeram tudo o que podiam",
        "Os soldados foram para uma guerra que ninguém queria, mas muitos deles não voltaram para a sua casa",
    ],
}


def mix(seed=0, **sizes):
    """Return so many documents of each language, and their languages, in any order."""
    rng = np.random.default_rng(seed)
    made = [
        (" ".join(rng.choice(SENTENCES[code], 2)) + f" {code}{i % 5}x", code)
        for code, n in sizes.items()
        for i in range(n)
    ]
    return zip(*(made[i] for i in rng.permutation(len(made))))


def votes_of(texts):
    counts, terms = count_texts(list(texts))
    return language_votes(counts, as_bytes(terms))


def test_languages_with_a_share_are_found_and_no_cousin_of_theirs():
    assert languages_among(votes_of(next(mix(en=70, de=20, fr=10)))) == ["en", "de", "fr"]
    for code in SENTENCES:
        assert languages_among(votes_of(next(mix(**{code: 40})))) == [code]
    assert languages_among(votes_of(next(mix(en=300, pt=4)))) == ["en"]
    assert languages_among(votes_of(["qwx zzt", "", "12"])) == []
    few = [*next(mix(en=60, de=6)), *["orbit rocket goal team"] * 400]  # most are rid of their stop words already
    assert languages_among(votes_of(few)) == ["en"]


@settings(max_examples=20)
@given(st.integers(1, 60), st.integers(0, 9))
def test_votes_of_parts_add_up(cut, seed):
    texts = list(next(mix(seed, en=30, de=20, fr=11)))
    np.testing.assert_array_equal(votes_of(texts[:cut]) + votes_of(texts[cut:]), votes_of(texts))


def test_a_document_is_in_the_language_whose_stop_words_it_holds():
    texts, codes = mix(en=20, de=20, fr=20, pt=20)
    spoken = Spoken.of(["en", "de", "fr", "pt"])
    counts, terms = count_texts([*texts, "lune", ""])
    found = spoken.of_each(counts, terms)
    assert [spoken.languages[i] for i in found[:-2]] == list(codes)
    assert found[-2:].tolist() == [-1, -1]


@pytest.mark.parametrize("stop_words", ["each", "en,de,fr", "German, fr,english"])
def test_false_friends_stay_where_they_are_words(stop_words):
    """Of "die" and "war" German documents are rid, English ones are not."""
    texts = [*next(mix(en=60, de=25, fr=15)), "die war"]
    counts = Counts(stop_words=stop_words)
    matrix = counts.fit_transform(texts)
    die, war = (matrix[:, [counts.vocabulary_[word]]].toarray().ravel() for word in ("die", "war"))
    english = np.array(["soldiers may" in text.lower() for text in texts])
    np.testing.assert_array_equal(die[:-1] > 0, english[:-1])
    np.testing.assert_array_equal(war[:-1] > 0, english[:-1])
    assert not {"the", "and", "und", "der", "les", "une"} & set(counts.terms_)
    assert set(counts.lexicon_.language.split(",")) == {"en", "de", "fr"}
    assert counts.cut_["stop_words"] > 50


def test_one_language_is_what_it_was():
    texts = list(next(mix(en=40)))
    one, each = Counts(stop_words="auto"), Counts(stop_words="each")
    assert (one.fit_transform(texts) != each.fit_transform(texts)).nnz == 0
    assert one.terms_ == each.terms_
    assert one.cut_ == each.cut_
    assert each.lexicon_ == one.lexicon_
    assert each.spoken_ is None


def test_what_is_only_quoted_is_left_out_too():
    """French documents that quote English keep no English stop word."""
    quoting = [f"{text} {SENTENCES['en'][i % 3]}" for i, text in enumerate(next(mix(1, fr=20)))]
    texts = [*next(mix(en=60, fr=20)), *quoting]
    counts = Counts(stop_words="each").fit(texts)
    assert counts.spoken_.languages == ("en", "fr")
    assert not {"the", "and", "they", "are"} & set(counts.terms_)
    assert {"moon", "lune"} <= set(counts.terms_)


@pytest.mark.parametrize("tokens", ["word", "auto", str.split])
def test_transform_repeats_the_fit_alone_and_in_batches(tokens):
    texts = list(next(mix(en=200, de=90, fr=30)))
    counts = Counts(stop_words="each", tokens=tokens)
    matrix = counts.fit_transform(texts)
    assert counts.spoken_ is not None
    again = Counts(stop_words="each", tokens=tokens).restore(counts.state())
    for one in (counts, again):
        for asked in (texts, iter(texts)):
            assert (one.transform(asked) != matrix).nnz == 0
        alone = sp.vstack([one.transform([text]) for text in texts[:40]])
        assert (alone != matrix[:40]).nnz == 0


def test_words_that_are_given_are_left_out_of_all_languages_and_kept_in_all():
    texts = list(next(mix(en=30, de=30)))
    counts = Counts(stop_words="en,de", extra_stop_words=["Mond", "moon"], keep_words=["und", "the"]).fit(texts)
    assert not {"mond", "moon"} & set(counts.terms_)
    assert {"und", "the"} <= set(counts.terms_)


def test_runs_of_words_leave_out_the_stop_words_of_all_that_are_named():
    counts = Counts(stop_words="en,de", ngrams=(1, 2)).fit(list(next(mix(en=30, de=30))))
    used = {word for term in counts.terms_ for word in term.split(" ")}
    assert not used & (stop_list("en") | stop_list("de"))


@settings(max_examples=25)
@given(st.lists(st.text(st.characters() | st.sampled_from("the der und les ")), min_size=1, max_size=9))
def test_any_text_has_a_language_or_none(texts):
    counts = Counts(stop_words="en,de")
    matrix = counts.fit_transform([*texts, "the word und das wort"])
    assert (counts.transform([*texts, "the word und das wort"]) != matrix).nnz == 0


def test_a_run_tells_the_shares_and_the_topics_that_are_a_language(tmp_path):
    texts, codes = mix(en=60, de=25, fr=15)
    run = quire.cluster(list(texts), 3, random_state=0)
    said = run.info["corpus"]["sentences"]
    assert (
        "Languages: 60% English, 25% German, 15% French; of each document the stop words of its own are left out."
        in said
    )
    for code, name in {"de": "German", "fr": "French"}.items():
        topics = {int(topic) for topic, own in zip(run.labels, codes) if own == code}
        if len(topics) == 1 and {own for topic, own in zip(run.labels, codes) if topic in topics} == {code}:
            assert f"Topic {topics.pop()} is the documents in {name}." in said
    assert any("documents in" in sentence for sentence in said)
    assert run.info["terms"]["language"] == "en,de,fr"
    again = quire.load(run.save(tmp_path / "run"))
    np.testing.assert_array_equal(again.assign(list(texts)).labels, run.labels)
    assert (again.recount() != run.recount()).nnz == 0
    assert again.counts.spoken_ == run.counts.spoken_


def test_subjects_within_a_language_are_not_taken_for_it():
    spoken = np.repeat([0, 1], [20, 10]).astype(np.int8)
    terms = SimpleNamespace(counts=SimpleNamespace(spoken_=Spoken.of(["en", "de"])), spoken=spoken)
    for labels, said in {
        (0,) * 10 + (1,) * 10 + (2,) * 10: ["Topic 2 is the documents in German."],
        (0,) * 20 + (1,) * 5 + (2,) * 5: ["Topic 0 is the documents in English."],
        (0,) * 10 + (1,) * 20: [],
    }.items():
        assert told_of_topics(terms, np.array(labels), 3) == said


def test_what_is_told_of_a_language_goes_with_its_topic():
    said = ["Languages: 60% English.", "Topic 2 is the documents in German.", "Topic 0 is the documents in French."]
    assert renumbered(said, {0: 0, 2: 1}) == [said[0], "Topic 1 is the documents in German.", said[2]]
    assert renumbered(said, {}) == said[:1]


def test_a_run_in_one_language_says_nothing_of_it():
    run = quire.cluster(list(next(mix(en=40))), 2, random_state=0)
    assert not any("anguage" in sentence or "English" in sentence for sentence in run.info["corpus"]["sentences"])


def test_languages_are_named_in_a_list_and_refused_in_a_sentence():
    from quire.runs.options import merged

    assert merged({"language": "english, de"}).resolved_recipe().counts["stop_words"] == "en,de"
    assert merged({"language": "auto"}).resolved_recipe().counts["stop_words"] == "each"
    for bad, told in {"en,germn": "did you mean 'german'", "en,": "is not known"}.items():
        with pytest.raises(ValueError, match=told):
            merged({"language": bad})
    with pytest.raises(ValueError, match="one language"):
        merged({"language": "en,de", "stem": True}).resolved_recipe()
    assert merged({"language": "auto", "stem": True}).resolved_recipe().counts["stem"] == "auto"
