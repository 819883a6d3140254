"""What the workers of a Dask cluster run for a place: a group of neighbouring blocks at a time.

The scheduler never looks inside: functions and data travel as bytes, so it needs no Quire.
"""

from __future__ import annotations

import copy
import math
import os
import pickle
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl

from quire.places.atomic import whole_file
from quire.places.codec import read_thing, write_thing
from quire.places.place import Merge, Task, Tree, add_into, add_up
from quire.places.portable import remove_file

Plan = tuple[tuple[tuple[int, int] | None, ...], ...]
"""For each list and each block of a group: which of the values sent, and where in it; None for nothing."""


class Group:
    """What is kept of some neighbouring blocks; it knows its size, by which the scheduler decides."""

    def __init__(self, parts: Sequence[Any] = ()) -> None:
        self.parts = list(parts)

    def __getitem__(self, at: Any) -> Any:
        return Group(self.parts[at]) if isinstance(at, slice) else self.parts[at]

    def __sizeof__(self) -> int:
        return size_of(self.parts)


@dataclass(frozen=True)
class Sweep:
    """A task with all it needs beside its blocks: one object a sweep, sent to each worker once."""

    task: Task
    args: tuple[Any, ...] = ()
    merge: Merge | None = None
    threads: int | None = None
    file: Path | None = None
    """Where it was read, and where others can read it."""

    def __sizeof__(self) -> int:
        return size_of(self.args) + size_of(self.task)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.file is not None:
            return _read, (self.file,)
        return Sweep, (self.task, self.args, self.merge, self.threads)

    def __call__(self, plan: Plan, *values: Group) -> tuple[Group, tuple[Any, tuple[bool, ...]]]:
        """Run the task for the blocks of a group; return what is kept, and (summary, which kept something)."""
        if self.threads is not None:
            os.environ["OMP_NUM_THREADS"] = str(self.threads)  # Dask sets it to 1
        kept: list[Any] = []
        tree = Tree(self.merge or add_into)
        for wanted in zip(*plan, strict=True):
            parts = [None if at is None else values[at[0]][at[1]] for at in wanted]
            one, summary = self.task(*parts, *self.args)
            kept.append(one)
            tree.add(summary)
        return Group(kept), (tree.whole(), tuple(one is not None for one in kept))


@dataclass(frozen=True)
class Join:
    """Merges what was told of two neighbouring groups; neither is changed, for it may be asked for again."""

    merge: Merge | None = None

    def __call__(
        self, first: tuple[Any, tuple[bool, ...]], second: tuple[Any, tuple[bool, ...]]
    ) -> tuple[Any, tuple[bool, ...]]:
        """Return the merged pair."""
        if self.merge is None:  # which changes nothing
            return add_up(first[0], second[0]), first[1] + second[1]
        tree = Tree(self.merge)
        tree.add(copy.deepcopy(first[0]))
        tree.add(second[0])
        return tree.whole(), first[1] + second[1]


def size_of(thing: Any, depth: int = 6) -> int:
    """Return about how many bytes something takes: arrays, sparse ones too, frames, and what holds them."""
    if isinstance(thing, str | bytes):
        return 64 + len(thing)
    if isinstance(thing, np.ndarray):
        return 64 + int(thing.nbytes)
    if isinstance(thing, pl.DataFrame | pl.Series):
        return 64 + int(thing.estimated_size())
    held = thing if isinstance(thing, tuple | list | dict) else getattr(thing, "__dict__", None)
    if not depth or held is None or callable(thing):
        return 64
    parts = list(held.values()) if hasattr(held, "values") else held
    shown = parts[:: max(1, len(parts) // 1000)]  # of very many, some stand for all
    return 64 + sum(size_of(part, depth - 1) for part in shown) * len(parts) // max(1, len(shown))


class Filed:
    """Stands for something in a file that all workers can reach; unpickling this reads it.

    The file goes when nobody holds this any more.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / uuid4().hex
        weakref.finalize(self, remove_file, self.path)

    def read(self) -> Any:
        """Return what the file has; arrays are mapped."""
        return _read(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return _read, (self.path,)


def _read(path: Path) -> Any:
    head, buffers = read_thing(path)
    thing = pickle.loads(head, buffers=buffers)
    return replace(thing, file=path) if isinstance(thing, Sweep) else thing


def write_down(path: Path, thing: Any) -> None:
    """Write anything that Dask can send; the file is there whole or not at all."""
    from distributed.protocol.pickle import dumps

    buffers: list[pickle.PickleBuffer] = []
    head = dumps(thing, buffer_callback=buffers.append, protocol=5)
    with whole_file(path, durable=False) as part:
        write_thing(part, (head, [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]))


@dataclass(eq=False)
class DaskHandle:
    """A block's part of a group: here still (``thing``), in a file (``filed``), or on a worker (``key``)."""

    thing: Any = None
    filed: Filed | None = None
    key: Any = None
    future: Any = None
    """Keeps what has the key from being forgotten."""
    home: str | None = None
    """The worker that it was made for; Dask may have taken another."""
    at: int = 0
    """Where it is among the blocks of its group."""
    size: int = 1
    """How many these are; the last group of all may have fewer."""
    depth: int = 0
    """Sweeps that must be run again where it is lost."""
    roots: tuple[Any, ...] = ()
    """Files of which it would be made again; they stay as long as this does."""


_UNEVEN = 1.2  # the most blocks of a worker, by the mean


def group_size(n_blocks: int, slots: int) -> int:
    """Return how many blocks a task takes: few tasks, but all workers have about as much to do.

    Always a power of two (see :class:`quire.places.dask.tasks.Tree`).
    """
    size = 1
    while size < n_blocks:
        size *= 2
    while size > 1:
        n_groups = math.ceil(n_blocks / size)
        if math.ceil(n_groups / slots) * size <= _UNEVEN * n_blocks / slots:
            break
        size //= 2
    return size


def shared_out(homes: Sequence[str | None], slots: Mapping[str, int]) -> list[str]:
    """Say which worker takes which group: the one that has it, unless it has too many; neighbours close."""
    total = sum(slots.values())
    room = {worker: math.ceil(len(homes) * n / total) for worker, n in slots.items()}
    workers: list[str | None] = []
    for home in homes:
        stays = home is not None and room.get(home, 0) > 0
        if stays and home is not None:
            room[home] -= 1
        workers.append(home if stays else None)
    free = [worker for worker, n in room.items() for _ in range(n)]
    left = iter(free)
    return [next(left) if home is None else home for home in workers]
