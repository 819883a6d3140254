"""Processes beside each other in one case: forks of its child, each judged as a case is."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from torture.case import FAILURES, SIGNAL, Outcome, WrongError, outcome_of

Call = Callable[[], dict[str, Any] | None]


class Fork:
    """A call under way in a fork, which ends with the case that it is of; this process must have no threads."""

    def __init__(self, call: Call) -> None:
        self._read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._read)
            outcome = outcome_of(call)
            os.write(write, json.dumps(asdict(outcome), default=str).encode("utf-8", "replace")[: 1 << 16])
            os._exit(0)
        os.close(write)

    def outcome(self) -> Outcome:
        """Wait for it, and return what came of it."""
        with os.fdopen(self._read, "rb") as answer:
            told = answer.read()
        status = os.waitpid(self.pid, 0)[1]
        if os.WIFSIGNALED(status):
            return Outcome(SIGNAL, signal.Signals(os.WTERMSIG(status)).name)
        return (
            Outcome(**json.loads(told)) if told else Outcome(SIGNAL, f"ended with {os.waitstatus_to_exitcode(status)}")
        )


def at_once(calls: Sequence[Call]) -> list[Outcome]:
    """Run calls beside each other; a failure of any is one of the case."""
    forks = [Fork(call) for call in calls]
    return [judged(fork.outcome()) for fork in forks]


def alone(call: Call) -> Outcome:
    """Run a call in a fork and wait for it."""
    return judged(Fork(call).outcome())


def judged(outcome: Outcome) -> Outcome:
    """Return an outcome that is none of the failures."""
    if outcome.verdict in FAILURES:
        raise WrongError(f"{outcome.verdict}: {outcome.words}")
    return outcome
