"""Several starts at once: one step of a back end for all of them, where it can hold their factors together.

A small X leaves most of a GPU idle, and the waits between steps cost more than the steps. Consensus runs and
``n_init`` are many such problems on one X.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Side, Small
from quire.engine.loop import (
    _BETA,
    _GROWTH,
    _LIMIT_GROWTH,
    _OTHER,
    _SHRINK,
    Factorization,
    _in_unit,
    factorize,
)  # fmt: skip
from quire.engine.rules.hals import Anls, Hals
from quire.engine.rules.mu import Mu
from quire.engine.rules.rule import Factors, Grams, Rule, Start
from quire.engine.trace import Step, Stopping

_TOGETHER = (Hals, Mu, Anls)  # their steps are a back end's alone


def can_batch(X: Matrix, rule: Rule) -> bool:
    """Return whether this back end and this rule take several starts in one step."""
    return bool(getattr(X, "stacks", False)) and type(rule) in _TOGETHER


def factorize_many(
    X: Matrix,
    starts: Sequence[Start],
    rule: Rule,
    stopping: Stopping | None = None,
    *,
    accelerate: bool = True,
) -> list[Factorization]:
    """Factorize X from each of several starts; each stops by itself."""
    stopping = stopping or Stopping()
    if not can_batch(X, rule):
        return [factorize(X, start, rule, stopping, accelerate=accelerate) for start in starts]
    most = X.starts_at_once(starts[0][1].shape[0])  # type: ignore[attr-defined]
    found: list[Factorization] = []
    for first in range(0, len(starts), most):
        begun = [rule.begin(X, start) for start in starts[first : first + most]]
        found += _together(X, begun, rule, stopping, accelerate and rule.extrapolates)
    return found


def _together(
    X: Matrix, starts: list[Start], rule: Rule, stopping: Stopping, accelerate: bool
) -> list[Factorization]:
    """Go on with all starts until each has stopped; then find the best W for every H."""
    began = time.perf_counter()
    loops = _Loops(X, starts, rule.scaled(X.scale), accelerate)
    numbers = np.arange(len(starts))  # of the starts that go on
    traces: list[list[Step]] = [[] for _ in starts]
    found: list[tuple[NDArray[np.int64], Factor]] = []  # the starts that ended together, and their H
    stopped = ["max_iter"] * len(starts)
    for iteration in range(1, stopping.max_iter + 1):
        said = loops.iterate()
        seconds = time.perf_counter() - began
        for start, objective, residual, exhausted in zip(numbers.tolist(), *said, strict=True):
            step = Step(iteration, _in_unit(float(objective), X, rule), float(residual), seconds)
            traces[start].append(step)
            stopped[start] = _ended(traces[start], bool(exhausted), stopping)
        going = np.array([stopped[start] == "max_iter" for start in numbers]) & (
            iteration < stopping.max_iter
        )
        if not going.all():
            found.append((numbers[~going], loops.topics(~going)))
        if not going.any():
            break
        if not going.all():
            loops.keep(np.flatnonzero(going))
            numbers = numbers[going]
    k = loops.k
    del loops
    order = np.argsort(np.concatenate([numbers for numbers, _ in found]))
    H = X.chosen(X.joined([H for _, H in found]), order)  # type: ignore[attr-defined]
    ends = _solved(X, H, k, rule)
    return [
        Factorization(W, H, objective, error, trace, why)
        for (W, H, objective, error), trace, why in zip(ends, traces, stopped, strict=True)
    ]


def _ended(trace: list[Step], exhausted: bool, stopping: Stopping) -> str:
    """Return why a start ends after its last step; ``"max_iter"`` where nothing but that can end it."""
    residuals = [trace[0].residual, trace[-1].residual]
    if exhausted or stopping.converged([step.objective for step in trace[-4:]], residuals):
        return "tol"
    late = stopping.max_time is not None and trace[-1].seconds >= stopping.max_time
    return "max_time" if late else "max_iter"


class _Loops:
    """As :class:`quire.engine.loop._Loop`, with a number or a factor for each start wherever it has one."""

    def __init__(self, X: Matrix, starts: list[Start], rule: Rule, accelerate: bool) -> None:
        self.X, self.rule, self.accelerate = X, rule, accelerate
        self.k = starts[0][0].shape[1]
        filled = all(W.any() for W, _ in starts)
        first = X.shape[0] >= X.shape[1] or rule.documents_first or not filled
        self.order: tuple[Side, ...] = ("W", "H") if first else ("H", "W")
        self.given: Side = self.order[1]
        self.kept: Factors = {
            "W": X.joined([X.factor(W) for W, _ in starts]),  # type: ignore[attr-defined]
            "H": X.joined([X.factor(H.T) for _, H in starts]),  # type: ignore[attr-defined]
        }
        self.trial: Factors = {side: X.duplicate(factor) for side, factor in self.kept.items()}
        self.gram = self._gram(self.kept[self.given])
        self.objectives = np.full(len(starts), np.inf)
        self.beta, self.beta_limit = np.full(len(starts), _BETA), np.ones(len(starts))
        self.extrapolated = np.zeros(len(starts), bool)

    def _gram(self, factor: Factor) -> Small:
        return self.X.gram(factor)[:, : self.k, : self.k]

    def iterate(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Update all factors; return each start's objective and residual, and whether it can fall no more."""
        X, rule, trial = self.X, self.rule, self.trial
        grams: Grams = {self.given: self.gram}
        inner, residual = np.zeros(len(self.beta)), np.zeros(len(self.beta))
        for side in self.order:
            done = rule.update(X, side, trial[side], trial[_OTHER[side]], grams[_OTHER[side]])
            inner, residual = np.asarray(done.inner), residual + done.residual
            grams[side] = self._gram(trial[side])
        misfit: Any = rule.misfit(X, inner, trial, grams)  # type: ignore[arg-type]
        objectives = np.asarray(misfit + rule.penalty(X, trial, grams))
        if np.isinf(self.objectives).all() and not np.isfinite(objectives).all():
            raise ValueError(f"A start is too large or too small for {X.dtype} beside X: rescale W and H.")
        fell = objectives <= self.objectives
        exhausted = ~fell & ~self.extrapolated
        self.objectives = np.where(fell, objectives, self.objectives)
        self._carry_on(fell)
        return self.objectives, np.sqrt(np.maximum(residual, 0) / X.squared_norm), exhausted

    def _carry_on(self, fell: NDArray[np.bool_]) -> None:
        """Keep what fell and go a little past it; go back where the objective rose."""
        ahead = np.where(fell, self.beta if self.accelerate else 0.0, -1.0)
        for side in self.order:
            self.X.carry_on(self.kept[side], self.trial[side], ahead)  # type: ignore[attr-defined]
        self.gram = self._gram(self.trial[self.given])
        self.extrapolated = fell & (ahead > 0)
        self.beta_limit = np.where(fell, np.minimum(1.0, _LIMIT_GROWTH * self.beta_limit), self.beta)
        grown = np.minimum(self.beta_limit, _GROWTH * self.beta)
        self.beta = np.where(fell, grown, self.beta / _SHRINK)

    def topics(self, which: NDArray[np.bool_]) -> Factor:
        """Return the H of some of the starts."""
        return self.X.chosen(self.kept["H"], np.flatnonzero(which))  # type: ignore[attr-defined]

    def keep(self, starts: NDArray[np.int64]) -> None:
        """Go on with some of the starts."""
        for factors in (self.kept, self.trial):
            for side in self.order:
                factors[side] = self.X.chosen(factors[side], starts)  # type: ignore[attr-defined]
        for name in ("gram", "objectives", "beta", "beta_limit", "extrapolated"):
            setattr(self, name, getattr(self, name)[starts])


def _solved(X: Matrix, H: Factor, k: int, rule: Rule) -> list[tuple[Any, Any, float, float]]:
    """Return W, H, objective and error of each start, its W the best for its H."""
    held = rule.scaled(X.scale)
    nothing = np.broadcast_to(np.zeros((1, 1, 1), X.dtype), (len(H), X.shape[0], k))
    factors: Factors = {"W": X.factor(nothing), "H": H}
    grams: Grams = {"H": X.gram(H)[:, :k, :k]}
    inner = held.solve(X, "W", factors["W"], H, grams["H"]).inner
    grams["W"] = X.gram(factors["W"])[:, :k, :k]
    misfit: Any = held.misfit(X, inner, factors, grams)
    objectives = _in_unit(misfit + held.penalty(X, factors, grams), X, held)
    errors = np.sqrt(2 * misfit) * X.scale ** (held.degree // 2)
    arrays = X.array(factors["W"], k), X.array(H, k)
    ends = zip(*arrays, np.asarray(objectives), errors, strict=True)
    return [(w, np.ascontiguousarray(h.T), float(o), float(e)) for w, h, o, e in ends]
