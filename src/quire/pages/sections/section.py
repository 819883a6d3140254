"""What a section of the page is made from, and one that needs no view of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Asked:
    """What the page was asked to hold beside the run."""

    title: str = ""  # of the page
    choice: str | Path | None = None  # what ``quire choose`` wrote
    other: str | Path | dict[str, Any] | None = None  # another run, or the comparison with it


class TableSection(NamedTuple):
    """A title, paragraphs and a table of texts and numbers, which one view of the page shows of any run."""

    title: str
    text: list[str]
    columns: list[str]
    rows: list[list[str | float | None]]
