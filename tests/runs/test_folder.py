"""The folder of a run: whole or not at all, replaced with care, and damage is noticed."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from problems import stories

import quire
from quire.runs import write
from quire.runs.folder import HEAD, SCHEMA, _head_checksum, write_file, write_folder


@pytest.fixture(scope="module")
def run():
    texts, labels = stories()
    dates = [f"2020-{1 + i % 12:02d}-01" for i in range(len(texts))]
    return quire.cluster(texts, 3, labels=labels, dates=dates, random_state=0)


@pytest.fixture
def folder(run, tmp_path):
    return run.save(tmp_path / "run")


@pytest.mark.parametrize(
    "name", ["run.json", "factors.safetensors", "documents.parquet", "topics.json", "vocabulary.json"]
)
@pytest.mark.parametrize("damage", ["cut", "edited", "gone"])
def test_a_damaged_run_says_which_file(folder, name, damage):
    path = folder / name
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[:-9] if damage == "cut" else content.replace(b"a", b"b", 1))
    with pytest.raises(ValueError, match="run") as error:
        quire.load(folder)
    assert name in str(error.value)
    assert "\n" not in str(error.value)


def test_a_newer_schema_is_refused(folder):
    head = json.loads((folder / HEAD).read_text())
    (folder / HEAD).write_text(json.dumps(head | {"schema": SCHEMA + 1}))
    with pytest.raises(ValueError, match="newer Quire"):
        quire.load(folder)


@pytest.mark.parametrize("depth", [500, 900, 990, 100_000])
def test_lists_within_lists_are_refused(folder, depth):
    (folder / HEAD).write_text((folder / HEAD).read_text().replace("{", '{"x": ' + "[" * depth + "]" * depth + ", ", 1))
    with pytest.raises(ValueError, match=r"changed after it was written|is damaged"):
        quire.load(folder)


@pytest.mark.parametrize("name", ["topics.json", "vocabulary.json"])
@pytest.mark.parametrize(
    "content", ["[" * 100_000, "[]", "null", '{"topics": 3, "terms": 4}', '{"topics": [[]], "timeline": []}']
)
def test_other_content_with_valid_checksums_is_refused(folder, name, content):
    (folder / name).write_text(content)
    head = json.loads((folder / HEAD).read_text())
    head["files"][name] = hashlib.sha256(content.encode()).hexdigest()
    (folder / HEAD).write_text(json.dumps(head | {"checksum": _head_checksum(head)}))
    with pytest.raises(ValueError, match=r"^[^\n]{20,400}$"):
        quire.load(folder)


def test_an_edited_option_is_noticed(folder):
    head = json.loads((folder / HEAD).read_text())
    head["seed"] = 12345
    (folder / HEAD).write_text(json.dumps(head))
    with pytest.raises(ValueError, match="changed after it was written"):
        quire.load(folder)


def test_a_failed_write_leaves_the_old_run_and_no_litter(folder, run):
    before = sorted(path.name for path in folder.parent.iterdir())

    def fail(path):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(ValueError, match="disk is full"):
        write_folder(folder, {"seed": 1}, {"a": fail})
    assert sorted(path.name for path in folder.parent.iterdir()) == before
    assert quire.load(folder).info["seed"] == run.info["seed"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk here is always full")
def test_a_disk_that_fills_up_while_parquet_is_written_is_told(folder, run, monkeypatch):
    writing = write.write_documents
    monkeypatch.setattr(write, "write_documents", lambda path, documents: writing(Path("/dev/full"), documents))
    with pytest.raises(ValueError, match="the disk is full, make room or name another folder"):
        run.save(folder)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert quire.load(folder).scores == run.scores


def test_a_run_is_replaced_but_nothing_else_is(folder, run, tmp_path):
    run.save(folder)
    assert quire.load(folder).scores == run.scores
    other = tmp_path / "precious"
    other.mkdir()
    (other / "thesis.txt").write_text("do not delete")
    with pytest.raises(ValueError, match="is no run"):
        run.save(other)
    assert (other / "thesis.txt").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="is no run"):
        run.save(tmp_path / "file")


def test_a_run_that_holds_other_things_is_not_replaced(folder, run):
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"also holds notes\.txt"):
        run.save(folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_derived_files_may_come_change_and_go(run, tmp_path):
    folder = run.save(tmp_path / "run")
    for change in (lambda page: page.write_text("<p>anew"), lambda page: page.unlink()):
        change(folder / "page.html")
        assert quire.load(folder).labels.tolist() == run.labels.tolist()
    for name in ("page.html", "search.sqlite"):
        (folder / name).write_text("old")
    run.save(folder)
    assert not (folder / "page.html").exists()  # it would show the run that was there before
    (folder / "names.json").write_text("{}")  # a person's work
    with pytest.raises(ValueError, match=r"also holds names\.json"):
        run.save(folder)


def test_the_weighted_counts_are_kept_in_memory_and_counted_anew_from_the_texts(run, folder):
    assert run.X.shape == (len(run.documents), len(run.words))
    loaded = quire.load(folder)
    assert loaded.X is None
    counted = loaded.weight.transform(loaded.recount())
    assert (counted != run.X).nnz == 0
    some = np.array([3, 0])
    assert (loaded.recount(some) != loaded.recount()[some]).nnz == 0
    assert np.array_equal(loaded.memberships_of(some), run.memberships[some])


def test_nothing_is_made_where_nothing_can_be(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="cannot take the place"):
        run.save(".")
    with pytest.raises(ValueError, match=r"Nothing can be written|cannot take the place"):
        run.save("/proc/quire/run")
    assert not list(tmp_path.iterdir())
    from quire.runs.folder import check_target

    check_target("a/b/c")
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_place_is_one_sentence(run, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ValueError, match="read-only"):
            run.save(tmp_path / "x" / "run")
    finally:
        tmp_path.chmod(0o700)


def test_a_file_is_replaced_with_its_mode_and_through_links(tmp_path):
    file, link, plain = tmp_path / "page.html", tmp_path / "link.html", tmp_path / "plain"
    write_file(file, "one")
    plain.touch()
    assert file.stat().st_mode == plain.stat().st_mode
    plain.unlink()
    file.chmod(0o600)
    link.symlink_to(file)
    write_file(link, "two")
    assert link.is_symlink()
    assert file.read_text() == "two"
    assert file.stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is no file that could be replaced"):
        write_file(tmp_path / "pipe", "three")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "page.html", "pipe"]
