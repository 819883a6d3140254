"""Edits by their names: a new one is a function of a draft and an edit, what it has in ``entry``, and a line below."""

from __future__ import annotations

from collections.abc import Callable

from quire.runs.edits import documents, topics, words
from quire.runs.edits.draft import Draft
from quire.runs.edits.entry import Edit


def rename(draft: Draft, edit: Edit) -> None:
    """Give a topic a name; an empty one gives it its own back."""
    draft.names[draft.topic(edit.given["topic"])] = edit.given["name"]


def note(draft: Draft, edit: Edit) -> None:
    """Keep a note beside a topic; an empty one takes it away."""
    draft.notes[draft.topic(edit.given["topic"])] = edit.given["note"]


KINDS: dict[str, Callable[[Draft, Edit], None]] = {
    "rename": rename, "note": note, "merge": topics.merge, "split": topics.split, "remove": topics.remove,
    "pin": words.pin, "ban": words.ban, "move": documents.move, "together": documents.together,
    "apart": documents.apart,
}  # fmt: skip
