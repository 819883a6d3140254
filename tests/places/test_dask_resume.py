"""What a run on workers leaves: a fit goes on from it at another place, to the same bits."""

import numpy as np
import pytest

from quire.methods.nmf import NMF
from quire.places.checkpoint import Checkpoint, LoopKeeper, checkpoint_of
from quire.places.dask.cluster import DaskPlace
from quire.places.dask.unfinished import Stored
from quire.places.disk import DiskPlace
from quire.places.parts import Blocks

pytest.importorskip("distributed")
ITERATIONS = 30  # more than a chain of sweeps may be long: some of what is kept has been written down


def _fitted(X, keeper=None, stop_at=None):
    """Return W and the iterations that were made."""
    seen = []

    def callback(step):
        seen.append(step.iteration)
        return step.iteration == stop_at

    model = NMF(6, init="random", random_state=0, tol=0, max_iter=ITERATIONS, coarse=False, callback=callback)
    model._keeper = keeper
    return np.asarray(model.fit_transform(X)), seen


def test_a_fit_goes_on_on_other_workers_or_on_disk(X, tmp_path):
    folder = tmp_path / ".run.unfinished"
    place = DaskPlace("local:2", unfinished=folder)
    blocks = Blocks.split(X, place, 100)
    Checkpoint(place).save("X", blocks)
    whole, _ = _fitted(blocks)
    _fitted(blocks, LoopKeeper(Checkpoint(place), every=0), stop_at=27)
    place.leave()
    for make in (lambda: DaskPlace("local:1", unfinished=folder), lambda: DiskPlace(folder)):
        with make() as other:
            W, seen = _fitted(Checkpoint(other).load("X"), LoopKeeper(Checkpoint(other)))
            assert seen == [27, 28, 29, 30]
            np.testing.assert_array_equal(W, whole)
            if isinstance(other, DaskPlace):
                other.leave()
    assert not folder.exists()


def test_a_block_is_read_by_the_worker_that_needs_it(place, tmp_path):
    kept, path = DiskPlace(tmp_path / "a"), tmp_path / "block"
    kept.write_down([(kept.put(np.arange(5)), path)])
    stored = Stored(path, tmp_path)
    path.unlink()  # as a newer checkpoint does with the last one
    handle = place.put(stored)
    handle.roots = (stored,)
    assert (place.fetch(handle) == np.arange(5)).all()
    more, total = place.sweep(_grown, [handle], args=(2,))
    assert total == 10
    assert (place.fetch(more[0]) == np.arange(2, 7)).all()
    own = stored.path
    del stored, handle
    assert own.exists()  # what was made of it would be made again from there
    del more
    assert not own.exists()
    kept.close()


def _grown(array, by):
    return array + by, int(array.sum())


def test_workers_that_do_not_see_the_folder_leave_nothing(place, tmp_path, monkeypatch):
    monkeypatch.setattr(place._client, "run", lambda *given: {"here": True, "there": False})
    other = DaskPlace(place._client, unfinished=tmp_path / "run")
    assert other.folder is None
    assert checkpoint_of(other) is None
    assert not (tmp_path / "run").exists()
