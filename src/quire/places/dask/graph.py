"""The graph of a sweep: which tasks, on which data, on which workers, and how what they tell is merged."""

from __future__ import annotations

import operator
import pickle
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import dask
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.task_spec import Task, TaskRef
from distributed.protocol import pickle as any_pickle

from quire.places.dask.connect import ended_event
from quire.places.dask.stall import Watch, loss_sentences
from quire.places.dask.tasks import DaskHandle, Filed, Group, Join, Sweep, write_down

Nodes = dict[Any, Any]
_LARGE = 1 << 20  # bytes
LARGE_GRAPH = "distributed.admin.large-graph-warning-threshold"


class Graph:
    """All that a sweep sends to the scheduler."""

    def __init__(
        self, sweep: Sweep, lists: Sequence[Sequence[DaskHandle | None]], size: int, folder: Path | None = None
    ) -> None:
        self.sent = 0
        """Bytes of functions and data."""
        self.placed: dict[Any, list[DaskHandle]] = {}
        """Groups made of what was here or cut out of larger ones, and whose they are."""
        self.homes: list[str | None] = []
        """For each group the worker that has it already."""
        self.kept: list[Any] = []
        self._token, self._size = uuid4().hex, size
        self._common: Nodes = {}
        self._groups: list[Nodes] = []
        self._merges: dict[Any, int] = {}  # and the first of the groups that each is about
        self.roots = {root for one in lists for handle in one if handle for root in handle.roots}
        """Files of which what is kept would be made again."""
        call = self._loads(self._common, "call", self._left(sweep, folder))
        summaries = []
        name = getattr(sweep.task, "__name__", "task").strip("_<>")  # Dask learns how long each of a name takes
        for start in range(0, len(lists[0]), size):
            nodes: Nodes = {}
            self._groups.append(nodes)
            groups = [one[start : start + size] for one in lists]
            given = [handle for group in groups for handle in group if handle is not None]
            self.homes.append(next((handle.home for handle in given if handle.home), None))
            self._settle(nodes, groups)
            both = self._add(nodes, name, operator.call, TaskRef(call), *_given(groups))
            self.kept.append(self._add(nodes, "kept", operator.itemgetter(0), TaskRef(both)))
            summaries.append(self._add(nodes, "summary", operator.itemgetter(1), TaskRef(both)))
        self.summary = self._merged(summaries, sweep)

    def layers(self, homes: Sequence[str]) -> HighLevelGraph:
        """Return it with a layer for each worker, which is to have these groups, and one for what is left."""
        shares: dict[str, Nodes] = {}
        for home, nodes in zip(homes, self._groups, strict=True):
            shares.setdefault(home, {}).update(nodes)
        for key, first in self._merges.items():  # where the first of its groups is: Dask would take an idle worker
            shares[homes[first]][key] = self._common[key]
        # Where no worker is known, none is named.
        rest = shares.pop("", {}) | {key: self._common[key] for key in self._common.keys() - self._merges}
        layers = {
            home: MaterializedLayer(nodes, annotations={"workers": [home], "allow_other_workers": True})
            for home, nodes in shares.items()
        }
        layers[""] = MaterializedLayer(rest)
        return HighLevelGraph(layers, {name: set() for name in layers})

    def _add(self, nodes: Nodes, name: str, function: Any, *args: Any) -> Any:
        key = (f"quire-{name}-{self._token}", len(self._groups), len(nodes))
        nodes[key] = Task(key, function, *args)
        return key

    def _loads(self, nodes: Nodes, name: str, thing: Any) -> Any:
        """Send something as bytes, into which the scheduler need not look."""
        sent = any_pickle.dumps(thing, protocol=5)
        self.sent += len(sent)
        return self._add(nodes, name, pickle.loads, sent)

    def _left(self, sweep: Sweep, folder: Path | None) -> Sweep | Filed:
        """Leave a large sweep in a file."""
        if folder is None or sys.getsizeof(sweep) < _LARGE:
            return sweep
        filed = Filed(folder)
        write_down(filed.path, sweep)
        self.roots.add(filed)
        self.sent += filed.path.stat().st_size
        return filed

    def _settle(self, nodes: Nodes, groups: Sequence[Sequence[DaskHandle | None]]) -> None:
        """Let all that a group of blocks needs have keys, and cut it out of larger groups."""
        for group in groups:
            handles = [handle for handle in group if handle is not None]
            here = [handle for handle in handles if handle.key is None and handle.filed is None]
            if here:
                for at, handle in enumerate(here):
                    handle.at, handle.size = at, self._size
                self._place(self._loads(nodes, "sent", Group([handle.thing for handle in here])), here)
            for filed in {handle.filed for handle in handles if handle.key is None}:
                of = [handle for handle in handles if handle.filed is filed]
                self._place(self._loads(nodes, "read", filed), of)
            if len({handle.key for handle in handles}) == 1 and handles[0].size > self._size:
                first = min(handle.at for handle in handles)
                wanted = slice(first, max(handle.at for handle in handles) + 1)
                for handle in handles:
                    handle.at, handle.size = handle.at - first, self._size
                old = TaskRef(handles[0].key)
                self._place(self._add(nodes, "cut", operator.getitem, old, wanted), handles)

    def _place(self, key: Any, handles: list[DaskHandle]) -> None:
        self.placed[key] = handles
        for handle in handles:
            handle.key = key

    def _merged(self, summaries: list[Any], sweep: Sweep) -> Any:
        """Add the tree of :class:`quire.places.dask.tasks.Tree`; return the key of its root."""
        if len(summaries) > 1:
            join = TaskRef(self._loads(self._common, "join", Join(sweep.merge)))
        level = list(enumerate(summaries))
        while len(level) > 1:
            merged = []
            for (first, one), (_, other) in zip(level[::2], level[1::2]):
                key = self._add(self._common, "merged", operator.call, join, TaskRef(one), TaskRef(other))
                self._merges[key] = first
                merged.append((first, key))
            level = merged + level[2 * len(merged) :]
        return level[0][1]


def _given(groups: Sequence[Sequence[DaskHandle | None]]) -> list[Any]:
    """Return the plan of a group's task, and the values of which it speaks."""
    numbers: dict[Any, int] = {}
    plan = tuple(
        tuple(handle and (numbers.setdefault(handle.key, len(numbers)), handle.at) for handle in group)
        for group in groups
    )
    return [plan, *map(TaskRef, numbers)]


def call_there(client: Any, function: Callable[..., Any], *futures: Any) -> Any:
    """Return the future of a call on a worker."""
    token = uuid4().hex
    name = getattr(function, "__name__", "call").strip("_<>")
    sent, key = f"quire-sent-{token}", f"quire-{name}-{token}"
    refs = [TaskRef(sent), *(TaskRef(future.key) for future in futures)]
    nodes = {
        sent: Task(sent, pickle.loads, any_pickle.dumps(function, protocol=5)),
        key: Task(key, operator.call, *refs),
    }
    with dask.config.set({LARGE_GRAPH: "1TB"}):
        return client.get(nodes, [key], sync=False)[0]


_GLANCE = 0.2  # seconds between two looks at Ctrl-C


class DaskCrew:
    """Calls functions on workers (see :class:`quire.studies.choosing.runs.Crew`)."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address

    @property
    def slots(self) -> int:
        """Runs at once: two for each that a worker takes, so that none waits for the next."""
        return max(1, 2 * int(sum(self._client.nthreads().values())))

    def hold(self, thing: Any) -> Any:
        """Send something to a worker, from which others have it."""
        return call_there(self._client, _Held(thing))

    def call(self, function: Callable[..., Any], *held: Any, stopped: Callable[[], bool]) -> Any:
        """Wait for a call on a worker; what it raises is raised here."""
        with loss_sentences(self._client, self._address):
            future = call_there(self._client, function, *held)
            ended, watch = ended_event(future), Watch(self._client, self._address)
            while not ended.wait(_GLANCE):
                if stopped():
                    raise KeyboardInterrupt
                watch.look()
            return future.result()


class _Held:
    """A call that returns what it was made with."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __call__(self) -> Any:
        return self.thing
