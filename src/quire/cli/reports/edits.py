"""What was edited, for a terminal."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quire.cli.output import PAGE_FILE
from quire.cli.reports.notes import note_lines
from quire.cli.reports.run import clean, topic_table
from quire.messages import counted
from quire.runs.edits.entry import Edit, active
from quire.runs.run import Run

_LONGEST = 200  # letters of an edit


def edit_report(run: Run, folder: Path) -> RenderableType:
    """Return the topics after an edit, and how to go back."""
    last = Text(f"{len(run.history) - len(run.updates)}. {clean(str(_edits(run)[-1]), _LONGEST)}")
    return Group(last, Text(""), topic_table(run), *note_lines(run), Text(""), *_next(run, folder))


def import_report(run: Run, left: list[str], folder: Path) -> RenderableType:
    """Return the topics after the edits of a file, and which of these could not be made."""
    lines = [Text(clean(sentence, 2 * _LONGEST)) for sentence in left]
    return Group(*lines, topic_table(run), *note_lines(run), Text(""), *_next(run, folder))


def log_report(run: Run) -> RenderableType:
    """Return all edits, those that do not hold any more in dim letters."""
    if run.edits is None:
        return Text("The run was not edited: it is as it was made.")
    holding = {id(edit) for cut in {edit.cut for edit in _edits(run)} for edit in active(_edits(run), cut)}
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("", "When", "Who", "What"):
        table.add_column(heading, no_wrap=heading != "What")
    for number, edit in enumerate(_edits(run), 1):
        step = edit.what in ("undo", "redo")
        at = "" if edit.cut is None else f" (at {counted(edit.cut, 'topic')})"
        what = clean(f"{edit}{at}", _LONGEST) + ("" if step or id(edit) in holding else " (undone)")
        style = "" if id(edit) in holding else "dim"
        table.add_row(str(number), clean(edit.when, 40), clean(edit.who, 40), what, style=style)
    return table


def _edits(run: Run) -> tuple[Edit, ...]:
    return () if run.edits is None else run.edits.history


def _next(run: Run, folder: Path) -> list[RenderableType]:
    named, holding = shlex.quote(str(folder)), len(active(_edits(run)))
    lines = [f"{counted(holding, 'edit')} in all. Undo with: quire edit {named} undo"]
    if not holding:
        lines = [f"The run is as it was made. Bring the last edit again with: quire edit {named} redo"]
    if (folder / PAGE_FILE).exists():
        lines.append(f"Its page is as it was; write it anew with: quire page {named}")
    return [Text(line, "dim") for line in lines]
