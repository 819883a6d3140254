"""What a table or figure of a paper is here: a name, a function that runs it, and cells with both numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Setting:
    """How an experiment is run.

    Parameters
    ----------
    data : path
        The folder of the corpora.
    full : bool
        The paper's own numbers of draws and starts; else as many as a few minutes allow.
    seed : int
        All random numbers follow from it.
    threads : int or None
        At most so many.
    update : callable
        Is told how much is done, of how much, and what is being done.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.reproduce.experiment import Setting
    >>> Setting(Path("data"), full=True).pick(quick=3, full=50)
    50
    """

    data: Path
    full: bool = False
    seed: int = 0
    threads: int | None = None
    update: Callable[[int, int, str], None] = lambda done, total, what: None

    def pick(self, quick: Any, full: Any) -> Any:
        """Return one of two values."""
        return full if self.full else quick


@dataclass(frozen=True)
class Cell:
    """One number of a table: the paper's (None where it has none) and ours (None where it cannot be had).

    Examples
    --------
    >>> from quire.reproduce.experiment import Cell
    >>> Cell("k = 3", "NMF", paper=0.69, ours=0.71).difference
    0.02
    """

    row: str
    column: str
    paper: float | None
    ours: float | None
    spread: float | None = None
    """Standard deviation of ours over draws or seeds."""

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        return None if self.paper is None or self.ours is None else round(self.ours - self.paper, 12)


@dataclass(frozen=True)
class Result:
    """What an experiment found.

    Examples
    --------
    >>> from quire.reproduce.experiment import Cell, Result
    >>> Result([Cell("k = 3", "NMF", 0.69, 0.71)]).columns
    ['NMF']
    """

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
    """A table or figure that can be done again.

    Parameters
    ----------
    name : str
        As in ``kim2008/table1``.
    title : str
        What it shows.
    run : callable
        Takes a :class:`Setting` and returns a :class:`Result`.
    data : tuple of str
        Files that it needs in the data folder.

    Examples
    --------
    >>> from quire.reproduce.experiment import Experiment, Result
    >>> Experiment("me2026/table1", "nothing", lambda setting: Result([])).data
    ()
    """

    name: str
    title: str
    run: Callable[[Setting], Result]
    data: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unavailable:
    """A table or figure that cannot be done again, and why.

    Examples
    --------
    >>> from quire.reproduce.experiment import Unavailable
    >>> Unavailable("conroy2023/figure3", "DUC 2004", "the corpus needs a licence").why
    'the corpus needs a licence'
    """

    name: str
    title: str
    why: str
