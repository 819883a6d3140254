"""Processes that are killed at any file operation, and disks whose power failed: the old or the new is there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import crash

import quire.pages.file
import quire.pages.full_text
import quire.runs.pipeline
import quire.studies.exports  # noqa: F401  # all are imported here, once, and not in every fork
from torture.aftermath import ACTIONS, arguments, done, make_runs, prepare
from torture.case import FAILURES, Case, WrongError
from torture.child import made_in_child
from torture.warm import warm_kernels

NAME = "crashes"
_POINTS = 8  # kills, or disks, of a case
_SECONDS = 60.0


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield, for each action with and without an older result, some of its operations in turn, until all had theirs."""
    warm_kernels()
    made = made_in_child(Case("runs", make_runs, seconds=120), work / "made")
    if made.verdict in FAILURES:
        raise RuntimeError(f"The runs could not be made: {made.words}")
    seeds, number = work / "made" / "in", 0
    order = random.Random(seed).sample(range(4 * len(ACTIONS)), 4 * len(ACTIONS))
    begin = random.Random(seed).randrange(1000)
    while True:
        turn, which = divmod(number, len(order))
        action, (replacing, power) = ACTIONS[order[which] // 4], divmod(order[which] % 4, 2)
        make = _power if power else _kills
        yield make(action, bool(replacing), begin + turn * _POINTS, seeds, f"{seed} {number}")
        number += 1


def _kills(action: str, replacing: bool, first: int, seeds: Path, drawn: str) -> Case:
    def run(folder: Path) -> dict[str, int]:
        prepare(action, folder / "whole", seeds, replacing)
        total = done(action, arguments(action, folder / "whole", seeds))
        for point in range(_POINTS):
            at, disk = (first + point) % total, folder / f"kill-{point}"
            prepare(action, disk, seeds, replacing)
            job = {"action": f"crash:{action}", "arguments": arguments(action, disk, seeds), "kill_at": at}
            answer = crash.run_job(job)
            if not answer["killed"] and answer["error"]:
                raise WrongError(f"{action}: {answer['error']}")
            _check(action, disk, seeds, replacing, False, f"killed at operation {at} of {total}")
        return {"kills": _POINTS}

    how = "in place of an older one" if replacing else "for the first time"
    return Case(f"{action} {how}, killed at operations {first} to {first + _POINTS - 1}", run, _POINTS, _SECONDS)


def _power(action: str, replacing: bool, first: int, seeds: Path, drawn: str) -> Case:
    def run(folder: Path) -> dict[str, int]:
        disk = folder / "disk"
        prepare(action, disk, seeds, replacing)
        record = [str(disk), str(folder / "lost"), _POINTS, random.Random(drawn).randrange(1 << 30)]
        job = {"action": f"crash:{action}", "arguments": arguments(action, disk, seeds), "record": record}
        answer = crash.run_job(job)
        if answer["error"]:
            raise WrongError(f"{action}: {answer['error']}")
        for lost in sorted((folder / "lost").iterdir()):
            _check(action, lost, seeds, replacing, lost.name.endswith("ended"), f"power lost at {lost.name}")
        return {"disks without power": _POINTS}

    how = "in place of an older one" if replacing else "for the first time"
    return Case(f"{action} {how}, the power fails", run, _POINTS, _SECONDS)


def _check(action: str, disk: Path, seeds: Path, replacing: bool, ended: bool, when: str) -> None:
    given = [action, str(disk), str(seeds), "yes" * replacing, "yes" * ended]
    try:
        done("torture.aftermath:check", given)
    except WrongError as error:
        raise WrongError(f"{when}: {error}") from None
