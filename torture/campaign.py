"""One part of the campaign: its cases one after the other, some at a time, until its time is over."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from torture.case import FAILURES, Case, Outcome
from torture.child import Child, Trial, check_single_thread
from torture.kept import keep_failure

_PAUSE = 0.003  # seconds between two looks at the children


@dataclass
class Tally:
    """What came of a part so far."""

    part: str
    seed: int
    verdicts: Counter[str] = field(default_factory=Counter)
    cases: int = 0
    tried: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def add(self, case: Case, outcome: Outcome) -> None:
        """Count a case; of its facts, whole numbers are added up, and the largest of the others is kept."""
        self.verdicts[outcome.verdict] += 1
        self.cases += 1
        self.tried += case.tried
        self.slowest = max(self.slowest, outcome.seconds)
        for name, value in outcome.facts.items():
            known = self.facts.get(name, 0)
            self.facts[name] = known + value if isinstance(value, int) else max(known, value)


def run_part(
    part: ModuleType, seed: int, seconds: float, jobs: int, kept: Path, only: int | None = None, most: int | None = None
) -> Tally:
    """Run cases of a part until its time is over; or a number of cases, or the case of one number."""
    check_single_thread()
    tally, began = Tally(part.NAME, seed), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="quire-torture-") as work:
        cases = part.cases(seed, Path(work))
        folder = Path(work) / "cases"
        trials: Iterator[Trial] = (Trial(number, case, folder / str(number)) for number, case in enumerate(cases))
        try:
            together = getattr(part, "TOGETHER", 1)
            if only is not None:
                trials, together = islice(trials, only, only + 1), 1
            _run_all(islice(trials, most), tally, began + seconds, jobs, together, kept)
        finally:
            cases.close()
    tally.seconds = time.monotonic() - began
    return tally


def _run_all(trials: Iterator[Trial], tally: Tally, until: float, jobs: int, together: int, kept: Path) -> None:
    running: list[Child] = []
    again: list[Trial] = []  # those that a process had still before it when one of them ended it
    exhausted = False
    while running or not exhausted:
        while not exhausted and len(running) < jobs:
            late = time.monotonic() > until
            following = again[:together] or ([] if late else list(islice(trials, together)))
            del again[:together]
            if following:
                running.append(Child(following))
            exhausted = not following
        for child in list(running):
            for trial, outcome in child.judged():
                _note(trial, outcome, tally, kept)
            if child.over:
                running.remove(child)
                again += child.left
                exhausted = exhausted and not again
                for trial in child.left:
                    shutil.rmtree(trial.folder, ignore_errors=True)
        time.sleep(_PAUSE)


def _note(trial: Trial, outcome: Outcome, tally: Tally, kept: Path) -> None:
    tally.add(trial.case, outcome)
    if outcome.verdict in FAILURES:
        failure = keep_failure(trial, outcome, tally.part, tally.seed, kept)
        tally.failures.append(failure)
        print(f"  {outcome.verdict}: {trial.case.name}: {outcome.words.splitlines()[0][:150]}", file=sys.stderr)
    shutil.rmtree(trial.folder, ignore_errors=True)
