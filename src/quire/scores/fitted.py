"""What scores that need no classes look at: a fitted model, and the counts it was made from where known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.scores.coherence import coherence


@dataclass(frozen=True, eq=False)
class Fitted:
    """X ≈ W H, and the topics' keywords."""

    W: NDArray[Any]
    H: NDArray[Any]
    keywords: list[list[str]]
    last_error: float  # as the method itself measured it
    X: sp.csr_array | None = None
    counts: sp.csr_array | None = None  # of the vocabulary, which may also hold phrases
    vocabulary: tuple[str, ...] = ()

    def coherence(self, measure: str) -> NDArray[np.float64] | None:
        """Return the coherence of each topic; None where the counts are not known."""
        if self.counts is None:
            return None
        return coherence(self.keywords, self.counts, self.vocabulary, measure).topics

    @cached_property
    def relative_error(self) -> float | None:
        """‖X − WH‖ / ‖X‖, X being read once and WH never made; None where X is not known."""
        if self.X is None:
            return None
        W, H = self.W.astype(np.float64), self.H.astype(np.float64)
        total = float(np.square(self.X.data, dtype=np.float64).sum())
        fitted = float(((W.T @ W) * (H @ H.T)).sum()) - 2 * float(((self.X @ H.T) * W).sum())
        return math.sqrt(max(0.0, total + fitted) / total) if total else 0.0

    @property
    def error(self) -> float:
        """‖X − WH‖, also where the method minimised another divergence; its own where X is not known."""
        if self.X is None or self.relative_error is None:
            return self.last_error
        return self.relative_error * math.sqrt(float(np.sum(self.X.data.astype(np.float64) ** 2)))
