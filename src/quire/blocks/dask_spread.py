"""How blocks are shared out: how many a task takes, and which worker has which."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

_UNEVEN = 1.2  # the most blocks of a worker, by the mean


def group_size(n_blocks: int, slots: int) -> int:
    """Return how many blocks a task takes: few tasks, but all workers have about as much to do.

    Always a power of two (see :class:`quire.blocks.dask_tasks.Tree`).

    Parameters
    ----------
    n_blocks, slots : int
        Blocks, and tasks that the cluster can run at once.

    Examples
    --------
    >>> from quire.blocks.dask_spread import group_size
    >>> group_size(31, 2), group_size(10, 2), group_size(30_518, 100), group_size(1, 5)
    (16, 2, 64, 1)
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
    """Say which worker takes which group: the one that has it, unless it has too many; neighbours together.

    Parameters
    ----------
    homes : sequence of str or None
        The worker that has a group; it may be gone.
    slots : mapping
        Workers, and the tasks that each can run at once.

    Examples
    --------
    >>> from quire.blocks.dask_spread import shared_out
    >>> shared_out([None] * 4, {"a": 1, "b": 1})
    ['a', 'a', 'b', 'b']
    >>> shared_out(["a", "a", "gone", "a"], {"a": 1, "b": 1})
    ['a', 'a', 'b', 'b']
    """
    total = sum(slots.values())
    room = {worker: math.ceil(len(homes) * n / total) for worker, n in slots.items()}
    found: list[str | None] = []
    for home in homes:
        stays = home is not None and room.get(home, 0) > 0
        if stays and home is not None:
            room[home] -= 1
        found.append(home if stays else None)
    free = [worker for worker, n in room.items() for _ in range(n)]
    left = iter(free)
    return [next(left) if home is None else home for home in found]
