"""A place for blocks on the workers of a Dask cluster: on this machine, or wherever a scheduler is.

What is kept lies on the workers; what is told travels, two neighbours at a time, up a tree that is the same
whatever the number of workers, so the sums are the same bit for bit. Dask runs again what a lost worker had.
"""

from __future__ import annotations

import asyncio
import logging
import operator
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from quire.places.dask.connect import connect, greet
from quire.places.dask.stall import LOOK, Watch, loss_sentences
from quire.places.dask.tasks import DaskHandle, Sweep, group_size, shared_out
from quire.places.dask.unfinished import Stored, unfinished_folder, write_blocks
from quire.places.dask.written import brought_here, filed_away
from quire.places.place import Merge, Task, Update

if TYPE_CHECKING:
    from quire.places.dask.graph import DaskCrew, Graph
    from quire.places.workfolder import WorkFolder

DEPTH = 24  # sweeps after which what is kept is written down
_GROUPS = 8  # at least, on a cluster that may grow


class DaskPlace:
    """Keeps blocks on the workers of a Dask cluster and runs tasks where they are.

    Every few sweeps what they keep is written down, so that a lost block is made again from there and not
    from the beginning, and the scheduler need not remember all that was ever done.

    Parameters
    ----------
    where : str or distributed.Client
        ``"local:4"``: four worker processes here. ``"tcp://host:8786"`` (or ``tls``): the workers of that
        scheduler, which need Quire. Or a client, which is left open.
    device : {"cpu", "cuda", "auto"}
        Where tasks hold X.
    threads : int, optional
        Threads of a task. By default the cores are shared out among workers here, and elsewhere a task has
        what its worker allows (``OMP_NUM_THREADS``, which Dask sets to 1).
    folder : path, optional
        A folder that all workers can reach, for what is written down; workers here have one. Without it that
        comes to this process, unless it is more than a gigabyte.
    unfinished : path, optional
        The folder in which a run leaves what a later process can go on from
        (:class:`quire.places.checkpoint.Checkpoint`), where all workers see it. Workers write there what they keep.

    Examples
    --------
    >>> import distributed
    >>> from quire.places.dask.cluster import DaskPlace
    >>> def grown(number, by):
    ...     return number + by, number
    >>> with distributed.Client(processes=False, dashboard_address=":0") as client:
    ...     place = DaskPlace(client)
    ...     more, total = place.sweep(grown, [place.put(1), place.put(2)], args=(10,))
    ...     [place.fetch(one) for one in more], total
    ([11, 12], 3)
    """

    copies: bool = True

    def __init__(
        self,
        where: Any,
        device: str = "cpu",
        threads: int | None = None,
        folder: str | Path | None = None,
        unfinished: Path | None = None,
    ) -> None:
        self.device = device
        self._client, self._cluster, self._scratch, shared = connect(where)
        self._own_client = self._client is not where
        self.address = where if isinstance(where, str) else str(self._client.scheduler.address)
        self._threads = shared if threads is None else threads
        self._folder = None if self._scratch is None else self._scratch.blocks
        self._shared = None if folder is None else Path(tempfile.mkdtemp(prefix="quire-dask-", dir=folder))
        self._folder = self._shared or self._folder  # either is closed to other users, who might write there
        self._at_least = 1 if self._cluster is not None else _GROUPS
        self._known: tuple[float, dict[str, int]] = (-1.0, {})
        self._sent_here = 0
        self._sent_there: dict[str, int] = {}
        self._work: WorkFolder | None = None
        try:
            with loss_sentences(self._client, self.address):
                greet(self._client, self.address)
                if unfinished is not None:
                    self._work = unfinished_folder(self._client, unfinished)
        except BaseException:
            self.close()
            raise

    def put(self, thing: Any) -> DaskHandle:
        """Keep something; it is sent to a worker by the first sweep that needs it."""
        return DaskHandle(thing=thing)

    def fetch(self, handle: DaskHandle | None) -> Any:
        """Bring what is kept here."""
        if handle is None:
            return None
        if handle.key is None:
            here = handle.thing.read() if isinstance(handle.thing, Stored) else handle.thing
            return here if handle.filed is None else handle.filed.read()[handle.at]
        future = self._client.submit(operator.getitem, handle.future, handle.at, pure=False)
        return self._result(future)

    def sweep(
        self,
        task: Task,
        *lists: Sequence[DaskHandle | None],
        args: tuple[Any, ...] = (),
        merge: Merge | None = None,
        update: Update | None = None,
    ) -> tuple[list[DaskHandle | None], Any]:
        """Run a task for every block, where it is (see :class:`quire.places.place.Place`)."""
        if not lists[0]:
            return [], None
        if len({len(one) for one in lists}) > 1:
            raise ValueError("All lists of a sweep need a handle for every block.")
        from quire.places.dask.graph import Graph  # needs Dask

        slots = self._slots()
        given = [handle for handle in chain(*lists) if handle is not None]
        old = [handle.size for handle in given if handle.key is not None or handle.filed is not None]
        size = min([group_size(len(lists[0]), max(sum(slots.values()), self._at_least)), *old])
        graph = Graph(Sweep(task, args, merge, self._threads), lists, size, self._folder)
        homes = shared_out(graph.homes, slots)
        futures = self._submitted(graph, homes)
        summary, flags = self._waited(graph, futures, update, len(lists[0]))
        depth = 1 + max((handle.depth for handle in given), default=0)
        roots = tuple(graph.roots)
        handles: list[DaskHandle | None] = [None] * len(flags)
        for number in (number for number, is_kept in enumerate(flags) if is_kept):
            group, at = divmod(number, size)
            key, home = graph.kept[group], homes[group]
            handles[number] = DaskHandle(
                key=key, future=futures[key], home=home, at=at, size=size, depth=depth, roots=roots
            )
        if depth > DEPTH:
            self._write_down(handles)
        return handles, summary

    def _slots(self) -> dict[str, int]:
        """Return the workers and how many tasks each runs at once; asked for once a second at most."""
        if time.monotonic() > self._known[0] + 1:
            with loss_sentences(self._client, self.address):
                self._known = time.monotonic(), self._client.nthreads() or {"": 1}
        return self._known[1]

    def _submitted(self, graph: Graph, homes: list[str]) -> dict[Any, Any]:
        """Send a graph; let handles of what was here know where it is now."""
        import dask

        from quire.places.dask.graph import LARGE_GRAPH

        self._sent_here += graph.sent
        keys = [*graph.placed, *graph.kept, graph.summary]
        with dask.config.set({LARGE_GRAPH: "1TB"}):
            futures = dict(zip(keys, self._client.get(graph.layers(homes), keys, sync=False)))
        for key, handles in graph.placed.items():
            for handle in handles:
                handle.future, handle.thing, handle.filed = futures[key], None, None
                handle.home = homes[key[1] - 1]
        return futures

    def _waited(self, graph: Graph, futures: dict[Any, Any], update: Update | None, n_blocks: int) -> Any:
        """Wait for what is told, and say how far it is."""
        root = futures.pop(graph.summary)
        if update is not None:
            from distributed import as_completed

            kept = [futures[key] for key in graph.kept]
            left, watch = dict.fromkeys(kept), Watch(self._client, self.address)
            while left:
                with suppress(TimeoutError):
                    for future in as_completed(list(left), timeout=LOOK):
                        del left[future]
                        update(min(n_blocks, -(-(len(kept) - len(left)) * n_blocks // len(kept))), n_blocks)
                watch.look()
        return self._result(root)

    def _result(self, future: Any) -> Any:
        """Bring a result here; what a task raised is raised here."""
        try:
            with loss_sentences(self._client, self.address):
                return self._gathered(future)
        except KeyboardInterrupt:
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what is left of the wait is no news
            raise

    def _gathered(self, future: Any) -> Any:
        """Wait, and look after the workers meanwhile."""
        watch = Watch(self._client, self.address)
        gathering = self._client.gather(future, direct=self._cluster is not None, asynchronous=True)
        waiting = asyncio.run_coroutine_threadsafe(gathering, self._client.loop.asyncio_loop)
        try:
            while not wait([waiting], LOOK).done:
                watch.look()
            return waiting.result()
        finally:
            waiting.cancel()

    def _write_down(self, handles: Sequence[DaskHandle | None]) -> None:
        kept = [handle for handle in handles if handle is not None]
        if self._folder is not None:
            filed_away(self._client, kept, self._folder, self._result)
        else:
            brought_here(self._client, kept, gather=self._result)

    @property
    def folder(self) -> Path | None:
        """Where a run leaves what a later process can go on from; None where it leaves nothing."""
        return None if self._work is None else self._work.path

    def keeps(self, thing: Any) -> bool:
        """Say whether something is a handle of this place."""
        return isinstance(thing, DaskHandle)

    def write_down(self, blocks: Sequence[tuple[DaskHandle, Path]]) -> None:
        """Let workers write what handles stand for to a file each."""
        write_blocks(self._client, blocks, self._result)

    def adopt(self, path: Path) -> DaskHandle:
        """Keep what a file holds that was written by another process; the worker that needs it reads it."""
        assert self.folder is not None
        stored = Stored(path, self.folder)
        return DaskHandle(thing=stored, roots=(stored,))

    def crew(self) -> DaskCrew:
        """Return those who make whole runs there, one a task (:class:`quire.studies.choosing.runs.Runs`)."""
        from quire.places.dask.graph import DaskCrew

        return DaskCrew(self._client, self.address)

    @property
    def bytes_sent(self) -> int:
        """Bytes of functions and data that this process and the workers have sent, to whomever."""
        self._sent_there |= self._client.run(_sent_by)
        return self._sent_here + sum(self._sent_there.values())

    def forget(self) -> None:
        """Remove the checkpoints that a killed run left."""
        if self._work is not None:
            self._work.forget()

    def leave(self) -> None:
        """End, but let another process go on with what is in the folder of the run."""
        if self._work is not None:
            self._work.leave()
        self._work = None
        self.close()

    def close(self) -> None:
        """Forget everything; end the workers that were started here."""
        if self._own_client:
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()
        if self._scratch is not None:
            self._scratch.remove()
        if self._shared is not None:
            shutil.rmtree(self._shared, ignore_errors=True)
        if self._work is not None:
            self._work.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sent_by(dask_worker: Any) -> int:
    return int(dask_worker.transfer_outgoing_bytes_total)
