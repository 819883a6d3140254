"""Workers that stand still for want of memory end a run in a sentence; those that are only slow do not."""

import asyncio
import json
import logging
import subprocess
import sys
import threading
import time

import pytest

from quire.places.dask import stall
from quire.places.dask.cluster import DaskPlace
from quire.places.dask.connect import greet
from quire.places.dask.stall import Watch, Workers, lost

distributed = pytest.importorskip("distributed")
LOCAL = {"processes": False, "dashboard_address": ":0", "memory_limit": 0}


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch):
    for name in ("quire.places.dask.stall.LOOK", "quire.places.dask.cluster.LOOK"):
        monkeypatch.setattr(name, 0.05)
    monkeypatch.setattr(stall, "PAUSED", 0.3)
    monkeypatch.setattr("quire.places.dask.connect._SOON", 0.05)
    monkeypatch.setattr(logging.getLogger("asyncio"), "level", logging.ERROR)


@pytest.fixture
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **LOCAL) as cluster:
        yield cluster


def _pause(cluster, status=distributed.Status.paused):
    for worker in cluster.workers.values():
        cluster.loop.add_callback(setattr, worker, "status", status)
    while stall.workers_of(distributed.Client.current()).paused != 2 * (status == distributed.Status.paused):
        time.sleep(0.01)


def _same(number):
    return number, number


@pytest.mark.parametrize("update", [None, lambda done, total: None], ids=["result", "progress"])
def test_workers_that_stay_paused_end_a_sweep(cluster, update):
    with distributed.Client(cluster) as client:
        place = DaskPlace(client)
        _pause(cluster)
        with pytest.raises(ValueError, match=r"All workers at .* are paused since .*: give each worker more memory"):
            place.sweep(_same, [place.put(1), place.put(2)], update=update)
        _pause(cluster, distributed.Status.running)
        assert place.sweep(_same, [place.put(1), place.put(2)], update=update)[1] == 3


def test_after_the_sentence_nothing_is_said_of_the_wait(cluster, caplog):
    async def fails():
        raise OSError("the wait was given up")

    with distributed.Client(cluster) as client:
        place = DaskPlace(client)
        _pause(cluster)
        with pytest.raises(ValueError, match="are paused since"):
            place.sweep(_same, [place.put(1), place.put(2)])

        async def forgotten():  # as Dask forgets what it waited for
            asyncio.ensure_future(fails())  # noqa: RUF006
            await asyncio.sleep(0.01)

        client.sync(forgotten)
        assert not [record for record in caplog.records if record.name == "asyncio"]


def test_a_first_word_and_a_run_end_too(cluster):
    with distributed.Client(cluster) as client:
        crew = DaskPlace(client).crew()
        _pause(cluster)
        with pytest.raises(ValueError, match="are paused since"):
            crew.call(int, stopped=lambda: False)
        with pytest.raises(ValueError, match="are paused since"), pytest.warns(match="Waiting for"):
            greet(client, "tcp://there")


def test_a_pause_that_ends_does_no_harm(cluster, monkeypatch):
    monkeypatch.setattr(stall, "PAUSED", 60.0)
    with distributed.Client(cluster) as client:
        place = DaskPlace(client)
        _pause(cluster)
        threading.Timer(0.3, _pause, (cluster, distributed.Status.running)).start()
        assert place.sweep(_same, [place.put(1), place.put(2)])[1] == 3


@pytest.mark.parametrize(
    ("workers", "ends"),
    [
        (Workers(2, 2, 0, 10**8), "as their memory of 100 MB each is full"),
        (Workers(2, 2, 1, 10**8), None),  # one finishes what it began
        (Workers(2, 1, 0, 10**8), None),
        (Workers(0, 0, 0, 0), "No worker is left"),
        (None, None),  # a scheduler that takes no functions
    ],
)
def test_what_a_standstill_is(workers, ends, monkeypatch):
    now = 100.0
    monkeypatch.setattr(stall, "workers_of", lambda client: workers)
    monkeypatch.setattr(stall.time, "monotonic", lambda: now)
    watch, sentence = Watch(None, "tcp://there"), None
    for now in (101.0, 101.2, 1000.0):
        try:
            watch.look()
        except ValueError as error:
            sentence = str(error)
            assert now == 1000.0
    assert sentence is ends is None or ends in sentence


def test_workers_lost_again_and_again():
    error = distributed.KilledWorker("a task", None, 3)
    assert "4 workers at tcp://there were lost" in lost(error, "tcp://there")
    assert "allowed-failures" in lost(error, "tcp://there")
    assert "--dask local:1" in lost(error, "local:4")
    assert "allowed-failures" not in lost(error, "local:4")


@pytest.mark.filterwarnings("ignore:Waiting for")
def test_a_scheduler_that_dies_while_it_is_greeted_is_told(tmp_path):
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--host", "127.0.0.1"]
    file = tmp_path / "scheduler.json"
    scheduler = subprocess.Popen([*command, "--port", "0", "--scheduler-file", str(file)], stderr=subprocess.DEVNULL)
    try:
        while not file.exists() or not file.read_text().endswith("}"):
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        threading.Timer(0.5, scheduler.kill).start()  # no worker is there: the first word is waited for
        with pytest.raises(OSError, match=f"scheduler at {address} was lost: "):
            DaskPlace(address)
        quiet = ("distributed.batched", "distributed.client", "distributed.core")  # each tells of it with a traceback
        assert not any(logging.getLogger(name).isEnabledFor(logging.ERROR) for name in quiet)
    finally:
        scheduler.kill()
        scheduler.wait()
