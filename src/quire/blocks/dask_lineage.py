"""What a long chain of sweeps keeps is written down every so often, so that the chain need not be kept.

Dask can make a lost block again because the scheduler remembers every task that led to it, and with each the
H that it was given. Without an end to that, 100 iterations would have to be run again, and remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from quire.blocks.dask_tasks import DaskHandle, Filed, write_down

DEPTH = 24  # sweeps
MOST = 1 << 30  # bytes that may come here


def filed_away(client: Any, handles: Sequence[DaskHandle], folder: Path) -> None:
    """Let workers write what they keep to a folder that all can reach; it is read again when it is needed.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    handles : sequence of DaskHandle
        Of what is kept; they stand for the files then.
    folder : Path
        The folder.

    Examples
    --------
    >>> import distributed, pathlib, tempfile
    >>> from quire.blocks.dask_graph import call_there
    >>> from quire.blocks.dask_lineage import filed_away
    >>> from quire.blocks.dask_tasks import DaskHandle, Group
    >>> with distributed.Client(processes=False, dashboard_address=":0") as client:
    ...     group = call_there(client, lambda: Group(["a", "b"]))
    ...     handle = DaskHandle(key=group.key, future=group, at=1)
    ...     filed_away(client, [handle], pathlib.Path(tempfile.mkdtemp()))
    ...     handle.filed.read()[handle.at]
    'b'
    """
    from quire.blocks.dask_graph import call_there  # needs Dask

    files = {handle.key: Filed(folder) for handle in handles}
    futures = {handle.key: handle.future for handle in handles}
    client.gather(
        [call_there(client, partial(write_down, files[key].path), future) for key, future in futures.items()]
    )
    for handle in handles:
        handle.filed, handle.roots = files[handle.key], (files[handle.key],)
        handle.key, handle.future, handle.depth = None, None, 0


def brought_here(client: Any, handles: Sequence[DaskHandle], most: int = MOST) -> None:
    """Bring what workers keep here, if it is not too much; it is sent again when it is needed.

    Parameters
    ----------
    client, handles
        As for :func:`filed_away`.
    most : int
        Bytes.

    Examples
    --------
    >>> import distributed
    >>> from quire.blocks.dask_graph import call_there
    >>> from quire.blocks.dask_lineage import brought_here
    >>> from quire.blocks.dask_tasks import DaskHandle, Group
    >>> with distributed.Client(processes=False, dashboard_address=":0") as client:
    ...     group = call_there(client, lambda: Group(["a", "b"]))
    ...     group.result().parts
    ...     handle = DaskHandle(key=group.key, future=group, at=1)
    ...     brought_here(client, [handle])
    ...     handle.thing
    ['a', 'b']
    'b'
    """
    futures = {handle.key: handle.future for handle in handles}
    if sum(client.nbytes(list(futures)).values()) > most:
        return
    groups = dict(zip(futures, client.gather(list(futures.values()))))
    for handle in handles:
        handle.thing = groups[handle.key][handle.at]
        handle.key, handle.future, handle.depth = None, None, 0
