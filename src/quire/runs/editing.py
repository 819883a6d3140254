"""Edits of a run in a folder: read it, change it, keep that; of two who do so at once one has to look again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from quire.runs.edits.entry import OF_A_CUT, Edit, active, undone, with_words
from quire.runs.edits.fold import edited, named
from quire.runs.edits.lines import read_edits
from quire.runs.edits.log import ConflictError, commit, conflict
from quire.runs.edits.replay import replayed, told
from quire.runs.load import load
from quire.runs.run import Run


def edit_run(folder: str | Path, edit: Edit, seen: int | None = None) -> Run:
    """Make an edit in the run of a folder; ``seen``: how many there were when it was last looked at."""
    words_only = edit.what in OF_A_CUT and edit.what not in ("undo", "redo")
    run = load(folder, texts=not words_only)
    known = () if run.edits is None else run.edits.history
    if seen is not None and seen != len(known):
        raise ConflictError(conflict(known, min(seen, len(known))))
    if edit.cut is None:
        changed: Run = edited(run, edit)
        changed.save(folder)
        return changed
    return _edit_cut(folder, run, known, edit)


def _edit_cut(folder: str | Path, run: Run, known: Sequence[Edit], edit: Edit) -> Run:
    """Name, or note, a topic of another cut."""
    first: Run = run if run.edits is None else run.edits.first
    cut = first.at(edit.cut or 0)
    own = active(known, edit.cut)
    if (edit.what == "undo" and not own) or (edit.what == "redo" and not undone(known, edit.cut)):
        raise ValueError(f"There is nothing to {edit.what} at this cut.")
    history = (*known, with_words(edit, cut.topics["keywords"].to_list()))
    mine = tuple(replace(one, cut=None) for one in history if one.cut == edit.cut)
    changed: Run = named(cut, mine)
    all_edits = named(run, history).edits
    commit(folder, all_edits, None)
    return changed


def import_edits(folder: str | Path, path: str | Path) -> tuple[Run, list[str]]:
    """Make the edits of a file in the run of a folder; return what could not be made, too."""
    wanted = read_edits(path)
    run, left = replayed(load(folder), [edit for edit in wanted if edit.cut is None])
    if run.edits is not None:
        run.save(folder)
    for edit in (edit for cut in {one.cut for one in wanted} - {None} for edit in active(wanted, cut)):
        try:
            edit_run(folder, edit)
        except ValueError as error:
            left.append(f"Left out: {edit}. {error}")
    return load(folder), left


def replayed_on(run: Run, path: str | Path, tell: Callable[[str], object] = warnings.warn) -> Run:
    """Make the edits of another run in a new one; tell what could not be made."""
    changed: Run = told(run, read_edits(path), tell)
    return changed
