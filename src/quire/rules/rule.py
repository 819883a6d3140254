"""What the outer loop asks of an update rule."""

from __future__ import annotations

from typing import Protocol

from quire.ops.matrix import Factor, Matrix, Progress, Side, Small


class Rule(Protocol):
    """One way to improve a factor while the other is held.

    A rule sees X only through the operations of a back end, and must never raise the objective
    ½‖X − WH‖² + penalty(W) + penalty(H).

    Examples
    --------
    >>> from quire.rules.hals import Hals
    >>> from quire.rules.rule import Rule
    >>> rule: Rule = Hals()
    >>> rule.extrapolates
    True
    """

    extrapolates: bool
    """Whether a non-negative point past the last step is a valid place to start from."""

    def scaled(self, scale: float) -> Rule:
        """Return the same rule for X / scale² and factors / scale."""

    def update(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Improve ``factor`` in place; ``gram`` is that of ``other``."""

    def penalty(self, X: Matrix, side: Side, factor: Factor, gram: Small) -> float:
        """Return the penalty of ``factor``; ``gram`` is its own."""

    def solve(self, X: Matrix, side: Side, factor: Factor, other: Factor, gram: Small) -> Progress:
        """Improve ``factor`` in place until it is the optimum for this ``other``."""
