"""A process that is killed at any file operation leaves the old or the new, and nothing in the way of the next one."""

import json
import shutil
import sys
import threading

import pytest
from crash import Killer
from problems import stories

import quire
from quire.pages.full_text import SEARCH, FullText
from quire.places.checkpoint import Checkpoint
from quire.places.disk import DiskPlace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")
SAMPLE = 3  # operations of an action at which it is killed here, and as many at its end


@pytest.fixture(scope="module")
def killer():
    with Killer("quire.runs.run", "quire.pages.file", "quire.pages.full_text", "quire.studies.exports") as killer:
        yield killer


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of other seeds."""
    folder, texts = tmp_path_factory.mktemp("runs"), stories(30)[0]
    return [quire.cluster(texts, 2, random_state=seed).save(folder / str(seed)) for seed in (0, 1)]


def _points(n):
    """Return some kill points of n, the last of which are those of putting in place and clearing away."""
    return sorted({n * i // SAMPLE for i in range(SAMPLE)} | set(range(max(0, n - SAMPLE), n)))


def _names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("action", ["save_run", "save_run_without_exchange"])
@pytest.mark.parametrize("replacing", [False, True])
def test_a_save(killer, runs, tmp_path, action, replacing):
    old, new = runs
    target = tmp_path / "run"

    def prepare():
        shutil.rmtree(target, ignore_errors=True)
        if replacing:
            shutil.copytree(old, target)

    prepare()
    total = killer.run(f"crash:{action}", new, target)
    assert quire.load(target).info["seed"] == 1
    for n in _points(total):
        prepare()
        assert killer.run(f"crash:{action}", new, target, kill_at=n) is None
        if replacing:
            assert quire.load(target).info["seed"] in (0, 1)
        elif target.exists():
            assert quire.load(target).info["seed"] == 1
        killer.run(f"crash:{action}", new, target)
        assert quire.load(target).info["seed"] == 1
        assert _names(tmp_path) == ["run"], n


@pytest.mark.parametrize("action", ["write_page", "write_index", "give_name"])
def test_what_is_written_into_a_run(killer, runs, tmp_path, action):
    old, new = runs
    target = shutil.copytree(old, tmp_path / "run")
    total = killer.run(f"crash:{action}", old, target)
    for n in _points(total):
        shutil.rmtree(target)
        shutil.copytree(old, target)
        assert killer.run(f"crash:{action}", old, target, kill_at=n) is None
        quire.load(target)
        assert quire.load(target).history == [] or quire.load(target).topics["name"][0] == "Moon"
        assert not (target / "page.html").exists() or "</html>" in (target / "page.html").read_text()[-20:]
        if action == "write_index":
            index = FullText(target / SEARCH, quire.load(target).documents)
            assert index.wait(60)
            assert index.search("moon")["total"] > 0
            index.close()
        (target / "edits.jsonl").unlink(missing_ok=True)
        killer.run("crash:save_run", new, target)  # is not blocked
        assert quire.load(target).info["seed"] == 1
        assert _names(target) == _names(new)


def test_a_checkpoint(killer, tmp_path):
    folder = tmp_path / "work"
    killer.run("crash:save_checkpoint", folder, "old")
    total = killer.run("crash:save_checkpoint", folder, "old")
    for n in _points(total):
        assert killer.run("crash:save_checkpoint", folder, "new", kill_at=n) is None
        place = DiskPlace(folder)
        rows, text = Checkpoint(place).load("state")
        assert place.fetch(rows).tolist() == [0, 1, 2]
        assert text in ("old", "new")
        place.leave()
        killer.run("crash:save_checkpoint", folder, "old")
        assert len(_names(folder / "checkpoints")) == 2  # a state, and what points to it


def test_a_choice(killer, tmp_path):
    folder = tmp_path / "choice"
    killer.run("crash:save_choice", folder, "old")
    total = killer.run("crash:save_choice", folder, "old")
    for n in _points(total):
        assert killer.run("crash:save_choice", folder, "new", kill_at=n) is None
        assert json.loads((folder / "choice.json").read_text())["k"] in ("old", "new")
        killer.run("crash:save_choice", folder, "old")
        assert _names(folder) == ["choice.csv", "choice.json"]


def test_whoever_reads_while_others_write_sees_one_run(runs, tmp_path):
    loaded = [quire.load(path) for path in runs]
    target = loaded[0].save(tmp_path / "run")
    stop = threading.Event()

    def write():
        while not stop.is_set():
            for run in loaded:
                run.save(target)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = [quire.load(target).info["seed"] for _ in range(20)]
    finally:
        stop.set()
        writer.join()
    assert set(seen) <= {0, 1}
