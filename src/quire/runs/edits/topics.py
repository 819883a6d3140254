"""Edits of whole topics: merge, split, remove."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.check import silent_rows
from quire.messages import counted
from quire.runs.edits.draft import Draft
from quire.runs.edits.entry import Edit


def merge(draft: Draft, edit: Edit) -> None:
    """Make one topic of several, under the number of the first; a document's share in it is the sum of its shares.

    Its words are those of all of them, by how much there is of each. Documents of other topics stay there.
    """
    topics = [draft.topic(topic) for topic in edit.given["topics"]]
    first, others, before = topics[0], topics[1:], draft.assigned()[0]
    lengths, heavy = draft.lengths, draft.W.sum(axis=0)[topics]
    share = heavy / heavy.sum() if heavy.sum() > 0 else np.full(len(topics), 1 / len(topics))
    H, sizes = draft.H.copy(), None if draft.sizes is None else draft.sizes.copy()
    H[first] = share @ H[topics]
    if sizes is not None:
        sizes[first] = sizes[topics].sum()
    weights = (draft.W[:, topics] * lengths[topics]).sum(axis=1)
    draft.set_topics(H, sizes)
    draft.W[:, first] = weights / max(draft.lengths[first], np.finfo(np.float64).tiny)
    draft.W[:, others] = 0
    draft.names[first] = next((draft.names[topic] for topic in topics if draft.names[topic]), "")
    draft.notes[first] = "\n".join(draft.notes[topic] for topic in topics if draft.notes[topic])
    draft.renumber({topic: first if topic in others else topic for topic in range(len(draft))})
    draft.touch([first])
    stays = [topic for topic in range(len(draft)) if topic not in others]
    draft.keep_only(stays)
    elsewhere = np.flatnonzero((before >= 0) & ~np.isin(before, topics))
    own = np.searchsorted(stays, before[elsewhere])
    torn = draft.assigned()[0][elsewhere] != own  # between the topics that were merged, and so drawn to them now
    draft.lead(elsewhere[torn], own[torn])
    draft.constrain()


def split(draft: Draft, edit: Edit) -> None:
    """Make several topics of one: the recipe's own method, on its documents alone, which move nowhere else.

    The largest part keeps the number; the others come last. Whoever else had a part in the topic has it in all parts.
    """
    topic, into = draft.topic(edit.given["topic"]), edit.given["into"]
    rows = draft.rows_of(topic)
    shares, H = _parts(draft, topic, rows, into)
    heavy = shares.sum(axis=0) / shares.sum()
    weights = draft.W[:, topic] * draft.lengths[topic]
    sizes = None if draft.sizes is None else np.r_[draft.sizes, draft.sizes[topic] * heavy[1:]]
    if sizes is not None:
        sizes[topic] *= heavy[0]
    numbers = [topic, *range(len(draft), len(draft) + len(H) - 1)]
    whole = np.vstack([draft.H, H[1:]])
    whole[topic] = H[0]
    draft.set_topics(whole, sizes)
    every = np.outer(weights, heavy)
    every[rows] = weights[rows, None] * shares
    draft.W = np.column_stack([draft.W, np.zeros((len(draft.W), len(H) - 1))])
    draft.W[:, numbers] = every / np.maximum(draft.lengths[numbers], np.finfo(np.float64).tiny)
    own = np.array(numbers)[shares.argmax(axis=1)]
    draft.lead(rows, own)
    _follow(draft, topic, numbers, rows, own)


def _follow(draft: Draft, topic: int, numbers: list[int], rows: NDArray[np.intp], own: NDArray[np.intp]) -> None:
    """Let names, notes, documents and words that were held to the topic that was split go with its parts."""
    draft.origin += [-1] * (len(numbers) - 1)
    draft.names += [""] * (len(numbers) - 1)
    draft.notes += [""] * (len(numbers) - 1)
    draft.names[topic] = ""  # of all of it
    now = dict(zip(rows.tolist(), own.tolist()))
    held = {row: now.get(row, at) if at == topic else at for row, at in (draft.kept.held or {}).items()}
    draft.kept = type(draft.kept)(held, draft.kept.together, draft.kept.apart)
    for word, at in draft.pins.items():
        if at == topic:
            draft.pins[word] = numbers[int(draft.H[numbers, word].argmax())]
    draft.touch(numbers)
    draft.constrain_words()
    draft.constrain()


def _parts(
    draft: Draft, topic: int, rows: NDArray[np.intp], into: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares of a topic's documents in its parts, largest part first, and the parts' words."""
    if len(rows) < into:
        raise ValueError(
            f"Topic {topic} has {counted(len(rows), 'document')}, too few for {into} parts: ask for fewer."
        )
    X, first = sp.csr_array(draft.X[rows]), draft.first
    there = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    some = sp.csr_array(X[:, there])
    method = first.recipe.make_estimator(into, first.info["seed"], None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says below what came of it
            labels, shares = method.assign(
                method.fit_transform(some), silent=silent_rows(some), **first.recipe.assignment
            )
    except ValueError as error:
        raise ValueError(f"Topic {topic} cannot be split into {into} parts. {error}") from None
    shares = np.asarray(shares, np.float64)
    counts = np.bincount(labels[labels >= 0], minlength=shares.shape[1])
    order = [part for part in np.argsort(-counts, kind="stable") if counts[part]]
    if len(order) < 2:
        raise ValueError(f"Topic {topic} does not fall into {into} parts: its documents are too much alike.")
    shares = shares[:, order] / np.maximum(shares[:, order].sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    if draft.sizes is not None:
        return shares, draft.distributions(X, shares)
    H = np.zeros((len(order), X.shape[1]))
    H[:, there] = np.asarray(method.components_, np.float64)[order]
    return shares, H


def remove(draft: Draft, edit: Edit) -> None:
    """Leave a topic out: each of its documents goes to the topic that was its next, which learns their words."""
    topic = draft.topic(edit.given["topic"])
    if len(draft) == 1:
        raise ValueError("The only topic of a run cannot be removed: split it first.")
    rows = draft.rows_of(topic)
    draft.keep_only([number for number in range(len(draft)) if number != topic])
    lost = rows[~draft.W[rows].any(axis=1)]
    draft.solve(lost)
    labels = draft.assigned()[0][rows]
    come = np.unique(labels[labels >= 0]).tolist()
    draft.touch(come)
    draft.refresh(come)
    draft.constrain()
