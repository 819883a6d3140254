"""Edits of one run made again in another: topics are found by their words, documents by their ids."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.runs.edits.draft import Draft
from quire.runs.edits.entry import Edit, active
from quire.runs.edits.fold import folded, from_draft, named, parted
from quire.runs.edits.registry import KINDS

_HELD = ("pin", "ban", "move", "together", "apart")  # what is said of words and documents: others are in the topics
_ENOUGH = 0.35  # of a topic's words that another one must have to be the same topic


def replayed(run: Any, edits: Sequence[Edit]) -> tuple[Any, list[str]]:
    """Return a run with more edits, and a sentence for each that could not be made."""
    before = () if run.edits is None else run.edits.history
    first, wanted = run if run.edits is None else run.edits.first, active(edits)
    draft, done, sentences = Draft(first), list[Edit](), list[str]()
    for edit in active(before):
        KINDS[edit.what](draft, edit)
    state = None  # when topics were last changed: names that were given later are not part of it
    for edit in wanted:
        changes = bool(parted([edit])[0])
        try:
            if changes:
                draft.check_topics_change()
            here, trial = _found(draft, edit), draft.copy()
            KINDS[here.what](trial, here)
        except ValueError as error:
            sentences.append(f"Left out: {edit}. {error}")
            continue
        draft, state = trial, trial.copy() if changes else state
        done.append(here)
    sentences += [
        f"Left out: {edit}. It is of a cut at {cut} topics: quire edit RUN --import takes it, where RUN has such a cut."
        for cut in sorted({edit.cut for edit in edits if edit.cut is not None})
        for edit in active(edits, cut)
    ]
    history = (*before, *done)
    return folded(run, history) if state is None else named(from_draft(state), history), sentences


def held_on(run: Any, before: Any, tell: Callable[[str], object] = warnings.warn) -> Any:
    """Return a run that another one became by an update, with what people had said there of words and documents."""
    said = [edit for edit in active(() if before.edits is None else before.edits.history) if edit.what in _HELD]
    return told(run, said, tell) if said else run


def told(run: Any, edits: Sequence[Edit], tell: Callable[[str], object]) -> Any:
    """Return a run with more edits; tell which could not be made."""
    changed, left = replayed(run, edits)
    for sentence in left:
        tell(sentence)
    return changed


def _found(draft: Draft, edit: Edit) -> Edit:
    """Return an edit with the numbers that its topics have here."""
    words = edit.given.get("words")
    if not words:
        return edit
    given = dict(edit.given)
    if "topic" in given:
        given["topic"] = _topic(draft, words, given["topic"], ())
    if "topics" in given:
        numbers: list[int] = []
        for own, number in zip(words, given["topics"]):
            numbers.append(_topic(draft, own, number, numbers))
        given["topics"] = numbers
    return replace(edit, given=given)


def _topic(draft: Draft, words: Sequence[str], number: int, taken: Sequence[int]) -> int:
    """Return the topic that has most of these words; of equal ones the one with the number that it had."""
    shares = _shares(draft, [word for word in words if isinstance(word, str)])
    shares[list(taken)] = -1
    best = int(shares.argmax()) if len(shares) else -1
    if number < len(shares) and shares[number] >= shares.max():
        best = number
    if best < 0 or shares[best] < _ENOUGH:
        raise ValueError(f"No topic here is about {', '.join(map(str, words[:3])) or 'its words'}.")
    return best


def _shares(draft: Draft, words: Sequence[str]) -> NDArray[np.float64]:
    """Return how much of some words each topic has: of each word its share, the first words counting most."""
    H = draft.H / np.maximum(draft.H.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    place = {word: j for j, word in enumerate(draft.first.words)}
    total, shares = 0.0, np.zeros(len(H))
    for rank, word in enumerate(words):
        weight = 1 / (rank + 2)
        columns = [place[part] for part in {word, *word.split(" ")} if part in place]
        for column in columns:
            own = H[:, column]
            shares += weight / len(columns) * own / max(own.sum(), np.finfo(np.float64).tiny)
        total += weight
    return shares / max(total, np.finfo(np.float64).tiny)
