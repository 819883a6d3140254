"""Forked children, of one case or some: the parent imported all and runs nothing, so that a fork costs little."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from torture.case import HANG, SIGNAL, Case, Outcome, outcome_of

_IDLE = ("jemalloc_bg_thd", "polars-ooc")  # threads of polars that a child can do without
_UNLIMITED = 1 << 47
PRINTED = "printed.txt"  # what a case printed, beside its folder


@dataclass(frozen=True)
class Trial:
    """A case by its number, and the folder that is its own."""

    number: int
    case: Case
    folder: Path

    def printed(self) -> str:
        """Return the end of what it printed."""
        path = self.folder / PRINTED
        return path.read_text("utf-8", "replace")[-1500:] if path.exists() else ""


class Child:
    """Cases under way, one after the other in one process; what ends the process is that of the case it was at."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.left = list(trials)  # the first is the one that it is at
        for trial in trials:
            (trial.folder / "in").mkdir(parents=True)
        self._began, self._worked_before = time.monotonic(), 0.0
        self._read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._read)
            _be_a_child(trials, write)
        os.close(write)
        os.set_blocking(self._read, False)
        self._answer = b""
        self.over = False

    def judged(self) -> list[tuple[Trial, Outcome]]:
        """Return what came of cases since the last look; end the process where the time of one is over."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        judged = self._answers()
        if pid:
            self._close()
            if self.left:
                outcome = self._death(status)
                judged.append((self.left.pop(0), outcome))
            return judged
        if judged or not self.left or not self._is_late():
            return judged
        self._kill()
        taken = time.monotonic() - self._began
        return [(self.left.pop(0), Outcome(HANG, f"not done after {taken:.0f} s", taken))]

    def _is_late(self) -> bool:
        taken, most = time.monotonic() - self._began, self.left[0].case.seconds
        if taken < most:
            return False
        return self._worked() - self._worked_before >= most / 2 or taken >= 4 * most  # else the machine is busy

    def _death(self, status: int) -> Outcome:
        taken = time.monotonic() - self._began
        if os.WIFSIGNALED(status):
            words = signal.Signals(os.WTERMSIG(status)).name
        else:
            words = f"ended with {os.waitstatus_to_exitcode(status)}"
        return Outcome(SIGNAL, f"{words}\n{self.left[0].printed()}", taken)

    def _answers(self) -> list[tuple[Trial, Outcome]]:
        try:
            while part := os.read(self._read, 1 << 16):
                self._answer += part
        except BlockingIOError:
            pass
        *lines, self._answer = self._answer.split(b"\n")
        if lines and not self.over:
            self._began, self._worked_before = time.monotonic(), self._worked()
        return [(self.left.pop(0), Outcome(**json.loads(line))) for line in lines]

    def _kill(self) -> None:
        """End it, with all that it started."""
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._close()

    def _close(self) -> None:
        os.close(self._read)
        self.over = True

    def _worked(self) -> float:
        """Return the seconds of CPU time that it had."""
        try:
            user, system = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        except OSError:  # it has ended
            return 0.0
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _be_a_child(trials: Sequence[Trial], write: int) -> None:
    """Run cases and never return."""
    code = 1
    try:
        os.setsid()
        os.set_blocking(write, True)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        for trial in trials:
            _print_into(trial.folder / PRINTED)
            faulthandler.enable(open(2, "w", closefd=False), all_threads=False)  # noqa: SIM115
            os.chdir(trial.folder / "in")
            _limit(trial.case)
            began = time.monotonic()
            outcome = outcome_of(lambda trial=trial: trial.case.run(trial.folder / "in"))  # type: ignore[misc]
            answer = asdict(outcome) | {"seconds": time.monotonic() - began}
            os.write(write, json.dumps(answer, default=str).encode("utf-8", "replace") + b"\n")
        code = 0
    finally:
        sys.stdout.flush()
        os._exit(code)


def _print_into(path: Path) -> None:
    sys.stdout.flush()
    printed = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    for number in (1, 2):
        os.dup2(printed, number)
    os.close(printed)


def _limit(case: Case) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + case.memory
    if most < _UNLIMITED:
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def made_in_child(case: Case, folder: Path) -> Outcome:
    """Run a case by itself and wait for it."""
    child = Child([Trial(0, case, folder)])
    while not (judged := child.judged()):
        time.sleep(0.01)
    if not child.over:
        os.waitpid(child.pid, 0)
    return judged[0][1]


def check_single_thread() -> None:
    """Refuse to fork where a library has begun threads: they would be missing in the child, and waited for."""
    names = [(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    busy = [name for name in names[1:] if not name.startswith(_IDLE)]
    if busy:
        raise RuntimeError(
            f"The parent has threads ({', '.join(busy)}) and cannot be forked: import only, run nothing."
        )
