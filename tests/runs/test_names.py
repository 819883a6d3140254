"""Names that people give to topics are kept in the run, and belong to them, not to the run's checksums."""

import json
import re

import pytest

import quire
from quire.runs.names import NAMES, PATTERN, checked_name, with_names

TEXTS = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]


@pytest.fixture
def folder(tmp_path):
    return quire.cluster(TEXTS, 2, random_state=0).save(tmp_path / "run")


def kept_before(folder, names):
    """Keep names as an older Quire did."""
    (folder / NAMES).write_text(json.dumps(names))


def test_names_of_an_older_run_are_edits(folder):
    own = quire.load(folder).topics["name"].to_list()
    kept_before(folder, {"1": "Fußball ⚽"})
    run = quire.load(folder)
    assert run.topics["name"].to_list() == [own[0], "Fußball ⚽"]
    assert [(edit["what"], edit["topic"], edit["name"]) for edit in run.history] == [("rename", 1, "Fußball ⚽")]
    assert run.undo().topics["name"].to_list() == own
    assert (folder / NAMES).exists()  # reading changes nothing


def test_the_first_edit_takes_the_older_names_along(folder):
    own = quire.load(folder).topics["name"].to_list()
    kept_before(folder, {"1": "Fußball ⚽"})
    quire.load(folder).rename(0, "Space").save(folder)
    assert not (folder / NAMES).exists()
    assert quire.load(folder).topics["name"].to_list() == ["Space", "Fußball ⚽"]
    assert quire.load(folder).undo().undo().topics["name"].to_list() == own


def test_saved_elsewhere_a_run_keeps_its_names_and_its_own(folder, tmp_path):
    own = quire.load(folder).topics["name"].to_list()
    other = quire.load(folder).rename(0, "Space flight").save(tmp_path / "other")
    assert quire.load(other).topics["name"][0] == "Space flight"
    assert quire.load(other).rename(0, "").topics["name"].to_list() == own


def test_names_of_topics_that_are_not_there_change_nothing(folder):
    before = quire.load(folder).topics
    kept_before(folder, {"7": "Nothing", "-1": "Nobody"})
    assert quire.load(folder).topics.equals(before)
    assert with_names(before, {}).equals(before)


@pytest.mark.parametrize(
    "damaged", ["", "{", "[]", "null", '"a"', '{"x": "a"}', '{"0": 1}', '{"0": null}', '{"0": "a\\nb"}', "\udc80"]
)
def test_a_damaged_file_is_one_sentence(folder, damaged):
    (folder / NAMES).write_bytes(damaged.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"names\.json is damaged: .* mend it, or delete it") as error:
        quire.load(folder)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "bad", ["a\nb", "a\x00", "\x1b[31m", "\ud800", "a\u2028b", "\u202egnp", "\u2066x", "x" * 201, "\ufffe"]
)
def test_names_that_could_break_a_line_are_refused(bad):
    with pytest.raises(ValueError, match="A name can"):
        checked_name(bad)


def test_what_the_description_allows_is_taken_and_nothing_else():
    """One pattern for both; what JSON cannot send is refused as well."""
    for code in (*range(0xD800), *range(0xE000, 0x10000)):
        name = f"a{chr(code)}b"
        try:
            taken = checked_name(name) == name
        except ValueError:
            taken = False
        assert taken == bool(re.search(PATTERN, name)), hex(code)


@pytest.mark.parametrize("unseen", ["", "  ", "\u200b", "\u2060\u3000 \ufeff"])
def test_a_name_of_which_nothing_is_seen_is_none(unseen):
    assert checked_name(unseen) == ""


def test_names_are_kept_as_they_are(folder):
    given = {0: "<script>alert(1)</script>", 1: 'नमस्ते 👩‍🚀 "quoted" \\ x'}
    run = quire.load(folder)
    for topic, name in given.items():
        run = run.rename(topic, name)
    run.save(folder)
    assert dict(enumerate(quire.load(folder).topics["name"])) == given
