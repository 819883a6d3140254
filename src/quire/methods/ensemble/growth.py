"""Topics that grow: documents that came later join those there, and what these cannot explain makes new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.backend import as_matrix
from quire.methods.ensemble.expectation import Fitted, Holdings, expectation_maximization, holdings_of
from quire.methods.ensemble.mixture import Mixture, Reading
from quire.places.parts import Blocks, brought


@dataclass(frozen=True, eq=False)
class MixtureGrowth:
    """A mixture, the documents that it was learnt from, and those that came since."""

    mixture: Mixture
    before: Blocks
    came: Blocks
    remembered: float  # what a document from before counts for beside one that came
    reading: Reading
    smoothing: float
    n_jobs: int | None
    device: str

    def grown(self, groups: Sequence[NDArray[np.intp]], rounds: int, tol: float) -> Fitted:
        """Return the topics after documents came, with a new one for each group of these, which begins with it.

        Topics hold what they held, × what is remembered of it; only documents that came are gone through. So the words
        of a topic to which nothing came stay as they were.
        """
        begun = self._begun(groups)
        nothing = Holdings(np.full(begun.words.shape, self.smoothing), np.zeros(len(groups)))
        words, documents = _joined(self.held, begun)
        start = Mixture(words / words.sum(axis=1, keepdims=True), documents / documents.sum())
        with as_matrix(self.came, self.n_jobs, device=self.device) as X:
            return expectation_maximization(
                X, start, self.reading, _joined(self.held, nothing), rounds, lambda step: step.residual <= tol
            )

    @cached_property
    def held(self) -> Holdings:
        """What topics hold: their words, and each term that is new as often as it is in their documents."""
        k, known = self.mixture.terms.shape
        with as_matrix(self.before, self.n_jobs, device=self.device) as X:
            wide = self.mixture.among(np.arange(known), self.before.shape[1])
            shares = expectation_maximization(X, wide, self.reading, self.smoothing, 0).shares
            words, documents = holdings_of(X, shares, k, self.reading.unit)
        words += self.smoothing
        words[:, :known] = self.mixture.terms * words[:, :known].sum(axis=1, keepdims=True)
        return Holdings(words * self.remembered, documents * self.remembered)

    def _begun(self, groups: Sequence[NDArray[np.intp]]) -> Holdings:
        words = np.full((len(groups), self.came.shape[1]), self.smoothing)
        for row, group in zip(words, groups, strict=True):
            row += np.asarray(brought(self.came, group).sum(axis=0, dtype=np.float64)).ravel() / self.reading.unit
        return Holdings(words, np.array([float(len(group)) for group in groups]))


def _joined(first: Holdings, second: Holdings) -> Holdings:
    return Holdings(np.concatenate([first.words, second.words]), np.concatenate([first.documents, second.documents]))


def widened(unit: NDArray[np.float64], totals: NDArray[Any]) -> NDArray[np.float64]:
    """Return what a word is for each term of a vocabulary that has grown: a new term counts as a usual word does."""
    known = totals[: len(unit)]
    usual = float(known.sum()) / max(float((known / unit).sum()), np.finfo(float).tiny)
    return np.concatenate([unit, np.full(len(totals) - len(unit), usual or 1.0)])
