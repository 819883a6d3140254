"""What workers keep, written down: in a folder that all can reach, or here, so that no chain of tasks grows long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from quire.places.dask.tasks import DaskHandle, Filed, write_down

MOST = 1 << 30  # bytes that may come here


def filed_away(client: Any, handles: Sequence[DaskHandle], folder: Path, gather: Callable[[Any], Any]) -> None:
    """Let workers write what they keep to a folder that all can reach; it is read again when it is needed."""
    from quire.places.dask.graph import call_there  # needs Dask

    files = {handle.key: Filed(folder) for handle in handles}
    futures = {handle.key: handle.future for handle in handles}
    gather([call_there(client, partial(write_down, files[key].path), future) for key, future in futures.items()])
    for handle in handles:
        handle.filed, handle.roots = files[handle.key], (files[handle.key],)
        handle.key, handle.future, handle.depth = None, None, 0


def brought_here(client: Any, handles: Sequence[DaskHandle], most: int = MOST, *, gather: Callable[[Any], Any]) -> None:
    """Bring what workers keep here, if it is not too much; it is sent again when it is needed."""
    futures = {handle.key: handle.future for handle in handles}
    if sum(client.nbytes(list(futures)).values()) > most:
        return
    groups = dict(zip(futures, gather(list(futures.values()))))
    for handle in handles:
        handle.thing = groups[handle.key][handle.at]
        handle.key, handle.future, handle.depth = None, None, 0
