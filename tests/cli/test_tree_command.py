"""``quire tree``: the tree of a run on the command line, as text, JSON and Newick, and runs cut from it."""

import json
from dataclasses import replace

import pytest
from problems import THEMES, one_sentence, said

import quire
from quire.runs.write import TREE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    words = [theme.split() for theme in THEMES.values()]
    texts = [" ".join((own * 4)[i % 5 : i % 5 + 12]) for own in words for i in range(20)]
    run = quire.cluster(texts, 3, random_state=0)
    return replace(run, hierarchy=run.tree()).save(tmp_path_factory.mktemp("tree") / "run")


def test_a_tree_is_grown_once_and_kept(folder):
    (folder / TREE).unlink(missing_ok=True)
    first = said("tree", folder)
    assert first.returncode == 0, first.stderr
    assert "topic 0" in first.stdout
    assert "below 3 topics" in first.stdout
    kept = (folder / TREE).read_bytes()
    assert said("tree", folder).stdout == first.stdout
    assert (folder / TREE).read_bytes() == kept
    assert "all documents with a topic" in said("tree", folder, "--depth", "1").stdout


def test_json_newick_and_a_cut_say_the_same(folder):
    data = json.loads(said("tree", folder, "--json").stdout)
    tree = quire.load(folder).tree()
    assert data["nodes"] == json.loads(json.dumps(tree.as_dict()["nodes"]))
    assert said("tree", folder, "--newick").stdout.strip() == tree.newick()
    cut = json.loads(said("tree", folder, "--cut", "2", "--json").stdout)
    assert cut["sizes"] == [node.size for node in tree.cut(2).nodes]
    assert "--out FOLDER" in said("tree", folder, "--cut", "2").stdout


def test_a_cut_is_written_as_a_run(folder, tmp_path):
    made = said("tree", folder, "--cut", "2", "--out", tmp_path / "two")
    assert made.returncode == 0, made.stderr
    assert len(quire.load(tmp_path / "two").topics) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--cut", "0"], "at least 1"),
        (["--cut", "999"], "cannot be cut at 999"),
        (["--out", "x"], "--cut"),
        (["--newick", "--json"], "leave --json"),
        (["--leaves", "-2"], "at least 1"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(folder, given, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one_sentence(said("tree", folder, *given), words)


def test_show_prints_it_too(folder):
    shown = said("show", folder).stdout
    assert f"See its tree with: quire tree {folder}" in " ".join(shown.split())
    assert said("show", folder, "--tree").stdout == said("tree", folder).stdout
    data = json.loads(said("show", folder, "--tree", "--json").stdout)
    assert data["nodes"] == json.loads(said("tree", folder, "--json").stdout)["nodes"]


def test_the_tree_of_an_edited_run_is_kept_beside_its_edits(folder, tmp_path):
    """It is of other topics than the first run's, which an undo leads back to."""
    edited = quire.load(folder).save(tmp_path / "run")
    first = (edited / TREE).read_bytes()
    assert said("edit", edited, "merge", "0", "1").returncode == 0
    told = said("tree", edited)
    assert "below 2 topics" in told.stdout, told.stderr
    assert (edited / TREE).read_bytes() == first
    assert quire.load(edited).hierarchy.as_dict() == quire.load(edited).tree().as_dict()
    assert said("tree", edited).stdout == told.stdout
    assert said("edit", edited, "undo").returncode == 0
    assert "below 3 topics" in said("tree", edited).stdout
    assert said("edit", edited, "redo").returncode == 0
    assert "below 2 topics" in said("tree", edited).stdout
