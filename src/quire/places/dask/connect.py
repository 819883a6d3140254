"""From what a user names to a Dask client: workers on this machine, a scheduler's address, or a client."""

from __future__ import annotations

import logging
import pickle
import threading
import time
import warnings
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import uuid4

from quire import __version__
from quire.places.dask.local import Scratch, make_deaf, start_workers
from quire.places.dask.stall import Watch
from quire.places.machine import allowed_threads

_CONNECT, _SOON, _PATIENCE = 10.0, 3.0, 120.0  # seconds
_TALKING = (  # loggers that would tell, too, what a sentence says once: that the scheduler was lost
    "distributed", "distributed.client", "distributed.core", "distributed.comm.tcp", "tornado.application",
)  # fmt: skip
NEEDED = "A Dask cluster needs the package distributed: pip install 'quire-topics[dask]'."


class Connection(NamedTuple):
    """A client and, where a cluster was started for it, that, its folder, and the threads of a task there."""

    client: Any
    cluster: Any = None
    scratch: Scratch | None = None
    threads: int | None = None


def connect(where: Any) -> Connection:
    """Return the connection to what a user names."""
    try:
        import distributed
    except ImportError:
        raise ValueError(NEEDED) from None
    if isinstance(where, distributed.Client):
        _free_stuck_tasks(where)
        return Connection(where)
    kind, _, rest = str(where).partition(":")
    if kind == "local" and rest.isdigit() and int(rest) > 0:
        threads = max(1, allowed_threads() // int(rest))
        scratch = Scratch()
        try:
            cluster = start_workers(int(rest), scratch.workers)
        except BaseException:
            scratch.remove()
            raise
        client = distributed.Client(cluster)
        _free_stuck_tasks(client)
        make_deaf(client)
        return Connection(client, cluster, scratch, threads)
    if kind not in ("tcp", "tls", "ucx", "ws", "wss") or not rest.startswith("//"):
        raise ValueError(f"dask={where!r} is not known: write local:4 for four workers here, or tcp://host:8786.")
    try:
        client = distributed.Client(where, timeout=_CONNECT)
    except (OSError, TimeoutError, ValueError):
        raise ValueError(
            f"No Dask scheduler answers at {where}: start one with `dask scheduler`, or name its address."
        ) from None
    for name in _TALKING:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    _free_stuck_tasks(client)
    return Connection(client)


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
    ended, watch = ended_event(future), Watch(future.client, address)
    if not ended.wait(_SOON):
        warnings.warn(f"Waiting for a worker at {address}.", stacklevel=4)
        until = time.monotonic() + _PATIENCE
        while not ended.wait(min(_SOON, _PATIENCE)):
            watch.look()
            if time.monotonic() >= until:
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
