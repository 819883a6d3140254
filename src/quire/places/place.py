"""Where blocks of documents are, and who works on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

Handle = Any
"""Stands for something that is kept at a place; None for nothing. It is kept as long as its handle lives."""
Task = Callable[..., tuple[Any, Any]]
"""``task(*parts, *args)`` → what is to be kept of a block (or None), and what is told of it (or None)."""
Merge = Callable[[Any, Any], Any]
"""Joins what was told of two groups of blocks, the earlier ones first; may change its first argument."""
Update = Callable[[int, int | None], None]


class Place(Protocol):
    """Keeps things, a block's worth each, and runs tasks where they are.

    A task is a function of a module (so that it can be sent), sees what is kept of one block, must not change
    it, and gives the same answer every time: where a worker is lost, its tasks are run again elsewhere.
    """

    device: str
    """The device on which tasks hold X (``"cpu"``, ``"cuda"``, ``"auto"``)."""
    copies: bool
    """Whether what is put is copied, to a file or a worker: then tasks had better read files themselves."""

    def put(self, thing: Any) -> Handle:
        """Keep something that the caller has."""

    def fetch(self, handle: Handle) -> Any:
        """Return what is kept, not to be changed."""

    def sweep(
        self,
        task: Task,
        *lists: Sequence[Handle],
        args: tuple[Any, ...] = (),
        merge: Merge | None = None,
        update: Update | None = None,
    ) -> tuple[list[Handle], Any]:
        """Run a task for every block, ``task(*(fetch(list[b]) for list in lists), *args)``."""

    def close(self) -> None:
        """Forget everything that is kept."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


@runtime_checkable
class Keeping(Protocol):
    """A place of which a later process can go on: what it keeps is written down in a folder."""

    @property
    def folder(self) -> Path | None:
        """That of the run; None where nothing is to outlive this process."""

    def keeps(self, thing: Any) -> bool:
        """Say whether something is a handle of this place."""

    def write_down(self, blocks: Sequence[tuple[Handle, Path]]) -> None:
        """Write what handles stand for to a file each, which :meth:`adopt` takes."""

    def adopt(self, path: Path) -> Handle:
        """Keep what a file holds that was written by another process; the file itself stays."""

    def leave(self) -> None:
        """End without removing what a later process goes on from."""


def add_up(first: Any, second: Any) -> Any:
    """Add two things, tuples item by item; None is nothing."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, tuple):
        return tuple(add_up(a, b) for a, b in zip(first, second, strict=True))
    return first + second


class Tree:
    """Merges what is told in the order of the blocks, neighbours first, then neighbours of these, and so on.

    Groups of 2, 4, 8 … blocks are branches of the same tree, so who works on how many changes no bit.
    """

    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._branches: list[tuple[int, Any]] = []  # leaves, what they told: never two with as many

    def add(self, summary: Any, leaves: int = 1) -> None:
        """Take what the next block told; None is nothing."""
        self._branches.append((leaves, summary))
        while len(self._branches) > 1 and self._branches[-1][0] == self._branches[-2][0]:
            self._join_last()

    def whole(self) -> Any:
        """Return all that was told, merged."""
        while len(self._branches) > 1:
            self._join_last()
        return self._branches[0][1] if self._branches else None

    def _join_last(self) -> None:
        (n, first), (m, second) = self._branches[-2:]
        summary = second if first is None else first if second is None else self._merge(first, second)
        self._branches[-2:] = [(n + m, summary)]


def add_into(first: Any, second: Any) -> Any:
    """Add two things, tuples item by item, to the first where that is an array; None is nothing."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, tuple):
        return tuple(add_into(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, np.ndarray) and first.shape == second.shape and first.dtype == second.dtype:
        return np.add(first, second, out=first) if first.flags.writeable else first + second
    return first + second
