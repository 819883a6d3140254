"""Topics of least squares that grow: what they hold is remembered as two sums, as in learning from a stream."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.methods.online import Memory, Online
from quire.places.parts import Blocks, brought

_SETTLED = 1e-3  # of H, that moves in a round


@dataclass(frozen=True, eq=False)
class SquaresGrowth:
    """A factorization, the documents that it was learnt from, and those that came since."""

    model: Online
    before: Blocks
    came: Blocks
    remembered: float

    def grown(self, groups: Sequence[NDArray[np.intp]], rounds: int) -> NDArray[Any]:
        """Return H after documents came, with a new topic for each group of these, which begins with its mean."""
        dtype, n = self.came.dtype, _n_written(self.came)
        begun = [np.asarray(brought(self.came, group).mean(axis=0)).ravel() for group in groups]
        H, old = np.vstack([self._wide, *begun]).astype(dtype), self._with_room(len(groups))
        model = copy(self.model)
        for _ in range(rounds):
            before = H
            model._memory = old.joined(model._weighed(self.came, H, n)[1])
            H = model._improved(H)
            if np.linalg.norm(H - before) <= _SETTLED * np.linalg.norm(before):
                break
        return H

    @property
    def _wide(self) -> NDArray[Any]:
        """H in a vocabulary that may have grown."""
        H = self.model.components_
        return np.pad(H, ((0, 0), (0, self.came.shape[1] - H.shape[1])))

    @cached_property
    def _held(self) -> Memory:
        """What is remembered: of known terms what H explains, of new ones what is in the documents."""
        H, known = self._wide.astype(self.before.dtype), self.model.components_.shape[1]
        memory = self.model._weighed(self.before, H, _n_written(self.before))[1]
        memory.crossed[:, :known] = (memory.grams @ H)[:, :known]
        return memory.faded(self.remembered)

    def _with_room(self, more: int) -> Memory:
        grams, crossed, documents = self._held
        return Memory(np.pad(grams, (0, more)), np.pad(crossed, ((0, more), (0, 0))), documents)


def _n_written(X: Blocks) -> int:
    return max(int((X.row_sums > 0).sum()), 1)
