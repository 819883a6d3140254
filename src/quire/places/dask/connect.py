"""From what a user names to a Dask client: workers on this machine, a scheduler's address, or a client."""

from __future__ import annotations

import logging
import pickle
import signal
import threading
import warnings
from contextlib import suppress
from typing import Any
from uuid import uuid4

from quire import __version__
from quire.places.machine import allowed_threads

_CONNECT, _SOON, _PATIENCE = 10.0, 3.0, 120.0  # seconds
_OURS = {  # of clusters that are started here, and of no other
    "distributed.scheduler.allowed-failures": 20,  # workers that may be lost while they run the same task
    "distributed.scheduler.work-stealing": False,  # blocks have been shared out already
    "distributed.worker.profile.enabled": False,
    # Not OMP_NUM_THREADS, which would hold this process too to one thread. And memory that was freed is kept:
    # asking for it again for each block takes half as long as the work itself.
    "distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": 1 << 30, "MALLOC_MMAP_THRESHOLD_": 1 << 30},
}
# A worker that is lost twice within this would not be started again; it is looked up when one is lost.
_LATER = {"distributed.deploy.lost-worker-timeout": "1 day"}
NEEDED = "A Dask cluster needs the package distributed: pip install 'quire-topics[dask]'."


def connect(where: Any) -> tuple[Any, Any, int | None]:
    """Return a client, the cluster that was started for it (or None), and the threads of a task there."""
    try:
        import dask
        import distributed
    except ImportError:
        raise ValueError(NEEDED) from None
    if isinstance(where, distributed.Client):
        _free_stuck_tasks(where)
        return where, None, None
    kind, _, rest = str(where).partition(":")
    if kind == "local" and rest.isdigit() and int(rest) > 0:
        threads = max(1, allowed_threads() // int(rest))
        try:
            with dask.config.set(_OURS):
                cluster = distributed.LocalCluster(
                    n_workers=int(rest), threads_per_worker=1, processes=True, dashboard_address=":0",
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
        except RuntimeError:  # every worker imports the script that it was started from
            raise ValueError(
                "Worker processes could not be started: a script with dask='local:4' must be a file, and "
                "do its work below `if __name__ == '__main__':`."
            ) from None
        dask.config.set(_LATER)
        client = distributed.Client(cluster)
        _free_stuck_tasks(client)
        _make_deaf(client)
        return client, cluster, threads
    if kind not in ("tcp", "tls", "ucx", "ws", "wss") or not rest.startswith("//"):
        raise ValueError(f"dask={where!r} is not known: write local:4 for four workers here, or tcp://host:8786.")
    try:
        client = distributed.Client(where, timeout=_CONNECT)
    except (OSError, TimeoutError, ValueError):
        raise ValueError(
            f"No Dask scheduler answers at {where}: start one with `dask scheduler`, or name its address."
        ) from None
    _free_stuck_tasks(client)
    return client, None, None


def _free_stuck_tasks(client: Any) -> None:
    """Let tasks of Quire's run on new workers when those that they were meant for are gone, all at once.

    The scheduler may be others' too: nothing else of it is changed.
    """
    from distributed import SchedulerPlugin

    class Freeing(SchedulerPlugin):  # type: ignore[misc]  # in here, so that it is sent whole
        idempotent = True

        def add_worker(self, scheduler: Any, worker: str) -> None:
            # Dask gives such tasks to others, but not where there was no other when they could have been run.
            stuck = [task.key for task in scheduler.unrunnable if task.loose_restrictions]
            names = {key: key[0] if isinstance(key, tuple) else key for key in stuck}
            ours = [key for key, name in names.items() if str(name).startswith("quire-")]
            scheduler.set_restrictions(dict.fromkeys(ours, ()))

    with suppress(ValueError):  # it may take no functions: then it is left as it is
        client.register_plugin(Freeing(), name="quire-free-stuck-tasks")


def _make_deaf(client: Any) -> None:
    """Let Ctrl-C, which a terminal sends to all, end this process alone; it ends its workers."""
    from distributed import WorkerPlugin

    class Deaf(WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    client.register_plugin(Deaf(), name="quire-deaf")


def greet(client: Any, address: str) -> None:
    """Wait for a first worker, and see that it has this version of Quire."""
    from dask.task_spec import Task

    key = f"quire-greet-{uuid4().hex}"
    asked = pickle.dumps(_Version())
    (future,) = client.get({key: Task(key, pickle.loads, asked)}, [key], sync=False)
    try:
        version = _first(future, address)
    except ModuleNotFoundError:
        version = None
    if version != __version__:
        has = "have no Quire" if version is None else f"have Quire {version}"
        raise ValueError(
            f"The workers at {address} {has}: install quire-topics {__version__} in their environment, as here."
        )


def _first(future: Any, address: str) -> Any:
    ended = ended_event(future)
    if not ended.wait(_SOON):
        warnings.warn(f"Waiting for a worker at {address}.", stacklevel=4)
        if not ended.wait(_PATIENCE):
            raise ValueError(
                f"No worker came to {address} in {_PATIENCE:.0f} seconds: start one with `dask worker {address}`."
            )
    return future.result()


def ended_event(future: Any) -> threading.Event:
    """Return what tells that a future has ended: Dask can lose a result that is waited for so long only."""
    ended = threading.Event()
    future.add_done_callback(lambda _: ended.set())
    return ended


class _Version:
    """Where it is unpickled, it is the version that is installed there."""

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return _version_here, ()


def _version_here() -> str:
    return __version__
