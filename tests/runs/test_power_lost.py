"""Where the power fails, the old or the new is on the disk; and what was told to be written is."""

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # torture, whose recorder the killer uses

from crash import Killer
from problems import stories

import quire
from quire.places.atomic import restore
from quire.places.checkpoint import Checkpoint
from quire.places.disk import DiskPlace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")


@pytest.fixture(scope="module")
def killer():
    with Killer("quire.runs.run", "quire.studies.exports") as killer:
        yield killer


@pytest.fixture
def lost(killer, tmp_path):
    """Return what the folder ``disk`` may hold after an action, each with whether the action had ended."""

    def lost_disks(action, *arguments):
        disk = tmp_path / "disk"
        disk.mkdir(exist_ok=True)
        folders = killer.lose_power(f"crash:{action}", *arguments, disk=disk, into=tmp_path / "lost")
        return [(folder, folder.name.endswith("ended")) for folder in folders]

    return lost_disks


def _texts(disks):
    return {(folder / "file").read_text() for folder, _ in disks if (folder / "file").exists()}


def test_what_is_flushed_survives(lost, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "file").write_text("old")
    disks = lost("write_carefully", tmp_path / "disk", "new")
    assert _texts(disks) == {"old", "new"}
    assert _texts([one for one in disks if one[1]]) == {"new"}


def test_what_is_not_flushed_is_lost_or_half_there(lost, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "file").write_text("old")
    assert _texts(lost("write_carelessly", tmp_path / "disk", "new")) - {"old", "new"}


@pytest.mark.parametrize("action", ["save_run", "save_run_without_exchange"])
@pytest.mark.parametrize("replacing", [False, True])
def test_a_run(lost, tmp_path, action, replacing):
    old, new = (quire.cluster(stories(30)[0], 2, random_state=seed).save(tmp_path / str(seed)) for seed in (0, 1))
    if replacing:
        shutil.copytree(old, tmp_path / "disk" / "run")
    target = tmp_path / "disk" / ("run" if replacing else "below/run")  # in a folder that is not there yet
    for folder, ended in lost(action, new, target):
        run = folder / target.relative_to(tmp_path / "disk")
        restore(run)
        if run.exists() or replacing or ended:
            assert quire.load(run).info["seed"] in ([1] if ended or not replacing else [0, 1]), folder.name


def test_a_first_checkpoint(lost, tmp_path):
    for folder, ended in lost("save_checkpoint", tmp_path / "disk" / "work", "new"):
        place = DiskPlace(folder / "work")
        state = Checkpoint(place).load("state")
        assert state is not None or not ended
        if state is not None:
            assert place.fetch(state[0]).tolist() == [0, 1, 2]
        place.leave()


def test_a_first_choice(lost, tmp_path):
    for folder, ended in lost("save_choice", tmp_path / "disk" / "choice", "new"):
        path = folder / "choice" / "choice.json"
        if path.exists() or ended:
            assert json.loads(path.read_text())["k"] == "new"
