"""A run while it is edited: its factors, what is to be kept whatever is solved again, and words about topics."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import meant
from quire.methods.estimator import TopicEstimator
from quire.runs.edits.constraints import Constraints, led

_PINNED = 20.0  # how many times as much a topic has of a word that is pinned to it as any other
_FLOOR = 1e-12  # the least probability of a term, where topics are distributions


def given_before(run: Any) -> tuple[list[str], list[str]]:
    """Return the names and the notes that people gave topics before a run was updated; "" for none."""
    given, k = run.info.get("given") or {}, len(run.topics)
    names, notes = ([*given.get(what, ()), *[""] * k][:k] for what in ("names", "notes"))
    return names, notes


class Draft:
    """The factors of a run, changed edit by edit; ``first`` is the run that it began with, which stays as it is."""

    def __init__(self, first: Any) -> None:  # a Run, whose methods come here
        self.first = first
        self.W = np.array(first.W, np.float64)
        self.H = np.array(first.estimator.components_, np.float64)
        self.sizes = first.estimator.topic_sizes
        self.origin: list[int] = list(range(len(self.H)))  # the first run's number of each topic; −1: another one
        self.now = {topic: topic for topic in self.origin}  # the number of what each topic of the first run became
        self.names, self.notes = given_before(first)
        self.kept = Constraints()
        self.pins: dict[int, int] = {}  # of a term: its topic
        self.bans: set[int] = set()
        self._model: TopicEstimator = first.estimator

    def __len__(self) -> int:
        return len(self.H)

    # -- what is there -----------------------------------------------------------------------------------------------

    def topic(self, number: int) -> int:
        """Refuse a topic that is not there."""
        if not 0 <= number < len(self):
            raise ValueError(f"There is no topic {number}: they are numbered from 0 to {len(self) - 1}.")
        return number

    def row(self, document: str) -> int:
        """Return the row of a document."""
        ids = self.first.documents["id"]
        found = (ids == document).arg_max()
        if found is None or ids[found] != document:
            near = meant(document, ids.head(20_000))
            raise ValueError(f"There is no document {document!r}{near}: documents are named by their ids.")
        return int(found)

    def column(self, word: str) -> int:
        """Return the column of a term, as it is shown or as it is counted, however it is written."""
        for words in (self.first.words, self.first.vocabulary):
            for form in (word, word.casefold()):
                if form in words:
                    return int(words.index(form))
        near = meant(word.casefold(), self.first.words)
        raise ValueError(f"The run does not know the word {word!r}{near}: no topic could hold it.")

    @property
    def X(self) -> sp.csr_array:  # noqa: N802
        """The weighted counts."""
        return self.first.recounted[1]

    @property
    def estimator(self) -> TopicEstimator:
        """The model, as it is now."""
        if self._model is self.first.estimator or len(self._model.components_) != len(self.H):
            self._model = self.first.estimator.with_topics(self.H, self.sizes).set_params(device="cpu")
        return self._model

    @property
    def lengths(self) -> NDArray[np.float64]:
        """What weights are multiplied by before they are compared."""
        return self.estimator.topic_lengths(**self.first.recipe.assignment)

    def assigned(self) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return each document's topic, −1 for none, and its shares in all."""
        W = self.W.astype(self.first.W.dtype)
        silent = self.first.silent() & ~self.W.any(axis=1)
        labels, shares = self.estimator.assign_by(self.lengths, W, silent)
        return labels, np.asarray(shares)

    def rows_of(self, topic: int) -> NDArray[np.intp]:
        """Return the documents of a topic."""
        return np.flatnonzero(self.assigned()[0] == topic)

    # -- what changes ------------------------------------------------------------------------------------------------

    def set_topics(self, H: NDArray[np.float64], sizes: NDArray[np.float64] | None) -> None:
        """Let there be other topics, or others of the same number."""
        if sizes is not None:
            H = np.maximum(H, _FLOOR)
            H = H / H.sum(axis=1, keepdims=True)
            sizes = sizes / sizes.sum()
        self.H, self.sizes = H, sizes
        self._model = self.first.estimator.with_topics(self.H, self.sizes).set_params(device="cpu")

    def give(self, rows: NDArray[np.intp], shares: NDArray[np.float64]) -> None:
        """Give documents these shares in all topics; how long they are stays."""
        lengths = np.maximum(self.lengths, np.finfo(np.float64).tiny)
        total = (self.W[rows] * lengths).sum(axis=1)
        total[total == 0] = 1.0
        self.W[rows] = shares * total[:, None] / lengths

    def keep_only(self, topics: Sequence[int]) -> None:
        """Leave topics out, and number the rest anew; who had a part in them has the rest, as much as before."""
        order = list(topics)
        before = (self.W * self.lengths).sum(axis=1)
        self.W = np.ascontiguousarray(self.W[:, order])
        self.set_topics(self.H[order], None if self.sizes is None else self.sizes[order])
        after = (self.W * self.lengths).sum(axis=1)
        self.W *= np.divide(before, after, out=np.ones(len(before)), where=after > 0)[:, None]
        self.renumber({old: new for new, old in enumerate(order)})
        self.origin = [self.origin[topic] for topic in order]
        self.names = [self.names[topic] for topic in order]
        self.notes = [self.notes[topic] for topic in order]

    def renumber(self, new: dict[int, int]) -> None:
        """Let what holds documents and words to topics hold them to the new numbers; to none that is gone."""
        self.kept = self.kept.renumbered(new)
        self.now = {first: new[topic] for first, topic in self.now.items() if topic in new}
        self.pins = {word: new[topic] for word, topic in self.pins.items() if topic in new}

    def touch(self, topics: Iterable[int]) -> None:
        """Say that topics are not what they were: they are described anew."""
        for topic in topics:
            self.origin[topic] = -1

    def solve(self, rows: NDArray[np.intp]) -> None:
        """Find the best weights of some documents again, and keep what is to be kept."""
        if len(rows):
            X = sp.csr_array(self.X[rows])
            self.W[rows] = np.asarray(self.estimator.transform(X), np.float64)
        self.constrain()

    def constrain(self) -> None:
        """Bring documents to where people said that they belong, or belong together."""
        if self.kept.empty:
            return
        rows = self.kept.rows
        shares = np.asarray(self.assigned()[1][rows], np.float64)
        self.give(rows, self.kept.applied(rows, shares, self.first.info["options"].get("abstain") or 0.0))

    def lead(self, rows: NDArray[np.intp], topics: NDArray[np.intp]) -> None:
        """Let a topic each be the largest of documents: no more is changed than that takes."""
        shares = np.asarray(self.assigned()[1][rows], np.float64)
        for at, topic in enumerate(topics):
            shares[at] = led(shares[at], int(topic))
        self.give(rows, shares)

    def check_topics_change(self) -> None:
        """Refuse, before anything is done, where the run does not allow more than words about its topics."""
        if self.first.counts is None or "text" not in self.first.documents.columns:
            raise ValueError(
                "The run was made from a matrix, which it does not keep: its topics can be named and noted, "
                "not merged, split or moved."
            )
        if (self.H < 0).any():
            raise ValueError("Topics with weights below 0 can only be named and noted: take another recipe.")
        self.first.estimator.with_topics(self.H, self.sizes)

    def refresh(self, topics: Sequence[int]) -> None:
        """Learn the words of topics again to which many documents came: one step, the others staying what they are."""
        X, some = self.X, list(topics)
        if not some:
            return
        W, H = self.W, self.H.copy()
        if self.sizes is not None:
            shares = np.asarray(self.assigned()[1], np.float64)
            shares[self.W.sum(axis=1) == 0] = 0
            H[some] = self.distributions(sp.csr_array(X), shares[:, some])
            sizes = shares.sum(axis=0)
            self.set_topics(H, self.sizes if not sizes.any() else np.maximum(sizes, _FLOOR))
        else:
            gram, product = W.T @ W, np.asarray((X.T @ W[:, some]).T, np.float64)
            for at, topic in enumerate(some):
                if gram[topic, topic] > 0:
                    rest = gram[topic] @ H - gram[topic, topic] * H[topic]
                    row = np.maximum(product[at] - rest, 0) / gram[topic, topic]
                    H[topic] = _as_long_as(H[topic], row)
            self.set_topics(H, None)
        self.constrain_words()

    def distributions(self, X: sp.csr_array, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return p(term | topic) of documents with these shares (the M step)."""
        terms = np.asarray((X.T @ shares).T, np.float64) * self.first.estimator.worth
        terms += getattr(self.first.estimator, "smoothing", 0.0)
        return np.asarray(terms / np.maximum(terms.sum(axis=1, keepdims=True), _FLOOR))

    def constrain_words(self) -> None:
        """Leave pinned words to their topics alone, and banned words to none: these then tell nothing."""
        H, sizes = self.H.copy(), self.sizes
        weight = self.W.sum(axis=0) if sizes is None else sizes
        for word, topic in self.pins.items():
            other = np.arange(len(H)) != topic
            own = (H[:, word] * weight).sum() / max(weight[topic], _FLOOR)
            H[topic, word] = max(H[topic, word], own)
            H[other, word] = np.minimum(H[other, word], H[topic, word] / _PINNED)
        if sizes is not None and self.pins:
            H /= H.sum(axis=1, keepdims=True)
        banned = sorted(self.bans)
        H[:, banned] = 0
        if sizes is not None and banned:
            H /= np.maximum(H.sum(axis=1, keepdims=True), _FLOOR)
            H[:, banned] = _FLOOR
        if sizes is None:
            H = np.stack([_as_long_as(before, row) for before, row in zip(self.H, H, strict=True)])
        self.set_topics(H, sizes)

    def copy(self) -> Draft:
        """Return another draft that is the same so far."""
        other = copy.copy(self)
        other.W, other.pins, other.bans = self.W.copy(), dict(self.pins), set(self.bans)
        other.origin, other.names, other.notes = list(self.origin), list(self.names), list(self.notes)
        return other


def _as_long_as(before: NDArray[np.float64], row: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a topic's new words, as heavy as before: who does not hold them is as much in it as he was."""
    length = float(np.linalg.norm(row))
    return row * (float(np.linalg.norm(before)) / length) if length > 0 else before
