"""Runs of every version before this one are read for ever (docs/stability.md)."""

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest
from problems import said

import quire
from quire.runs.folder import HEAD, SCHEMA

HERE = Path(__file__).parents[1] / "fixtures" / "runs"
RUNS = sorted(path.parent for path in HERE.glob(f"*/{HEAD}"))
_spec = importlib.util.spec_from_file_location("make", HERE / "make.py")
make = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)
TEXTS, LABELS = make.documents()

every_run = pytest.mark.parametrize("kept", RUNS, ids=lambda path: path.name)


@pytest.fixture
def old(kept, tmp_path):
    return Path(shutil.copytree(kept, tmp_path / "old"))


def test_there_are_runs_of_every_schema():
    assert {json.loads((path / HEAD).read_text("utf-8"))["schema"] for path in RUNS} == set(range(1, SCHEMA + 1))


def test_every_version_of_the_changelog_has_a_run():
    versions = re.findall(r"^## (\d\S*)", (HERE.parents[2] / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert versions, "the changelog names no version"
    made = [json.loads((path / HEAD).read_text("utf-8"))["quire"] for path in RUNS]
    assert [one for one in versions if not any(by == one or by.startswith(f"{one}.dev") for by in made)] == []


@every_run
def test_an_old_run_is_what_it_was(old):
    run = quire.load(old)
    of = {label: {int(topic) for topic, is_of in zip(run.labels, LABELS) if is_of == label} for label in set(LABELS)}
    assert sorted(map(len, of.values())) == [1, 1, 1]  # each subject was one topic
    assert list(run.documents["text"]) == TEXTS
    assert list(run.assign(TEXTS).labels) == list(run.labels)
    table = run.assign_table(TEXTS[:3])
    assert table["topic"].to_list() == run.labels[:3].tolist()


@every_run
def test_an_old_run_is_looked_at_and_worked_with(old):
    before = {path.name: path.read_bytes() for path in old.iterdir()}
    shown = said("show", old)
    assert shown.returncode == 0, shown.stderr
    assert said("page", old, "-o", old.parent / "page.html").returncode == 0
    assert said("explain", old, "1").returncode == 0
    run = quire.load(old)
    assert len(run.merge(0, 1).topics) == 2
    assert {path.name: path.read_bytes() for path in old.iterdir()} == before, "looking at a run changed it"


@every_run
def test_an_old_run_is_saved_in_the_newest_format(old, tmp_path):
    run = quire.load(old)
    again = quire.load(run.save(tmp_path / "new"))
    assert again.labels.tolist() == run.labels.tolist()
    assert json.loads((tmp_path / "new" / HEAD).read_text("utf-8"))["schema"] == SCHEMA
