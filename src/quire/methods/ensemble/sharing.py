"""EM on any number of documents, by a back end's own operations: memberships stay where factors are."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Progress
from quire.engine.loop import Keeper
from quire.engine.trace import Step
from quire.methods.ensemble.membership import Reading
from quire.methods.ensemble.mixture import Mixture, smoothed


def mixture_on_all(
    X: Matrix,
    start: Mixture,
    before: list[Step],
    reading: Reading,
    smoothing: float,
    rounds: int,
    stopped: Callable[[Step], bool] = lambda step: False,
    keeper: Keeper | None = None,
) -> tuple[Mixture, list[Step]]:
    """Improve a mixture by EM, as ``expectation_maximization`` does, on any back end.

    Memberships stay where the back end keeps factors, so that the documents may be in row blocks.
    """
    k, found, trace = len(start.sizes), start, list(before)
    shares = X.factor(np.broadcast_to(np.zeros((1, 1), X.dtype), (X.shape[0], k + 1)))
    _share(X, shares, start, reading)
    for number in range(len(before), rounds):
        began = time.perf_counter()
        sizes = X.column_sums(shares)
        terms = X.array(X.product("H", shares), k) * X.dtype.type(X.scale / reading.unit)
        found = smoothed(terms, sizes[:k], smoothing)
        said = _share(X, shares, found, reading)
        moved = said.residual / max(2.0 * float(sizes[k]), 1.0)
        trace.append(Step(number + 1, said.inner, moved, time.perf_counter() - began))
        if stopped(trace[-1]):
            break
        if keeper is not None:
            keeper.save((found, trace))
    return found, trace


def _share(X: Matrix, shares: Factor, mixture: Mixture, reading: Reading) -> Progress:
    """Set the memberships to the posteriors; a last column says who takes part."""
    logs = np.full((X.shape[1], len(mixture.sizes) + 1), 1 / reading.unit, X.dtype)
    logs[:, :-1] = mixture.log_terms() / reading.unit
    step = _Posteriors(mixture.log_sizes(), reading, X.scale**3)
    return X.by_rows(shares, X.product("W", X.factor(logs)), logs.shape[1], step)


@dataclass(frozen=True)
class _Posteriors:
    """Turns X · log p(term | topic), with the documents' lengths beside it, into memberships."""

    log_sizes: NDArray[np.float64]
    reading: Reading
    unit: float

    def __call__(self, F: NDArray[Any], P: NDArray[Any]) -> tuple[float, float]:
        """Return the negative log-likelihood, and how much moved. The arrays may lie on a device."""
        lengths = self.unit * P[:, -1].astype(np.float64)
        scores = P[:, :-1].astype(np.float64) * (self.unit * self.reading.temper(lengths))[:, None]
        scores += np.asarray(self.log_sizes, like=P)
        part, top = lengths > 0, scores.max(axis=1)
        scores -= top[:, None]
        np.exp(scores, out=scores)
        total = scores.sum(axis=1)
        scores *= (part / total)[:, None]
        moved = float(np.abs(scores - F[:, :-1]).sum())
        F[:, :-1] = scores
        F[:, -1] = part
        return -float((part * (top + np.log(total))).sum()), moved
