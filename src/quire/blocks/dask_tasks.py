"""What the workers of a Dask cluster run for a place: a group of neighbouring blocks at a time.

The scheduler never looks inside: functions and data travel as bytes, so it needs no Quire.
"""

from __future__ import annotations

import copy
import os
import pickle
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl

from quire.blocks.disk import read_thing, write_thing
from quire.blocks.place import Merge, Task, add_up

Plan = tuple[tuple[tuple[int, int] | None, ...], ...]
"""For each list and each block of a group: which of the values sent, and where in it; None for nothing."""


class Group:
    """What is kept of some neighbouring blocks; it knows its size, by which the scheduler decides.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.blocks.dask_tasks import Group
    >>> group = Group([np.zeros(1000), "b"])
    >>> group[1], len(group[:1].parts), group.__sizeof__() >= 8000
    ('b', 1, True)
    """

    def __init__(self, parts: Sequence[Any] = ()) -> None:
        self.parts = list(parts)

    def __getitem__(self, at: Any) -> Any:
        return Group(self.parts[at]) if isinstance(at, slice) else self.parts[at]

    def __sizeof__(self) -> int:
        return size_of(self.parts)


@dataclass(frozen=True)
class Sweep:
    """A task with all it needs beside its blocks: one object a sweep, sent to each worker once.

    Examples
    --------
    >>> from quire.blocks.dask_tasks import Group, Sweep
    >>> double = Sweep(lambda number, by: (by * number, number), (2,))
    >>> kept, told = double((((0, 0), (0, 1)),), Group([3, 4]))
    >>> kept.parts, told
    ([6, 8], (7, (True, True)))
    """

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
        """Run the task for the blocks of a group; return what is kept, and (told, which kept something)."""
        if self.threads is not None:
            os.environ["OMP_NUM_THREADS"] = str(self.threads)  # Dask sets it to 1
        kept: list[Any] = []
        tree = Tree(self.merge or add_into)
        for wanted in zip(*plan, strict=True):
            parts = [None if at is None else values[at[0]][at[1]] for at in wanted]
            one, said = self.task(*parts, *self.args)
            kept.append(one)
            tree.add(said)
        return Group(kept), (tree.whole(), tuple(one is not None for one in kept))


@dataclass(frozen=True)
class Join:
    """Merges what was told of two neighbouring groups; neither is changed, for it may be asked for again.

    Examples
    --------
    >>> from quire.blocks.dask_tasks import Join
    >>> Join()((3, (True,)), (4, (False,)))
    (7, (True, False))
    """

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


class Tree:
    """Merges what is told in the order of the blocks, neighbours first, then neighbours of these, and so on.

    Groups of 2, 4, 8 … blocks are branches of the same tree, so grouping does not change a bit of the result.

    Examples
    --------
    >>> from quire.blocks.dask_tasks import Tree
    >>> tree = Tree(lambda first, second: f"({first}{second})")
    >>> for told in ["a", "b", None, "c", "d"]:
    ...     tree.add(told)
    >>> tree.whole()
    '(((ab)c)d)'
    """

    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._branches: list[tuple[int, Any]] = []  # leaves, what they told: never two with as many

    def add(self, told: Any, leaves: int = 1) -> None:
        """Take what the next block told; None is nothing."""
        self._branches.append((leaves, told))
        while len(self._branches) > 1 and self._branches[-1][0] == self._branches[-2][0]:
            self._join_last()

    def whole(self) -> Any:
        """Return all that was told, merged."""
        while len(self._branches) > 1:
            self._join_last()
        return self._branches[0][1] if self._branches else None

    def _join_last(self) -> None:
        (n, first), (m, second) = self._branches[-2:]
        told = second if first is None else first if second is None else self._merge(first, second)
        self._branches[-2:] = [(n + m, told)]


def add_into(first: Any, second: Any) -> Any:
    """Add two things, tuples item by item, to the first where that is an array; None is nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.blocks.dask_tasks import add_into
    >>> sums = np.zeros(2)
    >>> add_into((sums, 1.5), (np.ones(2), 2.0))[0] is sums
    True
    """
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, tuple):
        return tuple(add_into(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, np.ndarray) and first.shape == second.shape and first.dtype == second.dtype:
        return np.add(first, second, out=first) if first.flags.writeable else first + second
    return first + second


def size_of(thing: Any, depth: int = 6) -> int:
    """Return about how many bytes something takes: arrays, sparse ones too, frames, and what holds them.

    Parameters
    ----------
    thing : object
        Anything.
    depth : int
        How far to look into what holds others.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.blocks.dask_tasks import size_of
    >>> size_of((np.zeros(10), sp.csr_array(np.eye(2)))) >= 80
    True
    """
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

    Examples
    --------
    >>> import pickle, pathlib, tempfile, numpy as np
    >>> from quire.blocks.dask_tasks import Filed, write_down
    >>> filed = Filed(pathlib.Path(tempfile.mkdtemp()))
    >>> write_down(filed.path, {"a": np.arange(2)})
    >>> pickle.loads(pickle.dumps(filed))
    {'a': array([0, 1])}
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / uuid4().hex
        weakref.finalize(self, self.path.unlink, missing_ok=True)

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
    """Write anything that Dask can send; the file is there whole or not at all.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from quire.blocks.dask_tasks import write_down
    >>> write_down(pathlib.Path(tempfile.mkdtemp()) / "three", 3)
    """
    from distributed.protocol.pickle import dumps

    buffers: list[pickle.PickleBuffer] = []
    head = dumps(thing, buffer_callback=buffers.append, protocol=5)
    part = path.with_suffix(f".{os.getpid()}")
    write_thing(part, (head, [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]))
    part.replace(path)


@dataclass(eq=False)
class DaskHandle:
    """A block's part of a group: here still (``thing``), in a file (``filed``), or on a worker (``key``).

    Examples
    --------
    >>> from quire.blocks.dask_tasks import DaskHandle
    >>> DaskHandle(thing=3).key is None
    True
    """

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
    roots: tuple[Filed, ...] = ()
    """Files of which it would be made again; they stay as long as this does."""
