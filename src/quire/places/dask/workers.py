"""Whole runs on the workers of a Dask cluster, one a task: for searches that make many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quire.places.dask.connect import ended_event
from quire.places.dask.graph import call_there

_GLANCE = 0.2  # seconds between two looks at Ctrl-C


class DaskCrew:
    """Calls functions on workers (see :class:`quire.studies.choosing.runs.Crew`)."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @property
    def slots(self) -> int:
        """Runs at once: two for each that a worker takes, so that none waits for the next."""
        return max(1, 2 * int(sum(self._client.nthreads().values())))

    def hold(self, thing: Any) -> Any:
        """Send something to a worker, from which others have it."""
        return call_there(self._client, _Held(thing))

    def call(self, function: Callable[..., Any], *held: Any, stopped: Callable[[], bool]) -> Any:
        """Wait for a call on a worker; what it raises is raised here."""
        future = call_there(self._client, function, *held)
        ended = ended_event(future)
        while not ended.wait(_GLANCE):
            if stopped():
                raise KeyboardInterrupt
        return future.result()


class _Held:
    """A call that returns what it was made with."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __call__(self) -> Any:
        return self.thing
