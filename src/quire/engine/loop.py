"""The one outer loop: W and H from a start, or from several at once, by any rule, on any back end.

What an iteration is and when it is kept: :mod:`quire.engine.descent`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Factor, Matrix, Side, Small
from quire.engine.descent import Descent, Path
from quire.engine.rules.rule import Factors, Grams, Rule, Start, times_power
from quire.engine.trace import Callback, Step, Stopping
from quire.places.codec import storable


@storable
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
    >>> fit = factorize(ReferenceMatrix(X), (np.ones((2, 1)), np.ones((1, 2))), Hals())
    >>> bool(np.allclose(fit.W @ fit.H, X)), fit.stopped
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


class Keeper(Protocol):
    """Keeps states of the loop (see :class:`quire.places.checkpoint.LoopKeeper`)."""

    def take(self, name: str) -> Any:
        """Return what a killed run left under a name, once; None where there is nothing."""

    def around(self, **state: Any) -> None:
        """Set what is to be kept beside the state of the loop."""

    def save(self, loop: Any) -> None:
        """Keep a state, unless the last one is recent."""


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
    state = keeper.take("loop") if keeper is not None else None
    if state is None:
        descent = _begun(X, start, rule, accelerate, fixed)
    else:
        descent = Descent.restored(X, state)
        began -= descent.paths[0].trace[-1].seconds
    del start, state
    _run(descent, rule, stopping or Stopping(), began, callback, keeper)
    (path,), (H,), k = descent.paths, descent.topics(), descent.k
    parts, W_given = descent.parts, descent.W_given
    del descent  # the other copies of the factors are not needed any more
    solved = _best_weights(X, H, k, rule) if W_given is None else _left_alone(X, W_given, H, k, rule)
    return Factorization(*solved, path.trace, path.stopped or "max_iter", parts)


def factorize_many(
    X: Matrix, starts: Sequence[Start], rule: Rule, stopping: Stopping | None = None, *, accelerate: bool = True
) -> list[Factorization]:
    """Factorize X from each of several starts; each stops by itself."""
    stopping = stopping or Stopping()
    most = X.starts_at_once(starts[0][1].shape[0]) if can_batch(X, rule) else 1  # type: ignore[attr-defined]
    if most == 1:
        return [factorize(X, start, rule, stopping, accelerate=accelerate) for start in starts]
    factorizations: list[Factorization] = []
    for first in range(0, len(starts), most):
        began, begun = time.perf_counter(), [rule.begin(X, start) for start in starts[first : first + most]]
        descent = Descent(X, begun, rule.scaled(X.scale), accelerate and rule.extrapolates)
        _run(descent, rule, stopping, began)
        k, ends = descent.k, zip(descent.paths, descent.topics(), strict=True)
        del descent, begun
        for path, H in ends:
            factorizations.append(Factorization(*_best_weights(X, H, k, rule), path.trace, path.stopped))
    return factorizations


def can_batch(X: Matrix, rule: Rule) -> bool:
    """Return whether this back end and this rule take several starts in one step."""
    return bool(getattr(X, "stacks", False)) and rule.batches


def _begun(X: Matrix, start: Start | Callable[[], Start], rule: Rule, accelerate: bool, fixed: Side | None) -> Descent:
    """Return the loop at its start."""
    given = start() if callable(start) else start
    W, H = rule.begin(X, given)
    if fixed is not None:  # whatever the rule would have it be
        W, H = (given[0], H) if fixed == "W" else (W, given[1])
    descent = Descent(X, [(W, H)], rule.scaled(X.scale), accelerate and rule.extrapolates, fixed)
    if rule.creeps and given[0].any() and given[1].any():  # a factor of zeros is not where the loop begins
        descent.measure_start()
    return descent


def _run(
    descent: Descent,
    rule: Rule,
    stopping: Stopping,
    began: float,
    callback: Callback | None = None,
    keeper: Keeper | None = None,
) -> None:
    """Iterate until every start has stopped."""
    for iteration in range(len(descent.running[0].trace) + 1, stopping.max_iter + 1):
        descent.iterate()
        seconds = time.perf_counter() - began
        for path in descent.running:
            objective = _in_unit(path.objectives[-1], descent.X, rule)
            path.trace.append(Step(iteration, objective, path.residuals[-1], seconds))
            path.stopped = _why_stop(path, stopping, rule.creeps, callback)
        if not descent.let_go():
            return
        if keeper is not None:
            keeper.save(descent.state())


def _why_stop(path: Path, stopping: Stopping, creeps: int, callback: Callback | None) -> str:
    """Return why a start ends after its last step; an empty text where it goes on."""
    step = path.trace[-1]
    if callback is not None and callback(step):
        return "callback"
    if path.exhausted or stopping.converged(path.objectives, path.residuals, path.begun, creeps):
        return "tol"
    if stopping.max_time is not None and step.seconds >= stopping.max_time:
        return "max_time"
    return "max_iter" if step.iteration == stopping.max_iter else ""


class Solved(NamedTuple):
    """The best W for an H, and what the two come to."""

    W: Any
    H: NDArray[Any]
    objective: float
    error: float


def solve_documents(X: Matrix, H: NDArray[Any], rule: Rule) -> Solved:
    """Find the best W for this H.

    Every row starts at zero and stops by itself, so that a document gets the same weights alone, in any
    batch, and among the documents that H was learnt from.
    """
    return _best_weights(X, X.factor(H.T), len(H), rule)


def _best_weights(X: Matrix, H: Factor, k: int, rule: Rule) -> Solved:
    """Return the best W for an H, and what the two come to."""
    held, W = rule.scaled(X.scale), X.factor(np.broadcast_to(np.zeros((1, 1), X.dtype), (X.shape[0], k)))
    gram = X.gram(H)[:k, :k]
    inner = held.solve(X, "W", W, H, gram).inner
    return _measured(X, held, {"W": W, "H": H}, gram, inner, k)


def _measured(X: Matrix, held: Rule, factors: Factors, gram: Small, inner: float, k: int) -> Solved:
    """Return W and H as arrays, and what they come to; ``gram`` is that of H."""
    grams: Grams = {"W": X.gram(factors["W"])[:k, :k], "H": gram}
    misfit, penalty = held.misfit(X, inner, factors, grams), held.penalty(X, factors, grams)
    error = math.sqrt(2 * misfit) * X.scale ** (held.degree / 2)
    W, H = X.array(factors["W"], k), np.ascontiguousarray(X.array(factors["H"], k).T)
    return Solved(W, H, _in_unit(misfit + penalty, X, held), error)


def _left_alone(X: Matrix, W: NDArray[Any], H: Factor, k: int, rule: Rule) -> Solved:
    """Return a W that was given, with its objective."""
    factors: Factors = {"W": X.factor(W), "H": H}
    inner = float(np.trace(X.gram(factors["W"], X.product("W", H))))
    return _measured(X, rule.scaled(X.scale), factors, X.gram(H)[:k, :k], inner, k)._replace(W=W)


def _in_unit(objective: float, X: Matrix, rule: Rule) -> float:
    """Bring an objective to the unit of the X that was given."""
    return times_power(objective, X.scale, rule.degree)
