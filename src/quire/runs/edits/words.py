"""Edits of words: pin one to a topic, ban one from all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quire.runs.edits.draft import Draft
from quire.runs.edits.entry import Edit


def pin(draft: Draft, edit: Edit) -> None:
    """Leave a word to one topic, among whose keywords it is; the documents that hold it are solved for again."""
    word, topic = draft.column(edit.given["word"]), draft.topic(edit.given["topic"])
    if word in draft.bans:
        raise ValueError(f"The word {edit.given['word']!r} is banned: undo that first.")
    draft.pins[word] = topic
    draft.touch([topic])
    _solve_holders(draft, word)


def ban(draft: Draft, edit: Edit) -> None:
    """Let a word tell nothing, and be among no keywords; the documents that hold it are solved for again."""
    word = draft.column(edit.given["word"])
    draft.bans.add(word)
    draft.pins.pop(word, None)
    _solve_holders(draft, word)


def _solve_holders(draft: Draft, word: int) -> None:
    draft.constrain_words()
    draft.solve(_holders(draft, word))


def _holders(draft: Draft, word: int) -> NDArray[np.intp]:
    """Return the documents that hold a word."""
    X = draft.X
    return np.unique(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[X.indices == word])
