"""Edits of single documents: move one, hold two together, keep two apart."""

from __future__ import annotations

from quire.runs.edits.draft import Draft
from quire.runs.edits.entry import Edit


def move(draft: Draft, edit: Edit) -> None:
    """Put a document into a topic, where it stays whatever is solved for again."""
    row, topic = draft.row(edit.given["document"]), draft.topic(edit.given["topic"])
    draft.kept = draft.kept.moved(row, topic)
    draft.constrain()


def together(draft: Draft, edit: Edit) -> None:
    """Hold two documents in one topic: the one that fits both best."""
    draft.kept = draft.kept.joined(*map(draft.row, edit.given["documents"]))
    draft.constrain()


def apart(draft: Draft, edit: Edit) -> None:
    """Keep two documents in different topics: the one that loses less by it goes to its next."""
    draft.kept = draft.kept.parted(*map(draft.row, edit.given["documents"]))
    draft.constrain()
