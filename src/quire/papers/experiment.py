"""What a table or figure of a paper is here: a name, a function that runs it, and cells with both numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire.papers.journal import Journal


@dataclass(frozen=True)
class Setting:
    """How an experiment is run."""

    data: Path  # the folder of the corpora
    full: bool = False  # the paper's own numbers of draws and starts; else as many as a few minutes allow
    seed: int = 0  # all random numbers follow from it
    threads: int | None = None  # at most so many
    # is told how much is done, of how much, and what is being done
    update: Callable[[int, int, str], None] = lambda done, total, what: None
    journal: Journal = field(default_factory=Journal, compare=False)  # where answers of tasks are kept

    def pick(self, quick: Any, full: Any) -> Any:
        """Return one of two values."""
        return full if self.full else quick


@dataclass(frozen=True)
class Cell:
    """One number of a table: the paper's (None where it has none) and ours (None where it cannot be had)."""

    row: str
    column: str
    paper: float | None
    ours: float | None
    spread: float | None = None
    """Standard deviation of ours over draws or seeds."""
    runs: int | None = None
    """How many draws or seeds."""

    @property
    def error(self) -> float | None:
        """Standard error of ours."""
        return None if self.spread is None or not self.runs else self.spread / math.sqrt(self.runs)

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        return None if self.paper is None or self.ours is None else round(self.ours - self.paper, 12)


@dataclass(frozen=True)
class Claim:
    """Something that a paper says, and what came of it here."""

    text: str
    verdict: str  # holds, does not hold, or holds only under something
    evidence: str  # the numbers that say so


@dataclass(frozen=True)
class Result:
    """What an experiment found."""

    cells: list[Cell]
    differs: list[str] = field(default_factory=list)
    """What is not as in the paper: data, protocol, counts; a sentence each."""
    findings: list[str] = field(default_factory=list)
    """Whether the ranking or the shape is as published, and if not the likely reason; a sentence each."""
    figures: dict[str, str] = field(default_factory=dict)
    """SVG texts by name."""
    text: str = ""
    """What a table cannot hold, such as keywords."""
    digits: int = 3

    @property
    def rows(self) -> list[str]:
        """The rows, in the order in which they first come."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    @property
    def columns(self) -> list[str]:
        """The columns, in the order in which they first come."""
        return list(dict.fromkeys(cell.column for cell in self.cells))


@dataclass(frozen=True)
class Experiment:
    """A table or figure that can be done again."""

    name: str  # as in ``kim2008/table1``
    title: str  # what it shows
    run: Callable[[Setting], Result]  # takes a :class:`Setting` and returns a :class:`Result`
    data: tuple[str, ...] = ()  # files that it needs in the data folder


@dataclass(frozen=True)
class Unavailable:
    """A table or figure that cannot be done again, and why."""

    name: str
    title: str
    why: str
