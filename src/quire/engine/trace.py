"""The trace of a fit and the rule that ends it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from quire.places.codec import storable


@storable
class Step(NamedTuple):
    """One line of a trace, and what a callback receives.

    Examples
    --------
    >>> from quire import Step
    >>> Step(iteration=1, objective=2.5, residual=0.1, seconds=0.01).objective
    2.5
    """

    iteration: int
    objective: float
    residual: float
    """√(Σ G_tt δ_t²) / ‖X‖: how far the factors were from meeting the KKT conditions."""
    seconds: float


Callback = Callable[[Step], Any]


@dataclass(frozen=True)
class Stopping:
    """When to stop: the first of these that holds."""

    # the KKT residual is at most this share of the first iteration's, or three iterations lowered the
    # objective by at most ``3 * tol**2`` of itself; for a rule that creeps also: a few iterations lowered the root
    # of the objective by less than ``tol`` of what it was at the start; scikit-learn looks at ten, which are shorter
    tol: float = 1e-4
    max_iter: int = 200  # this many iterations are done
    max_time: float | None = None  # this many seconds have passed

    def converged(
        self, objectives: Sequence[float], residuals: Sequence[float], begun: float = 0.0, creeps: int = 0
    ) -> bool:
        """Compare the last residual with the first, the last objective with those of some iterations ago.

        ``creeps``: how many iterations of a rule that creeps are looked at; ``begun``: the objective of its start, 0
        where it is not known.
        """
        if residuals[-1] <= self.tol * residuals[0]:
            return True
        if len(objectives) < 4:
            return False
        if creeps and len(objectives) > creeps:
            before, last = (math.sqrt(objectives[i]) for i in (-1 - creeps, -1))
            if before - last < self.tol * math.sqrt(begun or objectives[0]):
                return True
        return objectives[-4] - objectives[-1] <= 3 * self.tol**2 * objectives[-4]


def trace_array(trace: list[Step]) -> NDArray[Any]:
    """Return the trace as a structured array, a row an iteration."""
    kinds = {int: np.int64, float: np.float64}
    fields = [(name, kinds[kind]) for name, kind in get_type_hints(Step).items()]
    return np.array([tuple(step) for step in trace], dtype=fields)
