"""``quire edit``: every edit by its command, in words and as JSON; what cannot be done is one sentence."""

import json
import shutil

import pytest
from edited import texts
from problems import one_sentence, said

import quire
from quire import messages

EDITS = [
    (["merge", "0", "1"], 3), (["split", "0", "--into", "3"], 6), (["remove", "3"], 3),
    (["rename", "0", "Space flight"], 4), (["note", "1", "ask again"], 4), (["pin", "moon", "0"], 4),
    (["ban", "goal"], 4), (["move", "1", "2"], 4),
    (["together", "1", "2"], 4), (["apart", "1", "5"], 4),
]  # fmt: skip


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    return quire.cluster(texts(60)[0], 4, random_state=0).save(tmp_path_factory.mktemp("first") / "run")


@pytest.fixture
def folder(first, tmp_path):
    return shutil.copytree(first, tmp_path / "run")


@pytest.mark.parametrize(("edit", "topics"), EDITS)
def test_an_edit_is_made_and_told_as_json(folder, edit, topics):
    answer = said("edit", str(folder), *edit, "--json")
    assert answer.returncode == 0, answer.stdout
    told = json.loads(answer.stdout)
    assert (told["edit"]["what"], len(told["topics"])) == (edit[0], topics)
    assert len(quire.load(folder).H) == topics


def test_notes_are_shown_with_the_run(folder):
    said("edit", str(folder), "note", "1", "ask again")
    assert "Note on 1: ask again" in said("show", str(folder)).stdout
    assert json.loads(said("show", str(folder), "--json").stdout)["notes"] == {"1": "ask again"}


def test_the_log_is_told_and_undone(folder):
    assert "The run was not edited" in said("edit", str(folder)).stdout
    said("edit", str(folder), "rename", "0", "Space flight")
    shown = said("edit", str(folder), "merge", "2", "3").stdout
    assert "2. merge 2 3" in shown
    assert "Space flight" in shown
    assert "Undo with: quire edit" in shown
    assert "3. undo" in said("edit", str(folder), "undo").stdout
    log = said("edit", str(folder), "log").stdout
    assert 'rename 0 "Space flight"' in log
    assert "merge 2 3 (undone)" in log
    told = json.loads(said("edit", str(folder), "log", "--json").stdout)["edits"]
    assert [edit["what"] for edit in told] == ["rename", "merge", "undo"]
    assert all(edit["who"] and edit["when"] for edit in told)
    assert len(json.loads(said("edit", str(folder), "redo", "--json").stdout)["topics"]) == 3
    assert "Space flight" in said("show", str(folder)).stdout


@pytest.mark.parametrize(
    "edit",
    [
        ["merge", "0"], ["merge", "0", "x"], ["split"], ["explode", "0"], ["rename", "0"], ["undo"], ["redo"],
        ["remove", "9"], ["ban", "xyzzy"], ["move", "1"], ["split", "0", "--into", "1"], ["log", "0"],
        ["merge", "0", "1", "--topics", "9"], ["--import", "nowhere.jsonl"], ["together", "1", "nobody"],
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(folder, edit):
    one_sentence(said("edit", str(folder), *edit))
    assert not (folder / "edits.jsonl").exists()


def test_edits_are_made_again_in_a_new_run(folder, tmp_path):
    said("edit", str(folder), "merge", "0", "1")
    said("edit", str(folder), "rename", "0", "Both")
    said("edit", str(folder), "move", "1", "1")
    (tmp_path / "more.txt").write_text("\n".join(texts(50, seed=3)[0]))
    log = str(folder / "edits.jsonl")
    made = said("cluster", str(tmp_path / "more.txt"), "--topics", "4", "--edits", log, "--no-page", "--out",
                str(tmp_path / "new"))  # fmt: skip
    assert made.returncode == 0, made.stdout
    assert "Both" in made.stdout
    assert len(quire.load(tmp_path / "new").H) == 3
    one_sentence(said("cluster", str(tmp_path / "more.txt"), "--edits", str(tmp_path / "more.txt")), "is damaged")


def test_what_was_meant_is_looked_for_in_no_more_than_some(monkeypatch):
    """Thousands of ids that are all alike would keep whoever mistyped one waiting, and a server with him."""
    compared = []
    monkeypatch.setattr(messages.difflib, "get_close_matches", lambda word, known, n: compared.append(len(known)) or [])
    ids = [f"{number:032x}" for number in range(20_000)]
    messages.meant(ids[7] + "x", ids)
    messages.meant("x" * 1000, ["x" * 990] * 20_000)
    messages.meant("mon", ["moon", "goal", "an unlikely one"])
    assert compared[0] < 2_000
    assert compared[1] <= 2
    assert compared[2] == 2


def test_of_many_words_those_that_begin_alike_are_looked_at_first():
    assert messages.meant("tes" + "t" * 60, [f"zes{'t' * 60}{n}" for n in range(2000)] + ["tes" + "t" * 59]) == (
        f" (did you mean {'tes' + 't' * 59!r}?)"
    )


def test_names_that_somebody_gave_are_told_wherever_topics_are(folder, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("text\n" + "\n".join(texts(60)[0][:9]) + "\n", "utf-8")
    assert said("edit", str(folder), "rename", "0", "Space flight").returncode == 0
    new = str(tmp_path / "new")
    for command in (
        ("show", str(folder)), ("tree", str(folder)), ("assign", str(folder), str(more)),
        ("update", str(folder), str(more), "--out", new, "--new-topics", "0"),
    ):  # fmt: skip
        answer = said(*command)
        assert answer.returncode == 0, answer.stdout
        assert "Space flight – " in answer.stdout, command
