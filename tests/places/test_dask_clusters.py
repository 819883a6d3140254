"""Clusters of others, workers that come and go, and what is said where none can be had."""

import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest

from quire.methods.nmf import NMF
from quire.methods.posterior import PPC
from quire.methods.simplex import SimplexNMF
from quire.methods.sparse import SparseNMF
from quire.places.dask.cluster import DaskPlace
from quire.places.disk import DiskPlace
from quire.places.parts import Blocks

distributed = pytest.importorskip("distributed")
METHODS = {
    "hals": lambda **o: NMF(4, coarse=False, **o),
    "mu": lambda **o: NMF(4, solver="mu", **o),
    "anls": lambda **o: NMF(4, solver="anls", **o),
    "sparse": lambda **o: SparseNMF(4, **o),
    "simplex": lambda **o: SimplexNMF(4, **o),
    "ppc": lambda **o: PPC(4, **o),
}


def _fitted(method, X, start, **options):
    model = METHODS[method](init="custom", tol=0, max_iter=12, **options)
    W = model.fit_transform(X, W=start[0].copy(), H=start[1].copy())
    return model, np.asarray(W)


def _process(code, *args):
    """A Dask command in a process of its own, which knows nothing of these tests."""
    script = f"import sys; {code}; sys.argv[0] = 'dask'; main()"
    return subprocess.Popen([sys.executable, "-c", script, *args], cwd="/", stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A scheduler that has no Quire, and two workers that have."""
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    scheduler = "sys.modules['quire'] = None; from distributed.cli.dask_scheduler import main"
    processes = [_process(scheduler, *common, "--port", "0")]
    try:
        worker = "from distributed.cli.dask_worker import main"
        processes += [_process(worker, *common, "--nthreads", "1", "--no-nanny") for _ in range(2)]
        until = time.monotonic() + 30
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        yield re.search(r"tcp://[\d.]+:\d+", file.read_text())[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_an_address_and_workers_without_a_gpu(address, place, X, start):
    with DaskPlace(address, device="auto") as there:
        there._client.wait_for_workers(2, timeout=30)
        found, W = _fitted("hals", Blocks.split(X, there, 42), start)
        ppc, _ = _fitted("ppc", Blocks.split(X, there, 42), start)  # a step that is a closure
        assert there.bytes_sent > 0
    same, W_same = _fitted("hals", Blocks.split(X, place, 42), start)
    assert found.objective_ == same.objective_
    np.testing.assert_array_equal(W, W_same)
    assert ppc.objective_ == pytest.approx(_fitted("ppc", X, start)[0].objective_, rel=1e-5)


def test_without_a_folder_the_chain_ends_here(address):
    with DaskPlace(address) as there:
        handles = [there.put(np.zeros(2)) for _ in range(3)]
        for _ in range(30):
            handles, _ = there.sweep(_plus, handles, args=(1,))
        assert max(handle.depth for handle in handles) < 24
        assert [there.fetch(handle).tolist() for handle in handles] == [[30.0, 30.0]] * 3


_plus = eval("lambda number, by: (number + by, None)")  # of no module that workers could import


def test_workers_come_and_go(X, start, place):
    seen = []
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=1, **options) as cluster, distributed.Client(cluster) as client:
        adaptive = cluster.adapt(minimum=1, maximum=1, interval="50ms", wait_count=1)

        def scale(step):
            wanted = {4: 3, 8: 1}.get(step.iteration)
            if wanted:
                adaptive.minimum = adaptive.maximum = wanted
                until = time.monotonic() + 20
                while len(client.nthreads()) != wanted and time.monotonic() < until:
                    time.sleep(0.05)
                there._known = (-1.0, {})
            seen.append(len(client.nthreads()))

        there = DaskPlace(client)
        found, W = _fitted("hals", Blocks.split(X, there, 42), start, callback=scale)
        adaptive.stop()
    assert seen == [1] * 3 + [3] * 4 + [1] * 5
    same, W_same = _fitted("hals", Blocks.split(X, place, 42), start)
    assert found.objective_ == same.objective_
    np.testing.assert_array_equal(W, W_same)


def test_a_scheduler_of_others_is_left_as_it_is(place):
    """What workers may do to a shared scheduler is not ours to say, nor where others' tasks run."""
    assert place._cluster.scheduler.allowed_failures == 20
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=1, **options) as cluster, distributed.Client(cluster) as client:
        scheduler = cluster.scheduler
        before = scheduler.allowed_failures
        DaskPlace(client)
        assert scheduler.allowed_failures == before
        cluster.scale(0)
        _until(lambda: not scheduler.workers)
        wanted = {"workers": ["tcp://127.0.0.1:9"], "allow_other_workers": True, "pure": False}
        others = client.submit(abs, -1, key="of-others", **wanted)
        ours = client.submit(abs, -2, key="quire-ours", **wanted)
        _until(lambda: len(scheduler.unrunnable) == 2)
        cluster.scale(1)
        assert ours.result(timeout=20) == 2
        assert scheduler.tasks[others.key].worker_restrictions == {"tcp://127.0.0.1:9"}


def _until(reached, seconds=20):
    until = time.monotonic() + seconds
    while not reached() and time.monotonic() < until:
        time.sleep(0.02)
    assert reached()


# -- sentences --------------------------------------------------------------------------------------------


def _sentence(error):
    message = str(error.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize("where", ["local:0", "local:many", "scheduler", "http://host", ""])
def test_a_name_that_is_not_known(where):
    with pytest.raises(ValueError, match=re.escape(f"dask={where!r} is not known")) as error:
        DaskPlace(where)
    _sentence(error)


def test_no_scheduler(monkeypatch):
    monkeypatch.setattr("quire.places.dask.connect._CONNECT", 0.5)
    with pytest.raises(ValueError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9") as error:
        DaskPlace("tcp://127.0.0.1:9")
    _sentence(error)


def test_no_worker(monkeypatch):
    monkeypatch.setattr("quire.places.dask.connect._SOON", 0.1)
    monkeypatch.setattr("quire.places.dask.connect._PATIENCE", 0.3)
    options = {"processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=0, **options) as cluster, distributed.Client(cluster) as client:
        with pytest.raises(ValueError, match="No worker came") as error, pytest.warns(match="Waiting for"):
            DaskPlace(client)
        _sentence(error)
        assert client.status == "running"  # a client that was given is left open


def test_another_quire_on_the_workers(monkeypatch, place):
    monkeypatch.setattr("quire.places.dask.connect.__version__", "0.0")
    with pytest.raises(ValueError, match=r"have Quire .*install quire-topics 0\.0") as error:
        DaskPlace(place._client)
    _sentence(error)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"pip install 'quire-topics\[dask\]") as error:
        DaskPlace("local:2")
    _sentence(error)


def test_threads_of_a_task(place):
    told = place.sweep(_threads, [place.put(None), place.put(None)])[1]
    assert told == [str(max(1, place_threads() // 2))] * 2
    assert "OMP_NUM_THREADS" not in os.environ or os.environ["OMP_NUM_THREADS"] != "1"


def _threads(_):
    return None, [os.environ["OMP_NUM_THREADS"]]


def place_threads():
    from quire.places.machine import allowed_threads

    return allowed_threads()


def test_a_disk_and_a_cluster_are_alike(place, tmp_path, X):
    with DiskPlace(tmp_path / "blocks") as disk:
        here, there = Blocks.split(X, disk, 42), Blocks.split(X, place, 42)
        assert (here.shape, here.nnz, here.dtype) == (there.shape, there.nnz, there.dtype)
        np.testing.assert_array_equal(here.row_sums, there.row_sums)
        rows = np.array([300, 0, 41, 42])
        assert (here[rows] != there[rows]).nnz == 0
