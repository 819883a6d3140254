"""Where a command keeps cores waiting: ``python benchmarks/spans.py OUT.json cluster FILE --out RUN …`` (Linux).

Runs the command and looks at its threads every few milliseconds: how many are running, and, where it is only one or
two, at which lines. Sums of these spans are what more cores do not make shorter (Amdahl 1967). ``--threads N`` before
the command lets it believe that it has so many cores.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

_PAUSE = 0.008
_TASKS = Path("/proc/self/task")
_FEW = 2  # threads that run at the same time, or fewer: a span
_INNERMOST = 4  # of Quire's own functions, by which a span is named
_LISTED = 60


class Watch(threading.Thread):
    """Looks at all other threads until the process ends."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stage, self.walls, self.cpu = "start", Counter[str](), Counter[str]()
        self.alone, self.lines, self.memory = Counter[str](), Counter[str](), dict[str, float]()
        self._taken: dict[int, int] = {}

    def run(self) -> None:
        """Look, again and again."""
        own, before = threading.get_native_id(), time.perf_counter()
        while True:
            time.sleep(_PAUSE)
            running, taken = self._threads(own)
            now = time.perf_counter()
            passed, before = now - before, now
            self.walls[self.stage] += passed
            self.cpu[self.stage] += sum(taken.values())
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.memory[self.stage] = max(self.memory.get(self.stage, 0.0), 4096e-9 * pages)
            if running <= _FEW:
                self.alone[self.stage] += passed
                self.lines[f"{self.stage}: {self._where(taken)}"] += passed

    def _threads(self, own: int) -> tuple[int, dict[int, float]]:
        """Return how many threads run, and the CPU time that each took since the last look."""
        running, taken = 0, {}
        for task in _TASKS.iterdir():
            number = int(task.name)
            try:
                state = (task / "stat").read_text().rpartition(") ")[2][:1]
                spent = int((task / "schedstat").read_text().split()[0])
            except OSError:  # it has ended
                continue
            more, self._taken[number] = spent - self._taken.get(number, 0), spent
            if number != own:
                running += state == "R"
                taken[number] = more / 1e9
        return running, taken

    def _where(self, taken: dict[int, float]) -> str:
        """Name the lines at which the busiest thread is, or the main one where that is no Python thread."""
        busiest = max(taken, key=lambda number: taken[number], default=0)
        idents = {thread.native_id: thread.ident for thread in threading.enumerate()}
        frames, main = sys._current_frames(), threading.main_thread().ident
        frames.pop(threading.get_ident(), None)  # a circle would keep all that these functions hold
        frame = frames.get(idents.get(busiest) or 0)
        return _named(frame) if frame is not None else "native, " + _named(frames.get(main or 0))


def _named(frame: FrameType | None) -> str:
    names, leaf = [], ""
    while frame is not None:
        code = frame.f_code
        name = f"{Path(code.co_filename).stem}.{code.co_name}:{frame.f_lineno}"
        leaf = leaf or name
        if "quire" in Path(code.co_filename).parts and "machine" not in name:
            names.append(name)
        frame = frame.f_back
    return " < ".join(dict.fromkeys([leaf, *names[:_INNERMOST]]))


@contextmanager
def watched_stages(watch: Watch, stages: dict[str, float]) -> Iterator[None]:
    """Let the watch know which stage a run is at, and keep what each takes."""
    from quire.messages import Stages

    plain = Stages.stage

    @contextmanager
    def stage(of: Any, name: str) -> Iterator[Any]:
        watch.stage = name
        with plain(of, name) as update:
            yield update
        stages.update(of.seconds)
        watch.stage = f"after {name}"

    Stages.stage = stage  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        Stages.stage = plain  # type: ignore[method-assign]


def main() -> None:
    """Run the command; write what was seen."""
    out, rest = Path(sys.argv[1]), sys.argv[2:]
    if rest[0] == "--threads":
        import joblib

        cores, rest = int(rest[1]), rest[2:]
        joblib.cpu_count = lambda *_, **__: cores
    began, watch, stages = time.perf_counter(), Watch(), dict[str, float]()
    watch.start()
    sys.argv = ["quire", *rest]
    from quire.cli.app import main as command

    try:
        with watched_stages(watch, stages):
            command()
    finally:
        used = resource.getrusage(resource.RUSAGE_SELF)
        told = {
            "command": rest, "cores": len(os.sched_getaffinity(0)), "wall": time.perf_counter() - began,
            "cpu": used.ru_utime + used.ru_stime, "gigabytes": used.ru_maxrss * 1024 / 1e9, "stages": stages,
            "walls": watch.walls, "cpus": watch.cpu, "few_threads": watch.alone, "memory": watch.memory,
            "spans": watch.lines.most_common(_LISTED),
        }  # fmt: skip
        out.write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
