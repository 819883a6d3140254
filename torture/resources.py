"""Disks that are full, files that may not grow, too little memory, no file handles, nothing that may be written."""

from __future__ import annotations

import random
import resource
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import crash
import safetensors.numpy  # noqa: F401  # which, once memory is short, could not be imported

import quire.pages.file
import quire.pages.full_text
import quire.runs.pipeline
import quire.studies.exports
from quire.places import workfolder
from quire.runs import where
from torture.aftermath import ACTIONS, arguments, done, make_runs, prepare
from torture.case import FAILURES, OK, SIGNAL, TRACEBACK, Case, Outcome
from torture.child import made_in_child
from torture.seeds import texts, work_in_blocks
from torture.small_disk import SmallDisk, read_only
from torture.together import Fork, alone, judged
from torture.warm import warm_kernels

NAME = "resources"
_LIMITS = ("disk", "disk", "file size", "memory", "handles", "read-only")
_WHOLE = ("cluster", "cluster_in_blocks")  # from documents to a run, in the place of an older one
_WRITING = tuple(action for action in ACTIONS if action != "save_run_without_exchange")
_SECONDS = 60.0
_TOLD = ("PanicException", "RuntimeError: can't start new thread")  # for which commands have a sentence


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield actions, each with one thing of which there is too little."""
    warm_kernels()
    made = made_in_child(Case("runs", _make, seconds=120), work / "made")
    if made.verdict in FAILURES:
        raise RuntimeError(f"The runs could not be made: {made.words}")
    number = 0
    while True:
        draw = random.Random(f"{seed} {number}")
        limit, action = draw.choice(_LIMITS), draw.choice((*_WRITING, *_WHOLE))
        yield _case(action, limit, draw.random(), work / "made" / "in")
        number += 1


def _make(folder: Path) -> None:
    make_runs(folder)
    (folder / "documents.txt").write_text("\n".join(row[0] for row in texts(60)))


def _case(action: str, limit: str, share: float, seeds: Path) -> Case:
    def run(folder: Path) -> dict[str, int]:
        alike = "save_run" if action in _WHOLE else action  # what it writes, and so what must hold
        disk, given, limited, free = _limits(limit, share, folder)
        prepare(alike, disk, seeds, replacing=True)
        given()
        outcome = Fork(lambda: limited(lambda: _act(action, disk, seeds))).outcome()
        free()
        facts = _judge(outcome, limit)
        if action == "cluster_in_blocks":
            alone(lambda: _again(disk, seeds))
        ended = "yes" * (outcome.verdict == OK and action not in _WHOLE)
        done("torture.aftermath:check", [alike, str(disk), str(seeds), "yes", ended])
        return facts

    return Case(f"{action}, too little: {limit} ({share:.3f})", run, seconds=_SECONDS)


def _act(action: str, disk: Path, seeds: Path) -> None:
    workfolder._SPARE = 0  # else all would be refused at once, and the disk never be full
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if action in _WHOLE:
            recipe = {"name": "plain", "factorization": {"method": "NMF", "max_iter": 5}}
            if action == "cluster_in_blocks":
                work_in_blocks(25)
            quire.cluster(seeds / "documents.txt", 2, recipe=recipe, random_state=1, n_jobs=1, out=disk / "run")
        else:
            try:
                getattr(crash, action)(*arguments(action, disk, seeds))
            except AssertionError:  # the server warns, and goes on without an index
                raise ValueError("The index could not be made.") from None


def _again(disk: Path, seeds: Path) -> None:
    """See that a run in blocks left a run; make it again, which clears what a killed one left to go on from."""
    quire.load(disk / "run")
    where.forget_work(disk / "run")
    _act("cluster_in_blocks", disk, seeds)


def _judge(outcome: Outcome, limit: str) -> dict[str, int]:
    """Return what came of it; a library may end a process, or panic, which commands tell in a sentence."""
    if limit in ("handles", "memory") and outcome.verdict == TRACEBACK and outcome.words.startswith(_TOLD):
        return {"panics of a library": 1}
    if limit == "memory" and outcome.verdict == SIGNAL and outcome.words in ("SIGABRT", "SIGTRAP"):
        return {"ended by an allocator": 1}
    return {"held" if judged(outcome).verdict == OK else "refused": 1}


_Limited = Callable[[Callable[[], None]], None]


_Place = tuple[Path, Callable[[], object], _Limited, Callable[[], object]]


def _limits(limit: str, share: float, folder: Path) -> _Place:
    """Return a folder, what is to be done once it is prepared, in the process that acts, and after."""
    disk = folder / "disk"
    if limit in ("disk", "read-only"):
        return _small_disk(limit, share, disk)
    kind, most = {
        "file size": (resource.RLIMIT_FSIZE, int(share**3 * 400_000)),
        "memory": (resource.RLIMIT_AS, _address_space() + int(share**2 * (400 << 20))),
        "handles": (resource.RLIMIT_NOFILE, len(list(Path("/proc/self/fd").iterdir())) + int(share**2 * 30)),
    }[limit]

    def limited(act: Callable[[], None]) -> None:
        before = resource.getrlimit(kind)
        resource.setrlimit(kind, (most, before[1]))
        try:
            act()
        finally:
            resource.setrlimit(kind, before)

    return disk, _nothing, limited, _nothing


def _small_disk(limit: str, share: float, disk: Path) -> _Place:
    try:
        small = SmallDisk(disk)
    except PermissionError:
        if limit == "disk":
            return _limits("file size", share, disk.parent)
        closed = read_only(disk)
        return disk, closed.__enter__, _unlimited, lambda: closed.__exit__(None, None, None)
    if limit == "disk":
        return disk, lambda: small.set_room(int(share**2 * 250)), _unlimited, lambda: small.set_room(1 << 16)
    return disk, lambda: small.make_read_only(True), _unlimited, lambda: small.make_read_only(False)


def _unlimited(act: Callable[[], None]) -> None:
    act()


def _nothing() -> None:
    pass


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
