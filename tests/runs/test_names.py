"""Names that people give to topics are kept in the run, and belong to them, not to the run's checksums."""

import json
import re

import pytest

import quire
from quire.runs.names import NAMES, PATTERN, checked_name, own_names, read_names, with_names, write_names

TEXTS = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]


@pytest.fixture
def folder(tmp_path):
    return quire.cluster(TEXTS, 2, random_state=0).save(tmp_path / "run")


def test_a_run_is_loaded_with_the_names_given(folder):
    own = quire.load(folder).topics["name"].to_list()
    write_names(folder, {1: "Fußball ⚽"})
    assert quire.load(folder).topics["name"].to_list() == [own[0], "Fußball ⚽"]
    assert own_names(folder) == dict(enumerate(own))


def test_saved_elsewhere_the_names_are_the_topics_own(folder, tmp_path):
    write_names(folder, {0: "Space flight"})
    other = quire.load(folder).save(tmp_path / "other")
    assert own_names(other)[0] == "Space flight"
    assert read_names(other) == {}


def test_names_of_topics_that_are_not_there_change_nothing(folder):
    before = quire.load(folder).topics
    write_names(folder, {7: "Nothing", -1: "Nobody"})
    assert quire.load(folder).topics.equals(before)
    assert with_names(before, {}).equals(before)


def test_writing_replaces_all_names_and_leaves_nothing_else(folder):
    files = {path.name for path in folder.iterdir()}
    write_names(folder, {0: "One", 1: "Two"})
    write_names(folder, {1: "Three"})
    assert read_names(folder) == {1: "Three"}
    assert {path.name for path in folder.iterdir()} == files | {NAMES}


@pytest.mark.parametrize(
    "damaged", ["", "{", "[]", "null", '"a"', '{"x": "a"}', '{"0": 1}', '{"0": null}', '{"0": "a\\nb"}', "\udc80"]
)
def test_a_damaged_file_is_one_sentence(folder, damaged):
    (folder / NAMES).write_bytes(damaged.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"names\.json is damaged: .* mend it, or delete it") as error:
        quire.load(folder)
    assert "\n" not in str(error.value)


def test_a_folder_that_is_gone_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"make .*nowhere first"):
        write_names(tmp_path / "nowhere", {0: "One"})


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


def test_names_are_kept_as_they_are(tmp_path):
    given = {0: "<script>alert(1)</script>", 1: "नमस्ते 👩‍🚀", 2: '"quoted" \\ x'}
    write_names(tmp_path, given)
    assert read_names(tmp_path) == given
    assert json.loads((tmp_path / NAMES).read_text("utf-8"))["0"] == given[0]
