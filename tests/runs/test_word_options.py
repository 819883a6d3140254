"""Words that are left out or kept, and options that other tools call otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import one_sentence, said

import quire
from quire import Counts
from quire.pages.about import command
from quire.runs.options import Options, declared_options, merged
from quire.runs.other_names import OTHER_NAMES
from quire.runs.word_lists import read_words

TEXTS = ["The moon and the orbit", "the moon and a rocket", "the goal and the team", "a team and the match"] * 5


def terms(**options):
    counts = merged(options).resolved_recipe().make_counts(1)
    counts.fit(TEXTS)
    return counts.terms_


def test_stop_words_are_added_to_those_of_the_language():
    assert "moon" in terms(language="en")
    assert not {"moon", "team", "the", "and"} & set(terms(language="en", stop_words="Moon, TEAM"))


def test_with_no_language_they_are_the_only_ones():
    found = terms(language="none", stop_words="moon")
    assert "moon" not in found
    assert {"the", "and", "team"} <= set(found)


def test_words_come_from_a_file_and_a_run_keeps_them(tmp_path):
    listed = tmp_path / "words.txt"
    listed.write_text("\ufeffmoon\n\nteam, Goal\n", "utf-8")
    run = quire.cluster(TEXTS, 2, random_state=0, stop_words=str(listed), keep_words=["the"])
    assert run.info["options"]["stop_words"] == ["moon", "team", "Goal"]
    assert not {"moon", "team", "goal"} & set(run.words)
    assert "the" in run.words
    listed.unlink()
    run.save(tmp_path / "run")
    again = quire.load(tmp_path / "run")
    assert again.counts.transform(["moon goal the match"]).sum() == 2
    assert "--stop-words moon,team,Goal --keep-words the" in command(again)


@pytest.mark.parametrize("ngrams", ["1", "1:2"])
def test_kept_words_are_neither_stopped_nor_trimmed(ngrams):
    rare = ["sputnik", *TEXTS]
    counts = merged({"language": "en", "keep_words": "The,sputnik", "min_docs": 6, "ngrams": ngrams})
    found = counts.resolved_recipe().make_counts(1).fit(rare).terms_
    assert {"the", "sputnik"} <= set(found)
    assert "rocket" not in found


def test_a_kept_word_stands_for_its_stem():
    stemmed = Counts(stop_words="en", stem="en", min_df=100, keep_words=["rockets"]).fit([*TEXTS, "rockets"])
    assert stemmed.terms_ == ["rocket"]


some_words = st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee"]), max_size=6).map(" ".join)


@given(
    st.lists(some_words, min_size=1, max_size=9),
    st.integers(1, 4),
    st.floats(0.05, 1),
    st.sets(st.sampled_from(["aa", "bb", "zz"])),
)
def test_trimming_is_its_definition(texts, least, share, kept):
    texts = [*texts, "aa bb"]
    df = {word: sum(word in text.split() for text in texts) for word in ["aa", "bb", "cc", "dd", "ee"]}
    expected = [w for w, n in df.items() if n and ((least <= n <= share * len(texts)) or w in kept)]
    counts = Counts(min_df=least, max_df=share, keep_words=sorted(kept))
    if expected:
        assert counts.fit(texts).terms_ == expected
    else:
        with pytest.raises(ValueError, match="No term is left"):
            counts.fit(texts)


def test_min_docs_and_max_share_reach_the_recipe():
    counts = merged({"min_docs": 3, "max_share": 1}).resolved_recipe().counts
    assert counts["min_df"] == 3
    assert counts["max_df"] == 1.0
    assert isinstance(counts["max_df"], float)
    for bad in ({"min_docs": 0}, {"max_share": 0}, {"max_share": 1.5}, {"max_share": -0.1}):
        with pytest.raises(ValueError, match="must be"):
            merged(bad)


def test_lists_that_cannot_be_read_are_a_sentence(tmp_path):
    (tmp_path / "empty.txt").write_text(" \n,\n")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00\xd8")
    (tmp_path / "large.txt").write_bytes(b"word\n" * 1_000_000)
    told = {"empty.txt": "holds no word", "binary.txt": "UTF-8", "large.txt": "larger", "gone.txt": "cannot be read"}
    for name, sentence in told.items():
        with pytest.raises(ValueError, match=sentence):
            read_words(str(tmp_path / name), "stop_words")
    for nothing in ("", " , ", [], [" "]):
        with pytest.raises(ValueError, match="holds no word"):
            read_words(nothing, "stop_words")
    with pytest.raises(ValueError, match="cannot be read"):
        read_words(f"{tmp_path}/", "stop_words")


def test_a_name_of_other_tools_leads_to_the_one_here():
    for name, others in OTHER_NAMES.items():
        assert name in [*declared_options(), "out", "quiet", "replace", "json"]
        for other in others.split():
            assert other not in declared_options()
    with pytest.raises(ValueError, match="did you mean 'min_docs'"):
        merged({"min-df": 3})
    with pytest.raises(ValueError, match="did you mean 'max_share'"):
        quire.cluster(TEXTS, 2, max_df=0.5)


@pytest.mark.parametrize(
    ("typed", "here"), [("--min-df", "--min-docs"), ("--n-topics=5", "--topics"), ("--lang", "--language")]
)
def test_the_command_says_so_too(typed, here, tmp_path):
    (tmp_path / "d.txt").write_text("\n".join(TEXTS))
    one_sentence(said("cluster", tmp_path / "d.txt", typed, "3"), f"Did you mean {here}?")


def test_an_option_that_nobody_knows_is_no_path(tmp_path):
    (tmp_path / "d.txt").write_text("\n".join(TEXTS))
    for typed, words in [("--topcs", "did you mean '--topics'?"), ("--zzzzzz=1", "Unknown option: --zzzzzz.")]:
        one_sentence(said("cluster", tmp_path / "d.txt", typed), words)


def test_options_of_words_are_refused_for_a_matrix():
    import scipy.sparse as sp

    with pytest.raises(ValueError, match=r"leave --stop-words out"):
        quire.cluster(sp.eye_array(4).tocsr(), 2, stop_words="moon")


def test_options_may_be_made_without_the_layers():
    assert Options(stop_words="moon,sun").resolved_recipe().counts["extra_stop_words"] == ["moon", "sun"]
