"""A run that anybody may have made leads nowhere outside of its folder, and nobody waits for it for ever."""

import hashlib
import json
import os
import shutil

import pytest
from edited import texts
from problems import one_sentence, said

import quire
from quire.cli import serve
from quire.pages.full_text import SEARCH
from quire.runs.editing import edit_run
from quire.runs.edits.entry import new_edit
from quire.runs.edits.log import LOG, state_folder
from quire.runs.folder import HEAD, _head_checksum, check_target
from quire.runs.found_runs import runs_in
from quire.runs.names import NAMES
from quire.runs.tree_file import keep_tree
from quire.runs.write import DOCUMENTS, FACTORS, TOPICS, TREE, VOCABULARY

HELD = (FACTORS, DOCUMENTS, TOPICS, VOCABULARY)
pytestmark = pytest.mark.skipif(os.name != "posix", reason="makes links and pipes")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    recipe = {"name": "plain", "factorization": {"method": "NMF"}}
    return quire.cluster(texts(40)[0], 3, recipe=recipe, random_state=0).save(tmp_path_factory.mktemp("f") / "run")


@pytest.fixture
def folder(first, tmp_path):
    return shutil.copytree(first, tmp_path / "run")


def sealed(folder, change):
    """Let a run list other files, and be sound otherwise."""
    head = json.loads((folder / HEAD).read_text("utf-8"))
    head["files"] = change(head["files"])
    head["checksum"] = _head_checksum(head)
    (folder / HEAD).write_text(json.dumps(head), "utf-8")


def named(folder):
    edit_run(folder, new_edit("rename", topic=0, name="Moon"))


def merged(folder):
    edit_run(folder, new_edit("merge", topics=[0, 1]))


def grown(folder):
    keep_tree(folder, quire.load(folder).tree(leaves=4))


def paged(folder):
    one_sentence(said("page", folder), "leads out of the run")
    raise ValueError("leads out of the run")


def served(folder):
    with serve._listening("127.0.0.1", 0) as listener:
        payload = serve._payload(folder)
        serve._show(payload, folder, listener, "127.0.0.1", False)


WRITTEN = [(LOG, named), (TREE, grown), ("page.html", paged), (SEARCH, served), ("state", merged)]


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize(("name", "act"), WRITTEN)
def test_nothing_is_written_through_a_link(folder, tmp_path, name, act, there):
    outside = tmp_path / "outside"
    if there:
        outside.write_text("mine")
    merge = quire.load(folder).merge(0, 1).edits
    (state_folder(folder, merge) if name == "state" else folder / name).symlink_to(outside)
    with pytest.raises(ValueError, match="leads out of the run"):
        act(folder)
    assert (outside.read_text() if there else outside.exists()) == ("mine" if there else False)


@pytest.mark.parametrize("name", [LOG, TREE, NAMES])
def test_a_pipe_is_not_waited_for(folder, name):
    os.mkfifo(folder / name)
    with pytest.raises(ValueError, match="neither a file nor a folder"):
        quire.load(folder)


@pytest.mark.parametrize("name", [HEAD, *HELD])
def test_no_file_of_a_run_is_read_through_a_link(folder, tmp_path, name):
    (folder / name).rename(tmp_path / "mine")
    (folder / name).symlink_to(tmp_path / "mine")
    with pytest.raises(ValueError, match="leads out of the run"):
        quire.load(folder)


@pytest.mark.parametrize("name", ["/etc/hosts", "../mine", "sub/mine"])
def test_a_run_names_no_file_elsewhere(folder, tmp_path, name):
    for there in (tmp_path / "mine", folder / "sub" / "mine"):
        there.parent.mkdir(exist_ok=True)
        there.write_text("mine")
    sealed(folder, lambda files: files | {name: hashlib.sha256(b"mine").hexdigest()})
    with pytest.raises(ValueError, match="names a file that is not in its folder"):
        quire.load(folder)


@pytest.mark.parametrize("name", HELD)
def test_nothing_is_read_that_a_run_does_not_list(folder, name):
    sealed(folder, lambda files: {file: checksum for file, checksum in files.items() if file != name})
    (folder / name).unlink()
    os.mkfifo(folder / name)  # which would be waited for
    with pytest.raises(ValueError, match=f"does not list {name}"):
        quire.load(folder)


@pytest.mark.parametrize("name", [HEAD, TOPICS])
def test_runs_are_listed_without_waiting_for_a_pipe(folder, name):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert [run.documents for run in runs_in(folder.parent)] == ([] if name == HEAD else [None])
    if name == HEAD:
        with pytest.raises(ValueError, match="is no run of Quire"):
            check_target(folder)


def test_a_link_within_the_run_is_followed(folder):
    named(folder)
    (folder / LOG).rename(folder / "edits.txt")
    (folder / LOG).symlink_to("edits.txt")
    assert quire.load(folder).topics["name"][0] == "Moon"


def test_files_without_an_end_are_refused(folder, tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(texts(20)[0]))
    one_sentence(said("edit", folder, "--import", "/dev/zero"), "too large for a log of edits")
    zero = ["--topics", "2", "--out", tmp_path / "b", "--seeds", "/dev/zero"]
    one_sentence(said("cluster", tmp_path / "a.txt", *zero), "larger than anybody writes one")
