"""What people noted beside topics, for a terminal."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from quire.cli.reports.run import clean
from quire.runs.run import Run

_LONGEST = 200  # letters of a note


def note_lines(run: Run) -> list[RenderableType]:
    """Return a line for each note."""
    return [Text(f"Note on {topic}: {clean(note, _LONGEST)}", "dim") for topic, note in run.notes.items()]
