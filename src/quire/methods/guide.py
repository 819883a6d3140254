"""What some topics are to be about: the words of each, and documents that are examples of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.engine.rules.rule import Start
from quire.places.parts import Blocks

_EACH = 5  # documents at least that a topic without seeds begins with


@dataclass(frozen=True, eq=False)
class Guide:
    """Seeds of the first topics: these begin with them, and hold them to some extent; all else is free."""

    terms: tuple[NDArray[np.intp], ...]  # columns of X, of each seeded topic
    documents: tuple[NDArray[np.intp], ...]  # rows of X
    strength: float  # 1 is what was found to be good

    def __len__(self) -> int:
        return len(self.terms)

    def among(self, terms: NDArray[np.intp]) -> Guide:
        """Return it for some of the terms, in this order."""
        number = dict(zip(terms.tolist(), range(len(terms))))
        known = [np.array([number[j] for j in own.tolist() if j in number], np.intp) for own in self.terms]
        return replace(self, terms=tuple(known))

    def scores(self, X: sp.csr_array) -> NDArray[np.float64]:
        """Return how much the words of documents speak for each seeded topic: rare words that no other has say most."""
        n, d = X.shape
        rarity = np.log((n + 1) / (np.bincount(X.indices, minlength=d) + 0.5))
        speaks = np.zeros((d, len(self)))
        for topic, terms in enumerate(self.terms):
            speaks[terms, topic] = rarity[terms]
        speaks /= np.maximum((speaks > 0).sum(axis=1), 1)[:, None]
        return np.asarray(X @ speaks, np.float64)

    def begun(self, X: sp.csr_array, rows: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """Return the seeded topic that each document begins in, −1 for none; rows of X are these of all."""
        scores = self.scores(X)
        best = scores.argmax(axis=1)
        ordered = np.sort(scores, axis=1)
        second = ordered[:, -2] if len(self) > 1 else np.zeros(len(scores))
        begun = np.where((ordered[:, -1] > 0) & (ordered[:, -1] > second), best, -1)
        if rows is not None:
            for topic, examples in enumerate(self.documents):
                begun[np.isin(rows, examples)] = topic
        return begun

    def unclaimed(self, X: sp.csr_array, begun: NDArray[np.intp], n_free: int) -> NDArray[np.intp]:
        """Return documents for topics without seeds to begin with: those that no seed speaks for, or hardly."""
        free = np.flatnonzero(begun < 0)
        if len(free) >= _EACH * n_free:
            return free
        return np.sort(np.argsort(self.scores(X).max(axis=1), kind="stable")[: _EACH * n_free])

    def words(self, n_terms: int) -> NDArray[np.float64]:
        """Return the words of seeded topics as distributions."""
        words = np.zeros((len(self), n_terms))
        for row, terms in zip(words, self.terms, strict=True):
            row[terms] = 1 / max(len(terms), 1)
        return words

    def with_rows(self, X: Any, k: int) -> Any:
        """Return X with a row behind it for each seed, which least squares must explain too (Vendrow et al. 2021)."""
        square = X.squared_norm if isinstance(X, Blocks) else float(np.square(X.data, dtype=np.float64).sum())
        words = self.words(X.shape[1])
        length = np.linalg.norm(words, axis=1, keepdims=True)
        rows = np.sqrt(self.strength * square / k) * np.divide(words, length, out=words, where=length > 0)
        more = sp.csr_array(rows.astype(X.dtype))
        if isinstance(X, Blocks):
            return Blocks.of(X.place, [*X.handles, X.place.put(more)])
        return sp.csr_array(sp.vstack([X, more], "csr"))

    def start(self, X: sp.csr_array, k: int, rng: np.random.RandomState) -> Start:
        """Return factors to start from: topics are the means of the documents that begin in them."""
        begun, dense = self.begun(X), np.zeros((k, X.shape[1]))
        free = self.unclaimed(X, begun, k - len(self))
        groups = [np.flatnonzero(begun == topic) for topic in range(len(self))]
        groups += np.array_split(rng.permutation(free), k - len(self)) if k > len(self) else []
        for row, group in zip(dense, groups, strict=True):
            if len(group):
                row += np.asarray(X[group].mean(axis=0)).ravel()
        lengths = np.linalg.norm(dense, axis=1)
        dense[: len(self)] += self.words(X.shape[1]) * (lengths.mean() * self.strength)
        dense[~dense.any(axis=1)] = np.asarray(X.mean(axis=0)).ravel()
        H = dense / np.linalg.norm(dense, axis=1, keepdims=True)
        return np.asarray(np.maximum(X @ H.T, 0), X.dtype), H.astype(X.dtype)
