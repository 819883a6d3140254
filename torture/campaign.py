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
from torture.child import Child, check_single_thread
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


def run_part(part: ModuleType, seed: int, seconds: float, jobs: int, kept: Path, only: int | None = None) -> Tally:
    """Run cases of a part until its time is over, or the case of one number."""
    check_single_thread()
    tally, began = Tally(part.NAME, seed), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="quire-torture-") as work:
        cases = part.cases(seed, Path(work))
        try:
            numbered = enumerate(cases)
            if only is not None:
                numbered, jobs, seconds = islice(numbered, only, only + 1), 1, 3600.0
            _run_all(numbered, tally, began + seconds, jobs, Path(work) / "cases", kept)
        finally:
            cases.close()
    tally.seconds = time.monotonic() - began
    return tally


def _run_all(
    numbered: Iterator[tuple[int, Case]], tally: Tally, until: float, jobs: int, work: Path, kept: Path
) -> None:
    running: list[Child] = []
    exhausted = False
    while running or not exhausted:
        while not exhausted and len(running) < jobs:
            following = None if time.monotonic() > until else next(numbered, None)
            if following is None:
                exhausted = True
            else:
                running.append(Child(*following, work / str(following[0])))
        for child in list(running):
            outcome = child.ended()
            if outcome is not None:
                running.remove(child)
                _note(child, outcome, tally, kept)
        time.sleep(_PAUSE)


def _note(child: Child, outcome: Outcome, tally: Tally, kept: Path) -> None:
    tally.add(child.case, outcome)
    if outcome.verdict in FAILURES:
        failure = keep_failure(child, outcome, tally.part, tally.seed, kept)
        tally.failures.append(failure)
        print(f"  {outcome.verdict}: {child.case.name}: {outcome.words.splitlines()[0][:150]}", file=sys.stderr)
    shutil.rmtree(child.folder, ignore_errors=True)
