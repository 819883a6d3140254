"""Forked children, one a case: the parent imported everything and runs nothing, so that a fork costs milliseconds."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torture.case import HANG, SIGNAL, Case, Outcome, outcome_of

_IDLE = ("jemalloc_bg_thd", "polars-ooc")  # threads of polars that a child can do without
_UNLIMITED = 1 << 47
PRINTED = "printed.txt"  # what a child printed, beside its folder


class Child:
    """A case under way."""

    def __init__(self, number: int, case: Case, folder: Path) -> None:
        self.number, self.case, self.folder = number, case, folder
        folder.mkdir(parents=True)
        (folder / "in").mkdir()
        self.began = time.monotonic()
        self._read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._read)
            _be_a_child(case, folder, write)
        os.close(write)
        os.set_blocking(self._read, False)
        self._answer = b""

    def ended(self) -> Outcome | None:
        """Return what came of it, where it has ended; end it where its time is over."""
        taken = time.monotonic() - self.began
        self._drain()
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            if taken < self.case.seconds or (self._worked() < self.case.seconds / 2 and taken < 4 * self.case.seconds):
                return None  # in the second case it is the machine that is busy
            self.end()
            return Outcome(HANG, f"not done after {taken:.0f} s", taken)
        self._drain()
        os.close(self._read)
        if os.WIFSIGNALED(status):
            name = signal.Signals(os.WTERMSIG(status)).name
            return Outcome(SIGNAL, f"{name}\n{self.printed()}", taken)
        try:
            answer: dict[str, Any] = json.loads(self._answer)
        except ValueError:
            return Outcome(SIGNAL, f"ended with {os.waitstatus_to_exitcode(status)}\n{self.printed()}", taken)
        return Outcome(**answer | {"seconds": taken})

    def end(self) -> None:
        """Kill it, with all that it started."""
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._read)

    def printed(self) -> str:
        """Return the end of what it printed."""
        path = self.folder / PRINTED
        return path.read_text("utf-8", "replace")[-1500:] if path.exists() else ""

    def _worked(self) -> float:
        """Return the seconds of CPU time that it had."""
        user, system = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _drain(self) -> None:
        try:
            while part := os.read(self._read, 1 << 16):
                self._answer += part
        except BlockingIOError:
            pass


def _be_a_child(case: Case, folder: Path, write: int) -> None:
    """Run a case and never return."""
    code = 1
    try:
        os.setsid()
        printed = os.open(folder / PRINTED, os.O_CREAT | os.O_WRONLY, 0o600)
        for number in (1, 2):
            os.dup2(printed, number)
        faulthandler.enable(open(2, "w", closefd=False), all_threads=False)  # noqa: SIM115
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(folder / "in")
        _limit(case)
        outcome = outcome_of(lambda: case.run(folder / "in"))
        os.set_blocking(write, True)
        os.write(write, json.dumps(asdict(outcome), default=str).encode("utf-8", "replace"))
        code = 0
    finally:
        sys.stdout.flush()
        os._exit(code)


def _limit(case: Case) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + case.memory
    if most < _UNLIMITED:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def made_in_child(case: Case, folder: Path) -> Outcome:
    """Run a case by itself and wait for it."""
    child = Child(0, case, folder)
    while (outcome := child.ended()) is None:
        time.sleep(0.01)
    return outcome


def check_single_thread() -> None:
    """Refuse to fork where a library has begun threads: they would be missing in the child, and waited for."""
    names = [(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    busy = [name for name in names[1:] if not name.startswith(_IDLE)]
    if busy:
        raise RuntimeError(
            f"The parent has threads ({', '.join(busy)}) and cannot be forked: import only, run nothing."
        )
