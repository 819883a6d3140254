"""A run does not take the place of another one unasked, but of its older self."""

import io
import sys

import polars as pl
import pytest
from problems import one_sentence, said, stories

import quire
from quire.cli.replace import check_replacing
from quire.runs.options import options_of

MADE = "cluster", "a.csv", "--topics", "2", "--no-page", "--quiet", "--out", "run"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two tables and a run of the first."""
    folder = tmp_path_factory.mktemp("replace")
    for name, seed in (("a", 0), ("b", 1)):
        pl.DataFrame({"text": stories(30, seed)[0]}).write_csv(folder / f"{name}.csv")
    assert said(*MADE, cwd=folder).returncode == 0
    return folder


def test_another_run_is_not_replaced_unasked(folder):
    before = (folder / "run" / "run.json").read_bytes()
    others = [
        ("cluster", "b.csv", *MADE[2:]),
        ("cluster", "a.csv", "--topics", "3", *MADE[4:]),
        (*MADE, "--seed", "4"),
        (*MADE, "--recipe", "nmf"),
        ("demo", "--out", "run", "--quiet"),
    ]
    for other in others:
        one_sentence(said(*other, cwd=folder), "run holds another run", "--out", "--replace")
    one_sentence(said("cluster", "-", *MADE[2:], cwd=folder, input="moon\ngoal\n"), "--replace")
    assert (folder / "run" / "run.json").read_bytes() == before


def test_a_run_takes_the_place_of_itself(folder):
    before = quire.load(folder / "run").info["created"], (folder / "run").stat().st_ino
    for more in ((), ("--threads", "1"), ("--memory", "2GB")):
        assert said(*MADE, *more, cwd=folder).returncode == 0
    assert (quire.load(folder / "run").info["created"], (folder / "run").stat().st_ino) != before
    text = (folder / "a.csv").read_text()
    (folder / "a.csv").write_text(text + "a goal by the team\n")  # the same source has grown
    assert said(*MADE, cwd=folder).returncode == 0
    assert len(quire.load(folder / "run").documents) == 31
    (folder / "a.csv").write_text(text)


def test_with_replace_any_run_is_replaced_but_nothing_else(folder):
    assert said("cluster", "b.csv", *MADE[2:], "--replace", cwd=folder).returncode == 0
    assert quire.load(folder / "run").info["corpus"]["source"] == "b.csv"
    (folder / "run" / "names.json").write_text("{}")
    one_sentence(said(*MADE, "--replace", cwd=folder), "also holds names.json")
    (folder / "run" / "names.json").unlink()
    assert said(*MADE, "--replace", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("answer", "allowed"), [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("", False)]
)
def test_on_a_terminal_it_is_asked(folder, monkeypatch, answer, allowed):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    asked = Terminal()
    monkeypatch.setattr(sys, "stderr", asked)
    how = folder / "run", "b.csv", options_of("cluster", {"topics": "2"})
    for ask in (True, False):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        if allowed and ask:
            check_replacing(*how, ask=ask)
        else:
            with pytest.raises(ValueError, match="holds another run"):
                check_replacing(*how, ask=ask)
    assert asked.getvalue().count("Replace it? [y/N]") == 1
