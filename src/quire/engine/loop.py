"""The one outer loop: W and H from a start, by any rule, on any back end.

Two half steps make an iteration, the larger factor first. After an accepted iteration both factors are
carried on along the way they went, [F + β (F − F_before)]₊, and the next one starts there; one that ends
higher than the last accepted objective is thrown away, and the next starts from the accepted factors with a
smaller β. So the objective never rises (extrapolation as in Ang and Gillis, Neural Computation 2019, with the
test on the factors that are kept).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Side, Small
from quire.engine.rules.rule import Factors, Grams, Rule, Start
from quire.engine.trace import Callback, Step, Stopping

# Ang and Gillis's own constants, but for the limit's growth.
_BETA, _GROWTH, _LIMIT_GROWTH, _SHRINK = 0.7, 1.05, 1.01, 1.5
_OTHER: dict[Side, Side] = {"W": "H", "H": "W"}


@dataclass(frozen=True)
class Factorization:
    """X ≈ W H, how it was reached and why it stopped.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.engine.loop import factorize
    >>> from quire.backends.reference.matrix import ReferenceMatrix
    >>> from quire.engine.rules.hals import Hals
    >>> X = np.array([[2.0, 4.0], [1.0, 2.0]])
    >>> found = factorize(ReferenceMatrix(X), (np.ones((2, 1)), np.ones((1, 2))), Hals())
    >>> bool(np.allclose(found.W @ found.H, X)), found.stopped
    (True, 'tol')
    """

    W: Any
    """An array; where X is in row blocks, a :class:`quire.places.parts.KeptRows`."""
    H: NDArray[Any]
    objective: float
    """What the rule minimises: for most ½‖X − WH‖² + the penalties."""
    error: float
    """‖X − WH‖; for another divergence D, √(2 D)."""
    trace: list[Step]
    stopped: str
    """``"tol"``, ``"max_iter"``, ``"max_time"`` or ``"callback"``."""
    parts: dict[str, NDArray[Any]] = field(default_factory=dict)
    """What a rule found beside W and H."""


def factorize(
    X: Matrix,
    start: Start | Callable[[], Start],
    rule: Rule,
    stopping: Stopping | None = None,
    *,
    accelerate: bool = True,
    fixed: Side | None = None,
    callback: Callback | None = None,
    keeper: Keeper | None = None,
) -> Factorization:
    """Factorize X from a start."""
    began = time.perf_counter()
    found = keeper.take("loop") if keeper is not None else None
    if found is None:
        loop, W_given = _begun(X, start, rule, accelerate, fixed)
        trace: list[Step] = []
    else:
        loop, W_given, trace = _Loop.restored(X, found["loop"]), found["W_given"], found["trace"]
        began -= trace[-1].seconds
    del start, found
    stopped = "max_iter"
    for _ in range(len(trace), (stopping or Stopping()).max_iter):
        loop.iterate()
        trace.append(loop.step(len(trace) + 1, began, rule))
        stopped = _ended(loop, trace[-1], stopping or Stopping(), callback)
        if stopped != "max_iter":
            break
        if keeper is not None:
            keeper.save({"loop": loop.state(), "trace": trace, "W_given": W_given})
    kept, k, parts = loop.kept["H"], loop.k, loop.parts
    del loop  # the other copies of the factors are not needed any more
    H_found = np.ascontiguousarray(X.array(kept, k).T)
    del kept
    solved = solve_documents(X, H_found, rule) if W_given is None else _left_alone(X, W_given, H_found, rule)
    return Factorization(solved.W, H_found, solved.objective, solved.error, trace, stopped, parts)


def _ended(loop: _Loop, step: Step, stopping: Stopping, callback: Callback | None) -> str:
    """Return why the loop ends after this step; ``"max_iter"`` where nothing but that can end it."""
    if callback is not None and callback(step):
        return "callback"
    if loop.exhausted or stopping.converged(loop.objectives, loop.residuals):
        return "tol"
    return "max_time" if stopping.max_time is not None and step.seconds >= stopping.max_time else "max_iter"


def _begun(
    X: Matrix, start: Start | Callable[[], Start], rule: Rule, accelerate: bool, fixed: Side | None
) -> tuple[_Loop, NDArray[Any] | None]:
    """Return the loop at its start, and a W that is to stay as it is."""
    given = start() if callable(start) else start
    W, H = rule.begin(X, given)
    if fixed is not None:  # whatever the rule would have it be
        W, H = (given[0], H) if fixed == "W" else (W, given[1])
    loop = _Loop(X, W, H, rule.scaled(X.scale), accelerate and rule.extrapolates, fixed)
    return loop, W if fixed == "W" else None


class Keeper(Protocol):
    """Keeps states of the loop (see :class:`quire.places.checkpoint.LoopKeeper`)."""

    def take(self, name: str) -> Any:
        """Return what a killed run left under a name, once; None where there is nothing."""

    def around(self, **state: Any) -> None:
        """Set what is to be kept beside the state of the loop."""

    def save(self, loop: Any) -> None:
        """Keep a state, unless the last one is recent."""


class Solved(NamedTuple):
    """What :func:`solve_documents` found."""

    W: NDArray[Any]
    objective: float
    error: float


def solve_documents(X: Matrix, H: NDArray[Any], rule: Rule) -> Solved:
    """Find the best W for this H.

    Every row starts at zero and stops by itself, so that a document gets the same weights alone, in any
    batch, and among the documents that H was learnt from.
    """
    held = rule.scaled(X.scale)
    k, H_held = len(H), X.factor(H.T)
    W_held = X.factor(np.broadcast_to(np.zeros((1, 1), X.dtype), (X.shape[0], k)))
    inner = held.solve(X, "W", W_held, H_held, X.gram(H_held)[:k, :k]).inner
    return _measured(X, held, {"W": W_held, "H": H_held}, inner, k)


def _measured(X: Matrix, held: Rule, factors: Factors, inner: float, k: int) -> Solved:
    grams: Grams = {side: X.gram(factor)[:k, :k] for side, factor in factors.items()}
    misfit, penalty = held.misfit(X, inner, factors, grams), held.penalty(X, factors, grams)
    error = math.sqrt(2 * misfit) * X.scale ** (held.degree // 2)
    return Solved(X.array(factors["W"], k), _in_unit(misfit + penalty, X, held), error)


def _left_alone(X: Matrix, W: NDArray[Any], H: NDArray[Any], rule: Rule) -> Solved:
    """Return a W that was given, with its objective."""
    factors: Factors = {"W": X.factor(W), "H": X.factor(H.T)}
    inner = float(np.trace(X.gram(factors["W"], X.product("W", factors["H"]))))
    return _measured(X, rule.scaled(X.scale), factors, inner, len(H))._replace(W=W)


class _Loop:
    """The accepted factors, the point the next iteration starts from, and the momentum between them."""

    def __init__(
        self, X: Matrix, W: NDArray[Any], H: NDArray[Any], rule: Rule, accelerate: bool, fixed: Side | None
    ) -> None:
        self.X, self.rule, self.accelerate, self.k = X, rule, accelerate, W.shape[1]
        # The second factor's Gram matrix is needed twice, kept and extrapolated: let it be the smaller one.
        # But a W of zeros says nothing about H, so it must come first.
        first = X.shape[0] >= X.shape[1] or not W.any() or rule.documents_first
        both: tuple[Side, ...] = ("W", "H") if first else ("H", "W")
        self.order = tuple(side for side in both if side != fixed)
        self.kept: Factors = {"W": X.factor(W), "H": X.factor(H.T)}
        self.trial: Factors = self.kept | {side: X.duplicate(self.kept[side]) for side in self.order}
        self.given: Side = _OTHER[self.order[0]]  # the side that an iteration starts from
        self.kept_gram = self.trial_gram = self._gram(self.kept[self.given])
        self.parts: dict[str, NDArray[Any]] = {}
        self.objectives: list[float] = []
        self.residuals: list[float] = []
        self.beta, self.beta_limit, self.extrapolated, self.exhausted = _BETA, 1.0, False, False

    def step(self, iteration: int, began: float, rule: Rule) -> Step:
        """Return what the last iteration came to."""
        objective = _in_unit(self.objectives[-1], self.X, rule)
        return Step(iteration, objective, self.residuals[-1], time.perf_counter() - began)

    def state(self) -> dict[str, Any]:
        """Return all but X: what :meth:`restored` needs."""
        return {name: value for name, value in self.__dict__.items() if name != "X"}

    @classmethod
    def restored(cls, X: Matrix, state: dict[str, Any]) -> _Loop:
        """Return the loop that had this state."""
        loop = cls.__new__(cls)
        loop.__dict__ = state | {"X": X}
        return loop

    def _gram(self, factor: Factor) -> Small:
        return self.X.gram(factor)[: self.k, : self.k]

    def iterate(self) -> None:
        """Update the factors, and keep them unless the objective rose."""
        X, rule, trial = self.X, self.rule, self.trial
        grams: Grams = {self.given: self.trial_gram}
        before: Factors = {}
        if rule.simultaneous and len(self.order) == 2:
            before = {self.order[0]: X.duplicate(trial[self.order[0]])}
        inner, residual = 0.0, 0.0
        for side in self.order:
            other = _OTHER[side]
            done = rule.update(X, side, trial[side], before.get(other, trial[other]), grams[other])
            inner, residual = done.inner, residual + done.residual
            grams[side] = self._gram(trial[side])
        objective = rule.misfit(X, inner, trial, grams) + rule.penalty(X, trial, grams)
        self.residuals.append(math.sqrt(max(residual, 0.0) / X.squared_norm))
        if not self.objectives and not math.isfinite(objective):
            raise ValueError(f"The start is too large or too small for {X.dtype} beside X: rescale W and H.")
        if not self.objectives or objective <= self.objectives[-1]:
            self.objectives.append(objective)
            self._accept(grams[self.given])
        else:  # also where it is not a number
            self.objectives.append(self.objectives[-1])
            self._refuse()

    def _accept(self, gram: Small) -> None:
        """Keep what was found, and start the next iteration a little past it."""
        self.kept, self.trial, self.kept_gram = self.trial, self.kept, gram
        self.parts = self.rule.parts(self.X)
        beta = self.beta if self.accelerate else 0.0
        for side in self.order:
            self.X.extrapolate(self.kept[side], self.trial[side], beta)
        self.trial_gram = self._gram(self.trial[self.given]) if beta else gram
        self.extrapolated = beta > 0
        self.beta_limit = min(1.0, _LIMIT_GROWTH * self.beta_limit)
        self.beta = min(self.beta_limit, _GROWTH * self.beta)

    def _refuse(self) -> None:
        """Go back to what was kept. A plain step that does not descend has reached rounding error."""
        self.exhausted = not self.extrapolated
        for side in self.order:
            self.X.copy(self.kept[side], self.trial[side])
        self.trial_gram = self.kept_gram
        self.extrapolated = False
        self.beta_limit, self.beta = self.beta, self.beta / _SHRINK


def _in_unit(objective: float, X: Matrix, rule: Rule) -> float:
    """Bring an objective to the unit of the X that was given; factor by factor, as a power may overflow."""
    for _ in range(rule.degree):
        objective *= X.scale
    return objective
