"""What the page shows of a run's edits: the last of them, how many there are, what can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quire.messages import short
from quire.runs.edits.entry import Edit, active, undone
from quire.runs.run import Run

_SHOWN = 200  # edits, the last ones


def edits_of(run: Run) -> dict[str, Any]:
    """Return the edits of a run, or of a cut of it, as the page shows them."""
    return log_of(() if run.edits is None else run.edits.history)


def log_of(history: Sequence[Edit], cut: int | None = None) -> dict[str, Any]:
    """Return a log as the page shows it; ``version`` is by which a page knows that others edited meanwhile."""
    holding = active(history, cut)
    known = {id(edit) for edit in holding}
    own = [edit for edit in history if edit.cut == cut][-_SHOWN:]
    log = [{"text": short(str(edit)), "who": edit.who, "when": edit.when, "holds": id(edit) in known} for edit in own]
    return {"version": len(history), "undo": len(holding), "redo": undone(history, cut), "log": log}
