"""The run that follows from the first one and the edits that hold: the same, whoever made it, whenever."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.runs.edits.describe import described_draft
from quire.runs.edits.draft import Draft, given_before
from quire.runs.edits.entry import Edit, active, undone, with_words
from quire.runs.edits.registry import KINDS
from quire.runs.names import with_names

_WORDS = {"rename": "name", "note": "note"}  # edits that change nothing but words about topics

_MOST = 10_000  # edits that hold and change topics: each takes a while to make again, and a log may be anybody's


@dataclass(frozen=True, eq=False)
class Edits:
    """What a run knows of its edits."""

    history: tuple[Edit, ...]  # all of them, in order; what was undone, too
    first: Any  # the Run that they began with
    own: list[str]  # names that topics have by themselves
    names: list[str]  # that people had given when topics were last changed; "" for none
    notes: list[str]  # the same

    def given(self) -> tuple[list[str], list[str]]:
        """Return the names and notes that people gave, up to now."""
        names, notes = list(self.names), list(self.notes)
        for edit in parted(self.history)[1]:
            topic = edit.given["topic"]
            if topic >= len(names):
                raise ValueError(f"There is no topic {topic}: they are numbered from 0 to {len(names) - 1}.")
            (names if edit.what == "rename" else notes)[topic] = edit.given[_WORDS[edit.what]]
        return names, notes


def parted(history: Sequence[Edit]) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """Return the edits that hold up to the last one that changes topics, and those after it."""
    holding = active(history)
    last = max((at for at, edit in enumerate(holding) if edit.what not in _WORDS), default=-1)
    return holding[: last + 1], holding[last + 1 :]


def digest(edits: Sequence[Edit]) -> str:
    """Return what tells edits from others that would make another run; who made them, and when, does not."""
    said = [{"what": edit.what, **edit.given, "words": None} for edit in edits]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def edited(run: Any, edit: Edit) -> Any:
    """Return the run that another one is after one more edit."""
    history = run.edits.history if run.edits is not None else ()
    if edit.what == "undo" and not active(history, edit.cut):
        raise ValueError("There is nothing to undo: this is the first state.")
    if edit.what == "redo" and not undone(history, edit.cut):
        raise ValueError("There is nothing to redo: nothing was undone last.")
    return folded(run, (*history, with_words(edit, run.topics["keywords"].to_list())))


def folded(run: Any, history: Sequence[Edit]) -> Any:
    """Return a run with all these edits, whatever edits it has now."""
    first, changes = run if run.edits is None else run.edits.first, parted(history)[0]
    if run.edits is not None and digest(changes) == digest(parted(run.edits.history)[0]):
        return named(run, history)
    if not changes:
        return named(first, history)
    if len(changes) > _MOST:
        raise ValueError(f"Topics can be edited at most {_MOST:,} times, and this is one more: undo some edits first.")
    draft = Draft(first)
    draft.check_topics_change()
    for edit in changes:
        KINDS[edit.what](draft, edit)
    return named(from_draft(draft), history)


def from_draft(draft: Draft) -> Any:
    """Return the run that a draft has become; what is said of it is said once, whatever was done."""
    parts = described_draft(draft)
    edits = Edits((), draft.first, parts.pop("own"), list(draft.names), list(draft.notes))
    return replace(draft.first, **parts, edits=edits, hierarchy=None)


def named(run: Any, history: Sequence[Edit]) -> Any:
    """Return a run with the names and notes of its last edits, which change nothing else."""
    edits: Edits = run.edits or Edits((), run, run.topics["name"].to_list(), *given_before(run))
    edits = replace(edits, history=tuple(history))
    names = {topic: name or edits.own[topic] for topic, name in enumerate(edits.given()[0])}
    return replace(run, topics=with_names(run.topics, names), edits=edits, others=dict(run.others))
