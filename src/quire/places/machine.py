"""How many threads, and who does which part of the work.

Python threads run the compiled kernels, which hold no lock, so two fits in two threads of one process are
as safe as two NumPy calls. What a chunk computes never depends on which thread takes it.
"""

from __future__ import annotations

import math
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from quire.places.portable import free_memory


def allowed_threads(n_jobs: int | None = None) -> int:
    """Threads to use: ``n_jobs`` where given, never more than the process may use.

    ``None`` and −1 mean all that CPU affinity, the cgroup quota, ``LOKY_MAX_CPU_COUNT`` and
    ``OMP_NUM_THREADS`` allow (joblib sets the latter two in its workers); −2 means all but one.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs=0 asks for no thread at all; give a positive number, or None for all cores.")
    most: int = joblib.cpu_count()
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if limit.isdigit() and int(limit) > 0:
        most = min(most, int(limit))
    if n_jobs is None:
        return most
    return max(1, min(n_jobs, most) if n_jobs > 0 else most + 1 + n_jobs)


_member = threading.local()  # whether this thread works beside others: what it begins it does alone


def works_beside_others() -> bool:
    """Say whether this thread is one of several that share a job, so that it should begin no others."""
    return getattr(_member, "busy", False)


@contextmanager
def beside_others() -> Iterator[None]:
    """Let this thread be one of several that share a job."""
    before, _member.busy = works_beside_others(), True
    try:
        yield
    finally:
        _member.busy = before


_resting: dict[int, list[ThreadPoolExecutor]] = {}  # pools of so many threads that wait for another job
_resting_lock = threading.Lock()
_keeping = 0  # how many want them to wait


@contextmanager
def threads_kept() -> Iterator[None]:
    """Let threads wait for the next job meanwhile: where jobs are short, to begin and end them takes as long."""
    global _keeping
    with _resting_lock:
        _keeping += 1
    try:
        yield
    finally:
        with _resting_lock:
            _keeping -= 1
            idle = [] if _keeping else [pool for pools in _resting.values() for pool in pools]
            if not _keeping:
                _resting.clear()
        for pool in idle:
            pool.shutdown()


@contextmanager
def pool_of(n_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Give a pool of threads, which must have nothing to do any more at the end; after an error they are waited for."""
    with _resting_lock:
        pools = _resting.get(n_threads)
        pool = pools.pop() if pools else ThreadPoolExecutor(n_threads, "quire")
    kept = False
    try:
        yield pool
        with _resting_lock:
            if kept := _keeping > 0:
                _resting.setdefault(n_threads, []).append(pool)
    finally:
        if not kept:
            pool.shutdown()


def _forget_threads() -> None:
    """Begin anew in a process that was forked: threads stay with the parent."""
    global _resting_lock, _keeping
    _resting_lock, _keeping = threading.Lock(), 0
    _resting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


_VALUES = 1 << 17  # that are worked on together
_ENOUGH = 4  # threads, of which one can be spared
_EACH = 8  # chunks for each who shares a job, as some are quicker than others


class Team:
    """A few threads that take chunks of one job from a common queue; within a chunk each works alone."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._lent = ExitStack()
        self._pool: ThreadPoolExecutor | None = None  # from the first job on that is worth sharing

    @property
    def sharing(self) -> int:
        """How many would share a job now: a thread that works beside others does all of it.

        It should not be cut into more chunks than that takes: threads that all begin many small ones wait for each
        other, as only one at a time may begin something.
        """
        return 1 if works_beside_others() else self.n_threads

    def chunks(self, cost: float, least: float, most: float, longest: float | None = None) -> int:
        """Into how many chunks to cut a job: some for each who shares it, none worth less than a call.

        ``most``: what one may cost, so that Ctrl-C is heard, of ``longest``, where the job may cost more than usual.
        """
        shared = min(_EACH * self.sharing, int(cost / least)) if self.sharing > 1 else 1
        return max(1, shared, int((cost if longest is None else longest) / most))

    def run(self, task: Callable[[int], Any], n_chunks: int) -> None:
        """Call ``task(0) … task(n_chunks − 1)``, in any order, and wait for all."""
        if self.sharing < 2 or n_chunks < 2:
            for chunk in range(n_chunks):
                task(chunk)
            return
        pool = self._pool = self._pool or self._lent.enter_context(pool_of(self.n_threads - 1))
        queue = deque(range(n_chunks))

        def work() -> None:
            with beside_others():
                while True:
                    try:
                        chunk = queue.popleft()
                    except IndexError:
                        return
                    task(chunk)

        others = [pool.submit(work) for _ in range(min(self.n_threads, n_chunks) - 1)]
        try:
            work()
        finally:  # an error or Ctrl-C here must not leave the others with work to do
            queue.clear()
            wait(others)
        for other in others:
            other.result()

    def close(self) -> None:
        """End the threads, or let them wait for others."""
        self._pool = None
        self._lent.close()

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_order(
    task: Callable[..., Any],
    jobs: Iterable[tuple[Any, ...]],
    n_threads: int,
    abandon: Callable[[], None] = lambda: None,
) -> Generator[Any, None, None]:
    """Yield ``task(*job)`` for one job after the other, while threads work on those that come next.

    ``abandon`` is called where one fails, or Ctrl-C is pressed: those under way are waited for, and may end early.
    """
    if n_threads < 2 or works_beside_others():
        yield from (task(*job) for job in jobs)
        return

    def work(job: tuple[Any, ...]) -> Any:
        with beside_others():
            return task(*job)

    ahead = deque[Future[Any]]()
    with single_threaded_blas(), pool_of(n_threads) as pool:
        try:
            for job in jobs:
                ahead.append(pool.submit(work, job))
                if len(ahead) > n_threads:  # one more than can be worked on, so that nobody waits for its taking
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        except BaseException:  # the others must not be left with work to do
            for future in ahead:
                future.cancel()
            abandon()
            raise


@contextmanager
def meanwhile(tasks: Sequence[Callable[[], Any]], n_threads: int) -> Iterator[Callable[[], list[Any]]]:
    """Let a thread of its own do what is needed later, one task after the other, and give what returns all results.

    Where there are few threads, which have enough to do, it is done when it is asked for. After an error no further
    task is begun.
    """
    if n_threads < _ENOUGH or works_beside_others():
        yield lambda: [task() for task in tasks]
        return
    given_up = threading.Event()

    def work() -> list[Any]:
        with beside_others():
            return [task() for task in tasks if not given_up.is_set()]

    with pool_of(1) as pool:
        done = pool.submit(work)
        try:
            yield done.result
        except BaseException:
            given_up.set()
            raise
        finally:
            wait([done])


def side_by_side(*tasks: Callable[[], Any]) -> list[Any]:
    """Return what each of a few tasks returns, which have nothing to do with each other; the longest is best first."""
    return list(in_order(lambda task: task(), ((task,) for task in tasks), min(allowed_threads(None), len(tasks))))


def in_pieces(task: Callable[[slice], Any], rows: Any) -> None:
    """Call a task for some rows at a time, so that they stay in cache, on all cores; on a device for all at once."""
    width = math.prod(rows.shape[1:])
    size = max(_VALUES // max(width, 1), 1) if isinstance(rows, np.ndarray) else max(len(rows), 1)
    pieces = [(slice(at, at + size),) for at in range(0, len(rows), size)]
    alone = len(pieces) < 2 or works_beside_others()  # to ask how many threads are allowed takes a while
    threads = 1 if alone else min(allowed_threads(None), len(pieces))
    for _ in in_order(task, pieces, threads):
        pass


def in_ranges(run: Callable[[int, int], Any], n: int, least: int) -> None:
    """Call ``run(start, stop)`` for n things in all, on all cores where each gets ``least`` of them."""
    threads = 1 if works_beside_others() else max(1, min(allowed_threads(None), n // least))
    for _ in in_order(run, pairwise(np.linspace(0, n, threads + 1).astype(np.int64).tolist()), threads):
        pass


def equal_shares(cost: NDArray[Any], n_parts: int, multiple: int = 1) -> NDArray[np.int64]:
    """Cut rows into at most ``n_parts`` ranges of about equal cost."""
    n_rows = len(cost) - 1
    goals = cost[0] + (cost[-1] - cost[0]) * np.arange(1, n_parts) / n_parts
    cuts = np.searchsorted(cost, goals) // multiple * multiple
    return np.unique(np.concatenate([[0], cuts, [n_rows]])).astype(np.int64)


_limit_lock = threading.Lock()
_limit_users = 0
_limiter: Any = None


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _take_control_of_blas() -> None:
    # threadpoolctl heeds only the thread that set the limit, while it lives; the last fit out may be another.
    for library in _controller().lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS to one thread while any fit is under way.

    Quire's own threads would fight with BLAS's, and a BLAS result must not depend on a thread count. The
    setting belongs to the process, so the first fit in makes it and the last one out restores it.
    """
    global _limit_users, _limiter
    with _limit_lock:
        if _limit_users == 0:
            _limiter = _controller().limit(limits=1, user_api="blas")
            _limiter.__enter__()
        _limit_users += 1
    try:
        yield
    finally:
        with _limit_lock:
            _limit_users -= 1
            if _limit_users == 0:
                _take_control_of_blas()
                _limiter.__exit__(None, None, None)


_ROOT = Path("/sys/fs/cgroup")


def available_memory() -> float:
    """Bytes that can still be had: what the system has free, within every cgroup's limit; inf if unknown."""
    return min([free_memory(), *(_group_free(group) for group in _groups())])


def _groups() -> list[Path]:
    """List the cgroup of this process and all above it, in version 2 or 1."""
    groups = []
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            root = _ROOT / controllers
            own = root / path.lstrip("/")
            groups += [own, *(p for p in own.parents if p.is_relative_to(root))]
    return groups


def _group_free(group: Path) -> float:
    """Limit less what is used; pages that only cache files are given back on demand."""
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        numbers = [_read(group / name).strip() for name in (limit, used)]
        if all(number.isdigit() for number in numbers):  # no limit reads "max"
            cached = re.search(r"^(?:total_)?inactive_file (\d+)", _read(group / "memory.stat"), re.MULTILINE)
            return float(numbers[0]) - float(numbers[1]) + (float(cached[1]) if cached else 0.0)
    return float("inf")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
