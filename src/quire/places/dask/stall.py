"""Waiting for workers that may never go on: paused for want of memory, lost again and again, or gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

LOOK = 5.0  # seconds between two looks at the workers
PAUSED, GONE = 30.0, 120.0  # seconds for which all workers may be paused, or none be there
_REMEDY = "give each worker more memory (dask worker --memory-limit), or use --memory in place of --dask"
_REMEDY_HERE = "use fewer of them (--dask local:1), or --memory in place of --dask"


class Workers(NamedTuple):
    """How the workers of a cluster are: how many, how many paused, tasks that run, the least memory of one."""

    n: int
    paused: int
    executing: int
    memory: int

    @property
    def patience(self) -> float:
        """How many seconds they may be as they are."""
        if not self.n:
            return GONE
        return PAUSED if self.paused == self.n and not self.executing else float("inf")


class Watch:
    """One wait for workers: :meth:`look` is called while it lasts, and ends it where it would last for ever.

    A paused worker begins no task until its memory is freed, which only tasks would do; Dask itself waits.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._looked = time.monotonic()
        self._since: dict[float, float] = {}  # when each kind of standstill was first seen

    def look(self) -> None:
        """Ask how the workers are, every few seconds; raise a sentence where none has worked for long."""
        now = time.monotonic()
        if now < self._looked + LOOK:
            return
        self._looked = now
        workers = workers_of(self._client)
        if workers is None or workers.patience == float("inf"):
            self._since = {}
            return
        since = self._since.get(workers.patience, now)
        self._since = {workers.patience: since}
        if now > since + workers.patience:
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what Dask says of a wait given up is no news
            raise ValueError(_standstill(workers, self._address))


def workers_of(client: Any) -> Workers | None:
    """Ask the scheduler how its workers are; None where it does not say."""

    def asked(dask_scheduler: Any) -> tuple[int, int, int, int]:  # in here, so that it is sent whole
        workers = list(dask_scheduler.workers.values())
        paused = sum(worker.status.name == "paused" for worker in workers)
        executing = sum(len(worker.executing) for worker in workers)
        return len(workers), paused, executing, min((worker.memory_limit or 0 for worker in workers), default=0)

    try:
        return Workers(*client.run_on_scheduler(asked))
    except (ValueError, AttributeError, OSError):  # it takes no functions; it is lost, which the wait itself tells
        return None


def _standstill(workers: Workers, address: str) -> str:
    if not workers.n:
        return f"No worker is left at {address} since {GONE:.0f} seconds: start one with `dask worker {address}`."
    size = f" of {workers.memory / 1e6:,.0f} MB each" if workers.memory else ""
    return (
        f"All workers at {address} are paused since {PAUSED:.0f} seconds, as their memory{size} is full: "
        f"{remedy(address)}."
    )


@contextmanager
def loss_sentences(client: Any, address: str) -> Iterator[None]:
    """Say in a sentence that workers or the scheduler were lost meanwhile."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise ValueError(lost(error, address)) from None
    except (CancelledError, OSError) as error:
        if not isinstance(error, (CancelledError, CommClosedError)) and client.status == "running":
            raise
        raise OSError(f"The scheduler at {address} was lost: start it and run again.") from None


def lost(error: Any, address: str) -> str:
    """Say that a task was given up, since every worker that ran it was lost."""
    more = "" if _is_here(address) else ", or raise distributed.scheduler.allowed-failures there"
    return (
        f"{error.allowed_failures + 1} workers at {address} were lost while they ran the same task, as they are when "
        f"their memory is full: {remedy(address)}{more}."
    )


def remedy(address: str) -> str:
    """Return what helps workers whose memory is full."""
    return _REMEDY_HERE if _is_here(address) else _REMEDY


def _is_here(address: str) -> bool:
    return address.startswith("local:")
