"""The log of edits in a run's folder: kept whole, shared by several, and never in the way of what the run was."""

import json
import shutil
import sys

import polars as pl
import pytest
from crash import Killer
from edited import assert_same, texts
from problems import stories
from sealed import seal

import quire
from quire.corpus import cut
from quire.places.dask.cluster import DaskPlace
from quire.places.disk import DiskPlace
from quire.runs import load
from quire.runs.editing import edit_run, import_edits
from quire.runs.edits import log
from quire.runs.edits.entry import edit_from, new_edit
from quire.runs.edits.log import LOG, ConflictError, conflict
from quire.runs.options import Options
from quire.runs.pipeline import gather

MERGE = {"what": "merge", "topics": [0, 1], "who": "ann", "when": "2026-01-01T00:00:00+00:00"}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    run = quire.cluster(texts(60)[0], 4, random_state=0)
    return run.save(tmp_path_factory.mktemp("first") / "run")


@pytest.fixture
def folder(first, tmp_path):
    return shutil.copytree(first, tmp_path / "run")


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != LOG}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_undone_to_the_first_state_the_folder_has_the_first_bytes(folder, first):
    for edit in (
        ("merge", {"topics": [0, 1]}),
        ("split", {"topic": 0, "into": 3}),
        ("rename", {"topic": 0, "name": "x"}),
    ):
        edit_run(folder, new_edit(edit[0], **edit[1]))
    assert content(folder) == content(first)  # the first run is never written again
    assert len(names(folder)) == len(names(first)) + 2  # the log, and the state
    for _ in range(3):
        edit_run(folder, new_edit("undo"))
    assert names(folder) == sorted([*names(first), LOG])
    assert content(folder) == content(first)
    assert_same(quire.load(folder), quire.load(first))
    edit_run(folder, new_edit("redo"))
    assert len(quire.load(folder).H) == 3


def test_a_state_that_is_lost_or_damaged_is_made_again(folder):
    edited = edit_run(folder, new_edit("merge", topics=[2, 0]))
    (state,) = folder.glob("edited-*")
    for damage in ("factors.safetensors", "run.json"):
        (state / damage).write_bytes((state / damage).read_bytes()[:-20])
        assert_same(quire.load(folder), edited)
    shutil.rmtree(state)
    assert_same(quire.load(folder), edited)
    assert_same(quire.load(folder, texts=False), edited)


@pytest.mark.parametrize("texts", [True, False])
def test_a_sealed_state_that_holds_other_things_is_made_again(folder, texts):
    edited = edit_run(folder, new_edit("merge", topics=[2, 0]))
    (state,) = folder.glob("edited-*")
    head, factors = (state / "run.json").read_bytes(), (state / "factors.safetensors").read_bytes()
    seal(state, n_topics={})
    assert_same(quire.load(folder, texts=texts), edited)
    (state / "run.json").write_bytes(head)
    (state / "factors.safetensors").write_bytes(b"\xff" * 8 + factors[8:])  # a header longer than any file
    seal(state)
    assert_same(quire.load(folder, texts=texts), edited)


@pytest.mark.parametrize("texts", [True, False])
def test_a_state_that_is_swept_while_it_is_read_is_made_again(folder, monkeypatch, texts):
    """Who edits a run further removes the state before, which somebody may just have found there."""
    edit_run(folder, edit_from(MERGE))
    before, found = quire.load(folder), load.read_state

    def swept(path):
        known = found(path)
        shutil.rmtree(path, ignore_errors=True)
        return known

    monkeypatch.setattr(load, "read_state", swept)
    assert_same(quire.load(folder, texts=texts), before)


def test_a_run_that_is_replaced_is_not_read_with_the_edits_of_the_next(folder, monkeypatch):
    """A reader has the old run, then comes a new one with edits of its own: their topics are others."""
    other = quire.cluster(texts(40, seed=3)[0], 2, random_state=0).rename(1, "Another")
    found, left = load.check_sound, [1]

    def replaced(run):
        if left:
            left.pop()
            other.save(folder)
        found(run)

    monkeypatch.setattr(load, "check_sound", replaced)
    run = quire.load(folder)
    assert (len(run.topics), run.topics["name"][1]) == (2, "Another")


def test_without_texts_an_edited_run_is_read_as_it_is(folder):
    edited = edit_run(folder, new_edit("merge", topics=[2, 0]))
    few = quire.load(folder, texts=False)
    assert few.topics.equals(edited.topics)
    assert few.documents.drop("text").equals(edited.documents.drop("text"))


def test_of_two_writers_one_wins_and_the_other_is_told(folder):
    mine, yours = quire.load(folder), quire.load(folder)
    mine.merge(0, 1).save(folder)
    with pytest.raises(ConflictError, match=r"The run was edited meanwhile.*\(1 edit\): look at it again first\.$"):
        yours.rename(0, "Yours").save(folder)
    assert [edit["what"] for edit in quire.load(folder).history] == ["merge"]
    with pytest.raises(ConflictError):
        edit_run(folder, new_edit("undo"), seen=0)
    edit_run(folder, new_edit("undo"), seen=1)
    with pytest.raises(ValueError, match=r"also holds edits\.jsonl"):
        quire.cluster(texts(30)[0], 2, random_state=0).save(folder)


def test_who_comes_between_the_look_and_the_writing_wins(folder, monkeypatch):
    late, write = quire.load(folder).merge(0, 1), log._write_state

    def slow(*given):
        monkeypatch.setattr(log, "_write_state", write)
        quire.load(folder).merge(2, 3).save(folder)
        return write(*given)

    monkeypatch.setattr(log, "_write_state", slow)
    with pytest.raises(ConflictError):
        late.save(folder)
    assert [edit["topics"] for edit in quire.load(folder).history] == [[2, 3]]


def test_two_who_make_the_same_edit_at_once_are_told_of_each_other(folder, monkeypatch):
    writers, refused = log.CutFiles.writers, []

    def slow(files, *given):
        monkeypatch.setattr(log.CutFiles, "writers", writers)
        (name, write), *others = writers(files, *given).items()
        return {name: lambda path: (meanwhile(), write(path)), **dict(others)}

    def meanwhile():
        with pytest.raises(ConflictError, match=r"is making the same edit: look at the run again first\.$") as error:
            edit_run(folder, edit_from(MERGE | {"who": "bob"}))
        refused.append(error)

    monkeypatch.setattr(log.CutFiles, "writers", slow)
    edit_run(folder, edit_from(MERGE))
    assert refused
    assert [edit["who"] for edit in quire.load(folder).history] == ["ann"]


def test_an_edited_run_saved_elsewhere_has_the_same_files(folder, tmp_path):
    edit_run(folder, edit_from(MERGE))
    elsewhere = quire.load(folder).save(tmp_path / "elsewhere")
    assert names(elsewhere) == names(folder)
    assert content(elsewhere) == content(folder)
    assert (elsewhere / LOG).read_bytes() == (folder / LOG).read_bytes()
    for one, other in zip(elsewhere.glob("edited-*"), folder.glob("edited-*")):
        assert content(one) == content(other)


@pytest.mark.parametrize(
    "damaged",
    [
        "{", "[]", "null", '{"what": "explode"}', '{"what": "merge", "topics": [0]}', '{"what": "merge", "topics": 7}',
        '{"what": "rename", "topic": 0}', '{"what": "rename", "topic": 0, "name": "a\\nb"}', "\udc80", "[" * 5000,
        '{"what": "rename", "topic": 99, "name": "x"}', '{"what": "merge", "topics": [0, 99]}', '{"what": ["a"]}',
        '{"what": "move", "document": "nobody", "topic": 0}', '{"what": "rename", "topic": true, "name": "x"}',
        '{"what": "merge", "topics": [0, 1], "cut": 3}', '{"what": "ban", "word": "\\ud800"}',
        '{"what": "undo", "who": 7}', '{"what": "merge", "topics": [0, 1], "words": {"a": 1}}',
        '{"what": "note", "topic": ' + "9" * 5000 + ', "note": "a"}', '{"what": "ban", "word": "moon"}\n' * 10_001,
        '{"what": "rename", "topic": 0, "name": "a", "who": "\\ud800"}',
        '{"what": "rename", "topic": 0, "name": "a", "words": ["\\udfff"]}',
    ],
)  # fmt: skip
def test_a_damaged_log_is_one_sentence(folder, damaged):
    (folder / LOG).write_bytes(damaged.encode("utf-8", "surrogateescape") + b"\n")
    with pytest.raises(ValueError, match=r"\.$") as error:
        quire.load(folder)
    assert "\n" not in str(error.value)


def test_edits_of_a_file_are_imported_and_those_that_fit_nothing_are_told(folder, tmp_path):
    words = quire.load(folder).topics["keywords"].to_list()
    lines = [
        {"what": "rename", "topic": 1, "name": "From a page", "words": words[1]},
        {"what": "note", "topic": 3, "note": "To ask about", "words": words[2]},  # another number by now
        {"what": "rename", "topic": 0, "name": "Else", "words": ["violin", "sonata"]},
    ]
    path = tmp_path / "exported.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run, left = import_edits(folder, path)
    assert (run.topics["name"][1], run.notes, len(left)) == ("From a page", {2: "To ask about"}, 1)
    assert_same(quire.load(folder), run)


def test_wherever_a_run_was_made_it_is_edited_to_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setattr(cut, "ROWS", 16)
    table = tmp_path / "table.parquet"
    pl.DataFrame({"id": [f"d{i}" for i in range(70)], "text": texts(70)[0]}).write_parquet(table)
    lines = tmp_path / "log.jsonl"
    lines.write_text(json.dumps(MERGE) + "\n" + json.dumps({"what": "split", "topic": 1, "into": 2}) + "\n")
    options, folders = Options(topics=4, seed=0), []
    for place in (None, DiskPlace(tmp_path / "work"), DaskPlace("local:1")):
        out = tmp_path / f"run{len(folders)}"
        if place is None:
            quire.cluster(table, 4, random_state=0, out=out, edits=str(lines))
        else:
            with place:
                gather(str(table), options, place).write(out)
            quire.load(out).replay(lines)[0].save(out)
        folders.append(out)
    states = [content(next(folder.glob("edited-*"))) for folder in folders]
    for state in states:
        del state["run.json"]  # which holds checksums of what says when
        state["topics.json"] = json.loads(state["topics.json"])["topics"]
    assert states[0] == states[1] == states[2]
    assert len({(folder / LOG).read_bytes() for folder in folders}) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_killed_at_any_file_operation_an_edit_is_made_or_not(tmp_path):
    old = quire.cluster(stories(30)[0], 3, random_state=0).save(tmp_path / "old")
    merged = quire.load(old).merge(0, 1)
    target, first = tmp_path / "run", quire.load(old)
    with Killer("quire.runs.editing", "quire.runs.edits.fold") as killer:
        for prepared, edit in ((old, MERGE), (None, {"what": "undo"})):
            if prepared is None:
                prepared = shutil.copytree(old, tmp_path / "merged")
                edit_run(prepared, edit_from(MERGE))
            before, after = (first, merged) if edit is MERGE else (merged, first)
            shutil.copytree(prepared, target)
            total = killer.run("crash:edit_folder", target, json.dumps(edit))
            for n in sorted({*range(0, total, max(1, total // 8)), *range(max(0, total - 6), total)}):
                shutil.rmtree(target)
                shutil.copytree(prepared, target)
                assert killer.run("crash:edit_folder", target, json.dumps(edit), kill_at=n) is None
                run = quire.load(target)
                assert_same(run, before if len(run.H) == len(before.H) else after)
                if len(run.H) == len(before.H):
                    edit_run(target, edit_from(edit))
                assert_same(quire.load(target), after)
            shutil.rmtree(target)


def test_a_log_that_was_put_back_is_a_conflict_too():
    assert conflict((), 0) == "The run was edited meanwhile: look at it again first."
