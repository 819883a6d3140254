"""What is written whole or not at all, by whoever may read what this process writes."""

import ast
import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quire.places import leftovers
from quire.places.atomic import restore, whole_file, whole_folder
from quire.places.leftovers import Writer, _started, signed_path

SOURCE = Path(__file__).parents[2] / "src" / "quire"


@pytest.fixture(params=[0o022, 0o077, 0o002])
def umask(request):
    old = os.umask(request.param)
    yield request.param
    os.umask(old)


def _mode(path):
    return path.stat().st_mode & 0o777


def test_modes_are_those_of_new_files(umask, tmp_path):
    with whole_file(tmp_path / "file") as made:
        made.write_text("one")
    with whole_folder(tmp_path / "folder") as made:
        (made / "open").write_text("one")
        (made / "closed").touch(0o600)  # as safetensors writes
    assert _mode(tmp_path / "file") == 0o666 & ~umask
    assert _mode(tmp_path / "folder") == 0o777 & ~umask
    assert {_mode(path) for path in (tmp_path / "folder").iterdir()} == {0o666 & ~umask}


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    (tmp_path / "file").touch(0o640)
    with whole_file(tmp_path / "file") as made:
        made.write_text("two")
    assert _mode(tmp_path / "file") == 0o640
    assert (tmp_path / "file").read_text() == "two"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_after_an_error_all_is_as_it_was(error, tmp_path):
    (tmp_path / "file").write_text("one")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").touch()

    def broken(writer, name):
        with writer(tmp_path / name) as made:
            (made / "new" if made.is_dir() else made).write_text("tw")
            raise error

    for writer, name in ((whole_file, "file"), (whole_folder, "folder")):
        with pytest.raises(error):
            broken(writer, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "one"
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["old"]


def test_a_folder_takes_the_place_of_another(tmp_path):
    for name in ("one", "two"):
        with whole_folder(tmp_path / "folder") as made:
            (made / name).touch()
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["two"]
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_many_threads_write_one_file(tmp_path):
    texts = [str(i) * 100_000 for i in range(8)]

    def write(text):
        with whole_file(tmp_path / "file") as made:
            made.write_text(text)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "file").read_text() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_nobody_else_does_it():
    """The umask is the whole process's: asking for it changes it."""
    for path in sorted(SOURCE.rglob("*.py")):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        named = {node.func.attr for node in calls if isinstance(node.func, ast.Attribute)}
        assert "umask" not in named, path
        assert "mkstemp" not in named, path


def test_what_a_dead_process_left_goes_and_a_live_ones_stays(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    host, boot, _, _ = Writer.here()
    living = f"{host}-{boot}-{child.pid}-{_started(child.pid)}"
    dead = f"{host}-{boot}-{child.pid}-1", f"{host}-00000000-{child.pid}-{_started(child.pid)}"
    names = [f".quire-00000000-{writer}-00000000.part" for writer in (living, *dead)]
    foreign = ".quire-00000000-ffffffff-00000000-1-1-00000000.part"
    for name in (*names[::2], foreign):
        (tmp_path / name).mkdir()
    (tmp_path / names[1]).touch()
    with whole_file(tmp_path / "file") as part:
        part.touch()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([names[0], foreign, "file"])
    os.utime(tmp_path / foreign, (0, 0))  # of another machine, and nobody came back for it
    child.kill()
    child.wait()
    with whole_file(tmp_path / "file") as part:
        part.touch()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_of_two_writers_of_a_folder_one_gets_a_sentence(tmp_path):
    with whole_folder(tmp_path / "folder") as part:
        (part / "first").touch()
        with pytest.raises(OSError, match="another process is writing it"), whole_folder(tmp_path / "folder"):
            pass
        with whole_folder(tmp_path / "other") as other:
            (other / "file").touch()
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["first"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "other"]


@pytest.mark.parametrize("exchanged", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path, monkeypatch, exchanged):
    if not exchanged:
        monkeypatch.setattr("quire.places.atomic._exchange", lambda one, other: False)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "link").symlink_to("there/folder")
    for text in ("old", "new"):
        with whole_folder(tmp_path / "link") as part:
            (part / "one").write_text(text)
    (tmp_path / "short").symlink_to("there/file")
    with whole_file(tmp_path / "short") as part:
        part.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "short").is_symlink()
    assert (tmp_path / "there" / "folder" / "one").read_text() == "new"
    assert (tmp_path / "there" / "file").read_text() == "new"
    assert len(list((tmp_path / "there").iterdir())) == 2


def test_where_nothing_can_be_exchanged_the_old_folder_comes_back(tmp_path, monkeypatch):
    monkeypatch.setattr("quire.places.atomic._exchange", lambda one, other: False)
    target = tmp_path / "folder"
    target.mkdir()
    (target / "old").touch()
    aside = signed_path(target, "old")
    target.rename(aside)
    with monkeypatch.context() as patch:
        patch.setattr("quire.places.leftovers._started", lambda pid: None)  # whoever moved it is dead
        restore(target)
    assert [path.name for path in target.iterdir()] == ["old"]
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_who_cannot_be_known_for_want_of_file_handles_signs_nothing(tmp_path, monkeypatch):
    """What it signed would look like a dead process's, or like nobody's."""

    def too_many(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    leftovers._machine.cache_clear()
    monkeypatch.setattr(Path, "read_text", too_many)
    with pytest.raises(OSError, match=r"^Too many files are open"):
        leftovers.signed_path(tmp_path / "run", leftovers.PART)
    monkeypatch.undo()
    leftovers._machine.cache_clear()
    assert leftovers.is_leftover(leftovers.signed_path(tmp_path / "run", leftovers.PART).name)
