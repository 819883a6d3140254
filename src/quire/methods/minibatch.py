"""NMF learnt from batches of the documents, as scikit-learn's MiniBatchNMF is called."""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches

from quire.backends.backend import as_matrix
from quire.engine.loop import Factorization, solve_documents
from quire.engine.trace import Step
from quire.methods.nmf import NMF


@dataclass(kw_only=True, eq=False, repr=False)
class MiniBatchNMF(NMF):
    """NMF that goes through the documents batch by batch, for what :class:`quire.NMF` would take too long for.

    ``fit`` makes passes over X, ``batch_size`` documents at a time: each batch is solved for the topics there are, and
    these are improved by what is remembered of all batches, as ``partial_fit`` does it
    (:class:`quire.methods.online.Online`). At the end all documents are solved for. Where all documents are one batch,
    there is nothing to gain from that, and ``fit`` is :class:`quire.NMF`'s, which ends lower.

    Parameters
    ----------
    batch_size : int, default=1024
        Documents of a batch.
    max_no_improvement : int or None, default=10
        Stop after so many batches in a row that did not lower the smoothed cost; None: not by that.
    tol : float, default=1e-4
        Stop when a pass changes H by no more than this share of it; 0: not by that.
    max_iter : int, default=200
        Most passes over the documents.
    forget_factor : float, default=0.7
        What a batch still counts for after a pass in ``fit``; in ``partial_fit`` after another batch.
    fresh_restarts, fresh_restarts_max_iter, transform_max_iter
        For scikit-learn: the weights of a batch, and of ``transform``, are always solved for anew and to the end.
    others
        As for :class:`quire.NMF`. ``solver`` and ``accelerate`` matter where there is one batch, and for the
        first one of ``partial_fit``.

    Attributes
    ----------
    n_iter_ : int
        Passes begun.
    n_steps_ : int
        Batches learnt from.
    others
        As of :class:`quire.NMF`; a row of ``trace_`` is a pass, its objective the smoothed cost of all documents, its
        residual what it changed of H.

    Examples
    --------
    >>> import numpy as np
    >>> from quire import MiniBatchNMF
    >>> X = np.tile([[2, 1, 0, 0], [0, 0, 1, 3]], (50, 1))
    >>> model = MiniBatchNMF(2, batch_size=20, random_state=0).fit(X)
    >>> model.labels_[0] != model.labels_[1]
    np.True_
    >>> round(float(model.reconstruction_err_), 2)
    0.0
    """

    batch_size: int = 1024
    max_no_improvement: int | None = 10
    fresh_restarts: bool = False
    fresh_restarts_max_iter: int = 30
    transform_max_iter: int | None = None

    _in_blocks = False

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        self._begin_anew()
        if X.shape[0] <= self.batch_size:
            return super()._factorize(X, W, H)
        self._prepare(X)
        fits = (self._passes(X, start(None)[1]) for start in self._starts(X, W, H))
        return min(fits, key=lambda fit: fit.objective)

    def _passes(self, X: Any, H: NDArray[Any]) -> Factorization:
        """Go through the batches until the topics are settled."""
        self._begin_anew()
        self.components_, self._pass_size = np.array(H), X.shape[0]
        progress = _Progress(self.tol, self.max_no_improvement, X.shape[0], self.components_)
        trace: list[Step] = []
        began, stopped = time.perf_counter(), "max_iter"
        for iteration, last, batch in self._batches(X.shape[0]):
            size = batch.stop - batch.start
            ended = progress.note(self._learn(X[batch]) / size, size)
            if not (last or ended):
                continue
            ended |= progress.settled(self.components_)
            seconds = time.perf_counter() - began
            trace.append(Step(iteration, progress.smoothed * X.shape[0], progress.moved, seconds))
            late = self.max_time is not None and seconds >= self.max_time
            stopped = "callback" if self._report(trace[-1]) else "tol" if ended else "max_time" if late else "max_iter"
            if stopped != "max_iter":
                break
        if self.verbose:
            print(f"{self.n_steps_} batches in {len(trace)} passes, stopped by {stopped}")
        self._pass_size, H = 0, self.components_
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            solved = solve_documents(matrix, H, self._rule(X.shape))
        return Factorization(solved.W, H, solved.objective, solved.error, trace, stopped)

    def _batches(self, n: int) -> Iterator[tuple[int, bool, slice]]:
        """Yield the number of a pass, whether a batch is the last one of it, and its rows."""
        for iteration in range(1, self.max_iter + 1):
            for batch in gen_batches(n, self.batch_size):
                yield iteration, batch.stop == n, batch

    def _keep(self, X: Any, fit: Factorization) -> Any:
        steps = getattr(self, "n_steps_", len(fit.trace))
        W = super()._keep(X, fit)
        self.n_steps_ = steps
        return W

    def _check_parameters(self) -> None:
        super()._check_parameters()
        given: dict[str, Any] = {"batch_size": self.batch_size}
        if self.max_no_improvement is not None:
            given["max_no_improvement"] = self.max_no_improvement
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")


@dataclass
class _Progress:
    """Whether batches still change anything: the cost, smoothed over a pass, and H from one pass to the next."""

    tol: float
    patience: int | None
    n: int
    H: NDArray[Any]
    smoothed: float = math.nan
    moved: float = math.inf
    lowest: float = math.inf
    idle: int = 0

    def note(self, cost: float, size: int) -> bool:
        """Take note of what a batch cost; return whether there were many that did not lower it."""
        if math.isnan(cost):  # documents of zeros say nothing
            return False
        share = min(1.0, size / (self.n + 1))
        self.smoothed = cost if math.isnan(self.smoothed) else self.smoothed * (1 - share) + cost * share
        self.idle = 0 if self.smoothed < self.lowest else self.idle + 1
        self.lowest = min(self.lowest, self.smoothed)
        return self.patience is not None and self.idle >= self.patience

    def settled(self, H: NDArray[Any]) -> bool:
        """Say after a pass whether it left H as it was."""
        whole, before, self.H = float(np.linalg.norm(H)), self.H, H
        self.moved = float(np.linalg.norm(H - before)) / whole if whole else 0.0
        return self.tol > 0 and self.moved <= self.tol
