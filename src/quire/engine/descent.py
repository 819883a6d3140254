"""The state of the outer loop: the factors of one start or of several, and the momentum of each.

Two half steps make an iteration, the larger factor first. After an accepted iteration both factors are
carried on along the way they went, [F + β (F − F_before)]₊, and the next one starts there; one that ends
higher than the last accepted objective is thrown away, and the next starts from the accepted factors with a
smaller β. So the objective never rises (extrapolation as in Ang and Gillis, Neural Computation 2019, with the
test on the factors that are kept).

Where a rule has an opening, the first two iterations are made with that instead, W first and nothing carried on: a
start may be far off, and large steps from there let topics die that would have been of use.

Where a back end can hold the factors of several starts in one, a step is one step for all of them: a small X
leaves most of a GPU idle, and the waits between steps cost more than the steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Side, Small
from quire.engine.rules.rule import Factors, Grams, Rule, Start
from quire.engine.trace import Step
from quire.places.codec import storable

# Ang and Gillis's own constants, but for the limit's growth.
_BETA, _GROWTH, _LIMIT_GROWTH, _SHRINK = 0.7, 1.05, 1.01, 1.5
_OPENING = 2  # iterations
_OTHER: dict[Side, Side] = {"W": "H", "H": "W"}


@storable
@dataclass
class Path:
    """The way of one start: what its iterations came to, and the momentum of the next."""

    number: int = 0
    trace: list[Step] = field(default_factory=list)
    objectives: list[float] = field(default_factory=list)
    """In the unit of the X held."""
    residuals: list[float] = field(default_factory=list)
    begun: float = 0.0
    """The objective of the start, where it was measured."""
    stopped: str = ""
    exhausted: bool = False
    """A plain step did not descend: rounding error is reached."""
    beta: float = _BETA
    limit: float = 1.0
    extrapolated: bool = False

    def judge(self, objective: float, residual: float, accelerate: bool) -> float:
        """Take an iteration or throw it away; return the β to go on with, −1 to go back to what was kept."""
        self.residuals.append(residual)
        if not self.objectives or objective <= self.objectives[-1]:
            self.objectives.append(objective)
            ahead = self.beta if accelerate else 0.0
            self.extrapolated = ahead > 0
            self.limit = min(1.0, _LIMIT_GROWTH * self.limit)
            self.beta = min(self.limit, _GROWTH * self.beta)
            return ahead
        self.objectives.append(self.objectives[-1])  # also where it is not a number
        self.exhausted, self.extrapolated = not self.extrapolated, False
        self.limit, self.beta = self.beta, self.beta / _SHRINK
        return -1.0


class Descent:
    """The accepted factors of all starts, and the points that the next iteration starts from."""

    def __init__(self, X: Matrix, starts: list[Start], rule: Rule, accelerate: bool, fixed: Side | None = None) -> None:
        self.X, self.rule, self.accelerate, self.k = X, rule, accelerate, starts[0][0].shape[1]
        self.stacked, self.W_given = len(starts) > 1, starts[0][0] if fixed == "W" else None
        # The second factor's Gram matrix is needed twice, kept and extrapolated: let it be the smaller one.
        # But a W of zeros says nothing about H, so it must come first.
        zeros = not all(W.any() for W, _ in starts)
        first = X.shape[0] >= X.shape[1] or zeros or rule.documents_first
        self.opens = rule.opening is not None and not zeros and fixed is None
        both: tuple[Side, ...] = ("W", "H") if first or self.opens else ("H", "W")
        self.order, self.turns = tuple(side for side in both if side != fixed), self.opens and not first
        self.kept: Factors = {
            "W": self._joined([X.factor(W) for W, _ in starts]),
            "H": self._joined([X.factor(H.T) for _, H in starts]),
        }
        self.trial: Factors = self.kept | {side: X.duplicate(self.kept[side]) for side in self.order}
        self.given: Side = _OTHER[self.order[0]]  # the side that an iteration starts from
        self.kept_gram = self.trial_gram = self._gram(self.kept[self.given])
        self.parts: dict[str, NDArray[Any]] = {}
        self.paths = self.running = [Path(number) for number in range(len(starts))]
        self.ended: list[Factor] = []  # the H of starts that stopped together
        self.numbers: list[int] = []  # of those starts

    def measure_start(self) -> None:
        """Say what a single start comes to before anything is done."""
        grams: Grams = {side: self._gram(self.kept[side]) for side in self.kept}
        misfit = self.rule.misfit(self.X, 0.0, self.kept, grams)
        self.paths[0].begun = misfit + self.rule.penalty(self.X, self.kept, grams)

    def state(self) -> dict[str, Any]:
        """Return all but X: what :meth:`restored` needs."""
        return {name: value for name, value in self.__dict__.items() if name != "X"}

    @classmethod
    def restored(cls, X: Matrix, state: dict[str, Any]) -> Self:
        """Return the loop that had this state."""
        descent = cls.__new__(cls)
        descent.__dict__ = state | {"X": X}
        return descent

    def iterate(self) -> None:
        """Update the factors, and keep those of the starts whose objective did not rise."""
        X, rule, trial = self.X, self.rule, self.trial
        opens = self.opens and len(self.running[0].objectives) < _OPENING
        if opens and rule.opening is not None:
            rule = rule.opening
        grams: Grams = {self.given: self.trial_gram}
        before: Factors = {}
        if rule.simultaneous and len(self.order) == 2:
            before = {self.order[0]: X.duplicate(trial[self.order[0]])}
        inner: Any = 0.0
        residual: Any = 0.0
        for side in self.order:
            other = _OTHER[side]
            done = rule.update(X, side, trial[side], before.get(other, trial[other]), grams[other])
            inner, residual = done.inner, residual + done.residual
            grams[side] = self._gram(trial[side])
        objective = rule.misfit(X, inner, trial, grams) + rule.penalty(X, trial, grams)
        ahead = []
        for path, height, moved in zip(self.running, _each(objective), _each(residual), strict=True):
            if not path.objectives and not math.isfinite(height):
                raise ValueError(f"A start is too large or small for {X.dtype} beside X: rescale W and H, or X.")
            far = math.sqrt(max(moved, 0.0) / X.squared_norm)
            ahead.append(path.judge(height, far, self.accelerate and not opens))
        self._carry_on(ahead, grams[self.given])
        if self.turns and len(self.running[0].objectives) == _OPENING:
            self.order, self.given = ("H", "W"), "W"
            self.kept_gram, self.trial_gram = (self._gram(factors["W"]) for factors in (self.kept, self.trial))

    def _carry_on(self, ahead: list[float], gram: Small) -> None:
        """Keep what fell and go a little past it; go back to what was kept where the objective rose."""
        X = self.X
        if self.stacked:
            for side in self.order:
                X.carry_on(self.kept[side], self.trial[side], np.array(ahead))  # type: ignore[attr-defined]
            self.trial_gram = self._gram(self.trial[self.given])
            return
        (beta,) = ahead
        if beta < 0:
            for side in self.order:
                X.copy(self.kept[side], self.trial[side])
            self.trial_gram = self.kept_gram
            return
        self.kept, self.trial, self.kept_gram = self.trial, self.kept, gram
        self.parts = self.rule.parts(X)
        for side in self.order:
            self.rule.carry_on(X, self.kept[side], self.trial[side], beta, self.k)
        self.trial_gram = self._gram(self.trial[self.given]) if beta else gram

    def let_go(self) -> bool:
        """Leave the starts that have stopped; return whether any goes on."""
        if not any(path.stopped for path in self.running):
            return True
        going = np.array([not path.stopped for path in self.running])
        if self.stacked:
            self.ended.append(self._chosen(self.kept["H"], ~going))
            self.numbers += [path.number for path in self.running if path.stopped]
        if going.any():
            for factors in (self.kept, self.trial):
                factors.update({side: self._chosen(factors[side], going) for side in self.order})
            self.trial_gram = self.trial_gram[going]
        self.running = [path for path in self.running if not path.stopped]
        return bool(self.running)

    def topics(self) -> list[Factor]:
        """Return the H of every start, in their order, once each has stopped."""
        if not self.stacked:
            return [self.kept["H"]]
        every, order = self._joined(self.ended), np.argsort(self.numbers)
        return [self.X.chosen(every, order[i : i + 1])[0] for i in range(len(order))]  # type: ignore[attr-defined]

    def _chosen(self, factor: Factor, which: NDArray[np.bool_]) -> Factor:
        return self.X.chosen(factor, np.flatnonzero(which))  # type: ignore[attr-defined]

    def _joined(self, factors: list[Factor]) -> Factor:
        return self.X.joined(factors) if self.stacked else factors[0]  # type: ignore[attr-defined]

    def _gram(self, factor: Factor) -> Small:
        return self.X.gram(factor)[..., : self.k, : self.k]


def _each(numbers: Any) -> list[float]:
    """Return the numbers of several starts, or the number of one, as a list."""
    return numbers.tolist() if np.ndim(numbers) else [float(numbers)]
