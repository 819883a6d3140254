"""Recipes and options: data that a user can write, and what is said when it is wrong."""

import tomllib

import numpy as np
import pytest

from quire.engine.elbow import elbow_topics, profile_likelihood
from quire.runs.options import Options, merged, parse_topics
from quire.runs.recipe import Recipe, built_in, read_toml, recipe
from quire.text.languages import guess_language, language_code, stemmer, stop_list


@pytest.mark.parametrize("name", built_in())
def test_every_recipe_survives_toml(name):
    found = built_in()[name]
    assert Recipe.from_dict(tomllib.loads(found.to_toml())) == found
    assert found.about
    assert found.paper


def test_a_recipe_of_ones_own(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('about = "mine"\n[weight]\nscheme = "log-nl"\n[factorization]\nn_init = 2\n')
    assert recipe(str(file)).name == "mine"
    assert recipe(str(file)).make_estimator(3, 0, None).n_init == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 'red'", "'colour' is not known"),
        ("[counts]\nmin_cuont = 3", "did you mean 'min_count'"),
        ("[weight]\nscheme = 'nl'\ntau_ = 1", "'tau_' is not known"),
        ("[factorization]\nmethod = 'LDA'", "method 'LDA'"),
        ("[factorization]\nn_components = 3", "'n_components' is not known"),
        ("[counts]\nmin_count = 'x'", "must be a whole number"),
        ("[counts]\ncut_common = 'no'", "must be true or false"),
        ("[counts]\nstop_words = ['moon', 3]", "must be a text or a list"),
        ("[counts]\nngrams = 'x'", "must be a length"),
        ("[weight]\ntau = 'x'", "must be a number"),
        ("[factorization]\ntol = 'x'", "must be a number"),
        ("[assignment]\nunit_topics = 1", "must be true or false"),
        ("weight = 3", "must be a table"),
        ("about = 3", "must be a text"),
        ("[[[", "no TOML"),
        ("about = " + "[" * 9000, "lists within lists"),
    ],
)
def test_a_wrong_recipe_is_one_sentence(tmp_path, text, said):
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(ValueError, match=r"(?s).*") as error:
        recipe(str(tmp_path / "r.toml"))
    assert said in str(error.value)


def test_unknown_recipes_and_missing_files():
    with pytest.raises(ValueError, match="did you mean 'xu2003'"):
        recipe("xu2004")
    with pytest.raises(ValueError, match="cannot be read"):
        recipe("nowhere.toml")


@pytest.mark.parametrize(
    "bad",
    [
        {"topics": "0"}, {"topics": "x"}, {"topics": "9:3"}, {"topics": True}, {"seed": -1}, {"seed": 1.5},
        {"ngrams": "2:1"}, {"ngrams": "0"}, {"language": "klingon"}, {"min_count": 0}, {"threads": 0},
        {"strict": "yes"}, {"text": 3}, {"colour": "red"},
    ],
)  # fmt: skip
def test_wrong_options_are_refused(bad):
    with pytest.raises(ValueError, match=r"must|no number|not known"):
        merged(bad)


def test_later_layers_override_and_reach_the_recipe(tmp_path):
    (tmp_path / "c.toml").write_text('topics = 7\nmin-count = 3\nlanguage = "de"\nstem = true\nngrams = "1:2"\n')
    options = merged(read_toml(tmp_path / "c.toml", "configuration"), {"topics": "5:9", "seed": None})
    assert options.topics == "5:9"
    counts = options.resolved_recipe().counts
    assert (counts["min_count"], counts["stop_words"], counts["stem"], counts["ngrams"]) == (3, "de", "de", [1, 2])
    assert Options(language="none").resolved_recipe().counts["stop_words"] is None
    with pytest.raises(ValueError, match="needs a language"):
        Options(language="none", stem=True).resolved_recipe()
    with pytest.raises(ValueError, match="no Snowball stemmer"):
        Options(language="japanese", stem=True).resolved_recipe()
    assert merged(options.as_dict()) == options


def test_languages():
    assert language_code("Deutsch".replace("Deutsch", "german")) == "de"
    with pytest.raises(ValueError, match="did you mean 'german'"):
        language_code("germn")
    assert {"ve", "don", "the"} <= stop_list("en")
    assert "computer" not in stop_list("en")
    assert stemmer("french")(["chevaux", "cheval"]) == ["cheval", "cheval"]
    words = ["le", "la", "et", "les", "des", "chat", "maison", "de", "un", "une"]
    assert guess_language(words, np.arange(len(words), 0, -1)) == "fr"
    assert guess_language(["zzz", "qqq"], np.ones(2)) is None


def test_elbows_find_planted_blocks():
    rng = np.random.default_rng(0)
    import scipy.sparse as sp

    blocks = sp.csr_array(np.kron(np.eye(6), np.ones((30, 12))) + 0.3 * rng.random((180, 72)))
    assert elbow_topics(blocks) == 6
    assert elbow_topics(blocks, 2, 4) in (2, 3, 4)
    assert elbow_topics(blocks, 9, 12) in range(9, 13)
    assert elbow_topics(sp.csr_array(np.ones((3, 3)))) in (1, 2)


def test_profile_likelihood_equals_its_definition():
    values = np.sort(np.random.default_rng(1).random(12))[::-1]
    for q in range(1, 12):
        a, b = values[:q], values[q:]
        variance = (((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / 10
        expected = -6 * (np.log(2 * np.pi * variance) + 1)
        assert profile_likelihood(values)[q - 1] == pytest.approx(expected)


def test_topics_are_read():
    assert parse_topics(4) == 4
    assert parse_topics(" AUTO ") == (2, None)
