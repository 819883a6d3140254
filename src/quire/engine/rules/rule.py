"""What the outer loop asks of an update rule, and what rules for least squares have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Progress, Side, Small
from quire.places.codec import storable

Start = tuple[NDArray[Any], NDArray[Any]]
Factors = dict[Side, Factor]
Grams = dict[Side, Small]


class Rule(Protocol):
    """One way to improve a factor while the other is held.

    A rule sees X only through the operations of a back end, and must never raise its objective,
    misfit + penalty. Gram matrices are k × k.
    """

    @property
    def extrapolates(self) -> bool:
        """Whether a non-negative point past the last step is a valid place to start from."""

    @property
    def simultaneous(self) -> bool:
        """Whether both half steps of an iteration start from the same pair, as in EM."""

    @property
    def documents_first(self) -> bool:
        """Whether W must be updated before H."""

    @property
    def opening(self) -> Rule | None:
        """What the first iterations are made with, smaller steps; None where they are as any other."""

    @property
    def batches(self) -> bool:
        """Whether its steps are a back end's alone, so that factors may be those of several starts."""

    @property
    def creeps(self) -> int:
        """Where its steps go on gaining ever less: after how many that gained little a fit ends. 0: not by that."""

    @property
    def degree(self) -> float:
        """The objective of c²·X, with factors times c, is c^degree times as large."""

    def scaled(self, scale: float) -> Rule:
        """Return the same rule for X / scale² and factors / scale."""

    def begin(self, X: Matrix, start: Start) -> Start:
        """Bring a start (W, H) to where the rule's constraints hold."""

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Improve ``factor`` in place; ``gram`` is that of ``other``."""

    def carry_on(self, X: Matrix, factor: Factor, old: Factor, beta: float, k: int) -> None:
        """Overwrite ``old`` with a point as far past ``factor`` as β says; with ``factor`` where β is 0."""

    def misfit(self, X: Matrix, inner: float, factors: Factors, grams: Grams) -> float:
        """Return how far WH is from X; ``inner`` is what the last update said."""

    def penalty(self, X: Matrix, factors: Factors, grams: Grams) -> float:
        """Return what is added to the misfit."""

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Set ``factor``, which comes filled with zeros, to the optimum for this ``other``."""

    def parts(self, X: Matrix) -> dict[str, NDArray[Any]]:
        """Return what the fit found beside W and H, in the unit of the X that was given."""


def times_power(value: float, scale: float, degree: float) -> float:
    """Return value · scale^degree, factor by factor, as the power alone may overflow."""
    steps = math.ceil(abs(degree))
    for _ in range(steps):
        value *= scale ** (degree / steps)
    return value


def set_rows(F: NDArray[Any], values: NDArray[Any]) -> tuple[float, float]:
    """Overwrite rows with values, as a step of ``by_rows`` that has nothing to say."""
    F[:] = values
    return 0.0, 0.0


def quotient(above: NDArray[Any], below: NDArray[Any], otherwise: Any) -> NDArray[Any]:
    """Divide where the divisor is positive; for arrays of any kind that NumPy's functions take."""
    present = below > 0
    one, other = below.dtype.type(1), above.dtype.type(otherwise)
    return np.where(present, above / np.where(present, below, one), other)


class LeastSquares:
    """A rule for ½‖X − WH‖² without a penalty, but for the steps."""

    extrapolates = True
    simultaneous = False
    documents_first = False
    opening: Rule | None = None
    batches = False
    creeps: int = 0
    degree: float = 4

    def scaled(self, scale: float) -> Self:
        """Nothing depends on the unit."""
        return self

    def begin(self, X: Matrix, start: Start) -> Start:
        """Every non-negative start will do."""
        return start

    def carry_on(self, X: Matrix, factor: Factor, old: Factor, beta: float, k: int) -> None:
        """[F + β (F − F_before)]₊."""
        X.extrapolate(factor, old, beta)

    def misfit(self, X: Matrix, inner: float, factors: Factors, grams: Grams) -> float:
        """½‖X − WH‖² = ½‖X‖² − ⟨W, XHᵀ⟩ + ½⟨WᵀW, HHᵀ⟩. X itself is not needed. A number for each start."""
        together = np.sum(grams["W"] * grams["H"], axis=(-2, -1))
        misfit: Any = 0.5 * X.squared_norm - inner + 0.5 * together
        return np.maximum(misfit, 0.0) if np.ndim(misfit) else max(float(misfit), 0.0)

    def penalty(self, X: Matrix, factors: Factors, grams: Grams) -> float:
        """None."""
        return 0.0

    def parts(self, X: Matrix) -> dict[str, NDArray[Any]]:
        """Nothing beside W and H."""
        return {}


@storable
@dataclass(frozen=True)
class Penalty:
    """l1·Σ|F| + ½·l2·‖F‖² + ½·square·Σ_i ‖F(i,:)‖₁² on one factor.

    The last is kim2008's (eq. 12): it makes each row sparse, and adds square·eeᵀ to the Gram matrix.
    """

    l1: float = 0.0
    l2: float = 0.0
    square: float = 0.0

    def scaled(self, scale: float, degree: float = 4) -> Penalty:
        """Return the penalty for X / scale² and factors / scale, the whole objective / scale^degree."""
        weights = self.l1 * scale, self.l2 * scale * scale, self.square * scale * scale
        return Penalty(*(times_power(weight, scale, -degree) for weight in weights))

    def added_to(self, gram: Small) -> Small:
        """Return :meth:`curved`, of a topic that is empty on the other side 1: it costs l1 and explains nothing."""
        G = self.curved(gram)
        return np.where(np.eye(gram.shape[-1]) * (G == 0) > 0, 1.0, G) if self.l1 > 0 else G

    def curved(self, gram: Small) -> Small:
        """Return the quadratic part of a row's problem: gram + l2·I + square·eeᵀ."""
        return np.asarray(gram + self.l2 * np.eye(gram.shape[-1]) + self.square)

    def value(self, X: Matrix, factor: Factor, gram: Small) -> float:
        """Return the penalty of ``factor``, whose own Gram matrix is ``gram``; a number for each start."""
        l1: Any = self.l1 * X.column_sums(factor).sum(axis=-1) if self.l1 else 0.0
        trace, whole = np.trace(gram, axis1=-2, axis2=-1), gram.sum(axis=(-2, -1))
        value: Any = l1 + 0.5 * self.l2 * trace + 0.5 * self.square * whole
        return value if np.ndim(value) else float(value)
