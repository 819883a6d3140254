"""Runs whose tokens are of several kinds: kept, loaded, asked again, explained and shown; older runs as they were."""

import json

import numpy as np
import pytest
from problems import one_sentence, said

import quire
from quire.pages.about import command
from quire.pages.explain import Explainer
from quire.runs.recipe import built_in

THEMES = {"rocket": "🚀", "football": "⚽️", "cooking": "🍲"}
TEXTS = [
    f"{word} {word}s and more #{word} {emoji} by @fan{i % 3} in {1990 + i}, https://ex.org/{word}/{i} www.ex.org/x"
    for i in range(12)
    for word, emoji in THEMES.items()
]


@pytest.fixture(scope="module")
def run():
    return quire.cluster(TEXTS, 3, random_state=0, tokens="auto")


def test_hashtags_and_emoji_are_counted_but_no_address_and_no_number(run):
    assert "https" in quire.cluster(TEXTS, 3, random_state=0, tokens="+urls").words
    assert {"rocket", "🚀", "⚽", "fan1"} <= set(run.words)
    assert not {"https", "ex", "org", "www", "1999"} & set(run.words)
    assert run.info["terms"]["cut"]["numbers"] == 12
    assert any("🚀" in words for words in run.topics["keywords"].to_list())


def test_addresses_of_mail_tell_who_belongs_together_and_are_no_keywords():
    """Their words count for the fit, as who writes tells what about; to a reader they say nothing."""
    who = {"rocket": "ann.lee@orbit.example.edu", "football": "bob@goal.example.org", "cooking": "cid@pan.example.net"}
    themes = {"rocket": "launch moon engine", "football": "match league coach", "cooking": "oven garlic butter"}
    texts = [
        f"From {who[word]} about a {word}, the {themes[word].split()[i % 3]} and {themes[word].split()[i % 2]}"
        for i in range(12)
        for word in who
    ]
    run = quire.cluster(texts, 3, random_state=0)
    bits = {"ann", "lee", "edu", "bob", "org", "cid", "net", "example"}
    assert bits & set(run.words)
    assert run.assign("to bob@goal.example.org").labels[0] == run.labels[1]
    named = {word for words in run.topics["keywords"].to_list() for word in words} | set(
        " ".join(run.topics["name"]).replace(",", " ").split()
    )
    assert {"rocket", "football", "cooking"} <= named
    assert not bits & named
    assert not bits & set(quire.cluster(texts, 3, random_state=0, tokens="-emails").words)


def test_it_is_loaded_and_assigns_as_it_was_made(run, tmp_path):
    again = quire.load(run.save(tmp_path / "run"))
    np.testing.assert_array_equal(again.assign(TEXTS).memberships, run.memberships)
    np.testing.assert_array_equal(again.recount().toarray(), run.recount().toarray())
    assert again.assign("🚀 🚀").labels[0] == run.labels[0]
    assert again.assign("https://rocket.com/rocket 1999").labels[0] == -1


def test_a_document_is_explained_by_its_emoji(run):
    (why,) = Explainer(run).explain(np.array([0]))
    forms = {term[0]: term[1] for term in why["terms"]}
    assert forms["🚀"] == ["🚀"]
    assert "https" not in forms


def test_an_older_run_counts_what_it_counted(run, tmp_path):
    """A run of the time before has no ``tokens`` in its recipe, and then all words count."""
    old = quire.cluster(TEXTS, 3, random_state=0, tokens="word", recipe="default-0.1")
    assert {"https", "1999"} <= set(old.words)
    path = old.save(tmp_path / "run")
    head = json.loads((path / "run.json").read_text("utf-8"))
    assert head["recipe"]["counts"]["tokens"] == "word"
    for name in built_in():
        assert ("tokens" in built_in()[name].counts) == (name == "default")
    assert built_in()["default-0.1"].counts["stop_words"] == "auto"
    assert quire.load(path).assign("https org www").labels[0] != -1


def test_kinds_are_an_option_and_part_of_the_command(tmp_path):
    only = quire.cluster(TEXTS, 3, random_state=0, tokens="hashtags,emoji")
    assert set(only.words) == {*THEMES, "🚀", "⚽", "🍲"}
    assert "--tokens hashtags,emoji" in command(only)
    (tmp_path / "d.txt").write_text("\n".join(TEXTS), "utf-8")
    asked = "cluster", tmp_path / "d.txt", "--topics", "3", "--out", tmp_path / "run"
    one_sentence(said(*asked, "--tokens", "hashtag"), "did you mean 'hashtags'")
    one_sentence(said(*asked, "--language", "en,xx"), "'xx' is not known")
    one_sentence(said(*asked, "--language", "en,de", "--stem"), "one language")
    assert said(*asked, "--tokens=-mentions,+numbers").returncode == 0
    words = quire.load(tmp_path / "run").words
    assert "1999" in words
    assert not {"fan0", "fan1"} & set(words)
