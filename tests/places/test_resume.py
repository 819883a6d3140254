"""A fit that was killed goes on from where it was and ends in the same factors, bit for bit."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse

from quire import NMF, SPPC, SimplexNMF, SparseNMF
from quire.places.checkpoint import Checkpoint, LoopKeeper
from quire.places.codec import write_thing
from quire.places.disk import DiskPlace, read_thing
from quire.places.parts import Blocks

METHODS = {
    "nmf": lambda: NMF(3, random_state=0, max_iter=20, tol=0),
    "several starts": lambda: SimplexNMF(3, random_state=0, max_iter=8, tol=0, n_init=3),
    "starts drawn again": lambda: SparseNMF(3, random_state=1, max_iter=8, tol=0, n_init=2),
    "a rule with a state": lambda: SPPC(3, random_state=0, max_iter=20, tol=0, init="random"),
}


class KilledError(BaseException):
    """Ends a fit without a chance to clean up."""


@pytest.mark.parametrize("room", [0, 10**9])
@pytest.mark.parametrize("stop", [1, 2, 7, 13])
@pytest.mark.parametrize("method", METHODS)
def test_goes_on_bit_for_bit(method, stop, room, tmp_path):
    make = METHODS[method]
    X = random_sparse(90, 30, 0.4, np.float32)
    with DiskPlace(tmp_path / "whole", room) as place:
        true = make()
        W = np.asarray(true.fit_transform(Blocks.split(X, place, 25)))
    killed = DiskPlace(tmp_path / "killed", room)
    there = Blocks.split(X, killed, 25)
    Checkpoint(killed).save("X", there)
    steps = []

    def kill(step):
        steps.append(step)
        if len(steps) == stop:
            raise KilledError

    model = make().set_params(callback=kill)
    model._keeper = LoopKeeper(Checkpoint(killed), every=0)
    with pytest.raises(KilledError):
        model.fit(there)
    killed.leave()
    with DiskPlace(tmp_path / "killed", room) as place:
        again, more = make(), []
        again.callback = lambda step: more.append(step) and False
        again._keeper = LoopKeeper(Checkpoint(place), every=0)
        found = np.asarray(again.fit_transform(Checkpoint(place).load("X")))
    assert (found == W).all()
    assert (again.components_ == true.components_).all()
    assert again.objective_ == true.objective_
    assert again.n_iter_ == true.n_iter_
    if stop > 2:  # it did go on: a keeper is told after the callback
        assert more[0].iteration == steps[-1].iteration
    assert not (tmp_path / "killed").exists()


def test_a_killed_process_leaves_a_checkpoint(tmp_path):
    program = textwrap.dedent("""
        import os, signal, sys, numpy as np, scipy.sparse as sp
        from quire import NMF
        from quire.places.checkpoint import Checkpoint, LoopKeeper
        from quire.places.disk import DiskPlace
        from quire.places.parts import Blocks
        place = DiskPlace(sys.argv[1])
        there = Blocks.split(sp.csr_array(np.arange(60.0).reshape(12, 5)), place, 5)
        Checkpoint(place).save("X", there)
        model = NMF(2, random_state=0, tol=0, max_iter=9)
        model.callback = lambda step: step.iteration == 4 and os.kill(os.getpid(), signal.SIGKILL)
        model._keeper = LoopKeeper(Checkpoint(place), every=0)
        model.fit(there)
    """)
    folder = tmp_path / "work"
    done = subprocess.run([sys.executable, "-c", program, folder], env=os.environ, timeout=100)
    assert done.returncode == -signal.SIGKILL
    X = sp.csr_array(np.arange(60.0).reshape(12, 5))
    with DiskPlace(tmp_path / "other") as place:
        true = NMF(2, random_state=0, tol=0, max_iter=9).fit(Blocks.split(X, place, 5))
    with DiskPlace(folder) as place:
        model = NMF(2, random_state=0, tol=0, max_iter=9)
        model._keeper = LoopKeeper(Checkpoint(place))
        model.fit(Checkpoint(place).load("X"))
    assert (model.components_ == true.components_).all()


def test_a_state_is_whole_or_the_last_one(tmp_path, monkeypatch):
    place = DiskPlace(tmp_path / "work")
    kept = Checkpoint(place)
    kept.save("state", [place.put(np.arange(3)), 1])

    def killed(*_):
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr("quire.places.checkpoint.flush_folder", killed)  # the state is written, nothing points to it
        with pytest.raises(KilledError):
            kept.save("state", [place.put(np.arange(4)), 2])
    place.leave()
    with DiskPlace(tmp_path / "work") as again:
        rows, number = Checkpoint(again).load("state")
        assert (again.fetch(rows) == np.arange(3)).all()
        assert number == 1
        assert Checkpoint(again).load("other") is None


def test_blocks_go_with_their_handles(tmp_path):
    with DiskPlace(tmp_path / "work") as place:
        handle = place.put(np.arange(5))
        path = handle.path
        assert (read_thing(path) == np.arange(5)).all()
        del handle
        assert not path.exists()


def test_a_disk_without_room_is_refused_first(tmp_path):
    with pytest.raises(OSError, match=r"has .* GB left and about 1000000\.0 GB are needed"):
        DiskPlace(tmp_path / "work", need=10**15)


def test_nothing_of_others_is_touched(tmp_path):
    for name in ("mine", "linked"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    (tmp_path / "file").write_text("mine")
    for name in ("mine", "link", "file"):
        with pytest.raises(ValueError, match="is there already and holds other things"):
            DiskPlace(tmp_path / name)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "mine"
    with DiskPlace(tmp_path / "work") as place:
        (place.folder / "later.txt").write_text("mine")
    assert [file.name for file in (tmp_path / "work").iterdir()] == ["later.txt"]


@pytest.mark.skipif(os.name != "posix", reason="other systems know no such owners")
@pytest.mark.parametrize("way", ["folder", "state", "link", "owner"])
def test_what_others_could_have_put_there_is_not_read(way, tmp_path, monkeypatch):
    folder = tmp_path / "work"
    place = DiskPlace(folder)
    Checkpoint(place).save("state", [1])
    place.leave()
    assert folder.stat().st_mode & 0o777 == 0o700
    (state,) = folder.glob("checkpoints/*/state")
    if way == "folder":
        folder.chmod(0o777)
    elif way == "state":
        folder.chmod(0o755)
        state.chmod(0o666)
    elif way == "link":
        (state.parent / "0.block").symlink_to(state)
    else:
        monkeypatch.setattr("os.geteuid", lambda: folder.stat().st_uid + 1)
    sentence = "belongs to another user" if way == "owner" else "could have been changed by others"
    with pytest.raises(ValueError, match=f"{sentence}: remove .*, or name another --out"):
        DiskPlace(folder)


def test_a_generous_umask_opens_nothing(tmp_path):
    before = os.umask(0)
    try:
        place = DiskPlace(tmp_path / "work")
        Checkpoint(place).save("state", [1])
        place.leave()
        with DiskPlace(tmp_path / "work") as again:
            assert Checkpoint(again).load("state") == [1]
    finally:
        os.umask(before)


def test_one_process_at_a_time(tmp_path):
    with DiskPlace(tmp_path / "work"), pytest.raises(ValueError, match="in use by another process"):
        DiskPlace(tmp_path / "work")
    DiskPlace(tmp_path / "work").close()


def test_a_disk_without_links_will_do(tmp_path, monkeypatch):
    def refused(*names):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    place = DiskPlace(tmp_path / "work")
    Checkpoint(place).save("state", place.put(np.arange(3)))
    assert (place.fetch(Checkpoint(place).load("state")) == np.arange(3)).all()


@pytest.mark.parametrize("damage", [b"", b"nothing of the kind", None])
def test_a_damaged_state_is_told_in_a_sentence(damage, tmp_path):
    place = DiskPlace(tmp_path / "work")
    Checkpoint(place).save("state", [place.put(np.arange(3))])
    (beside,) = (file for file in (place.folder / "checkpoints").iterdir() if file.is_dir())
    if damage is None:
        (beside / "0.block").unlink()
    else:
        (beside / "state").write_bytes(damage)
    with pytest.raises(ValueError, match="is damaged, or of another version of Quire"):
        Checkpoint(place).load("state")


def test_a_wrong_bit_in_any_file_of_a_state_is_noticed(tmp_path):
    with DiskPlace(tmp_path / "work") as place:
        checkpoint = Checkpoint(place)
        checkpoint.save("x", Blocks.split(sp.csr_array(np.eye(6)), place, 3))
        paths = [path for path in (tmp_path / "work" / "checkpoints").rglob("*") if path.is_file()]
        assert len(paths) == 4  # two blocks, the state, and what points to it
        for path in paths:
            whole = path.read_bytes()
            for at in np.linspace(0, len(whole) - 1, 7).astype(int).tolist():
                path.unlink()  # which may be a link to a block that is in use
                path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
                with pytest.raises(ValueError, match=r"is damaged.*begin anew"):
                    checkpoint.load("x")
            path.write_bytes(whole)
        assert checkpoint.load("x").whole().nnz == 6
        (tmp_path / "work" / "checkpoints" / "x").write_text("x-" + "1" * 5000)  # longer than a name can be
        with pytest.raises(ValueError, match=r"is damaged.*begin anew"):
            checkpoint.load("x")


def test_a_block_whose_indices_were_changed_is_not_taken_up(tmp_path):
    X = sp.csr_array(np.eye(6))
    with DiskPlace(tmp_path / "work") as place:
        checkpoint = Checkpoint(place)
        checkpoint.save("x", Blocks.split(X, place, 3))
        assert checkpoint.load("x").whole().nnz == 6
        (block,) = list((tmp_path / "work").rglob("0.block"))
        damaged = sp.csr_array(X[:3])
        damaged.indices[1] = 2**31 - 1
        block.unlink()
        write_thing(block, damaged)
        with pytest.raises(ValueError, match=r"is damaged.*begin anew"):
            checkpoint.load("x")


def test_a_disk_that_takes_no_checkpoint_is_told_in_a_sentence(tmp_path, monkeypatch):
    place = DiskPlace(tmp_path / "work")
    kept = Checkpoint(place)
    kept.save("state", "old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"^\S+ cannot be written \(no space left on device\): .*\.$"):
        kept.save("state", "new")
    monkeypatch.undo()
    assert kept.load("state") == "old"
    place.close()


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_a_work_folder_that_cannot_be_is_told_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"cannot be written \(.*\): .*\.$"):
        DiskPlace(tmp_path / "file" / "work")


def test_a_work_folder_that_cannot_be_cleared_is_let_go_with_a_sentence(tmp_path, monkeypatch):
    def too_many(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    place = DiskPlace(tmp_path / "work")
    monkeypatch.setattr(Path, "glob", too_many)
    with pytest.raises(OSError, match=r"^Too many files are open: .*\.$"):
        place.close()
    monkeypatch.undo()
    DiskPlace(tmp_path / "work").close()  # the next one clears it
    assert not (tmp_path / "work").exists()
