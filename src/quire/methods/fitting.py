"""How an estimator comes to its factors: parameters, starts, the best of several fits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from quire.backends.backend import as_matrix
from quire.backends.check import check_matrix, silent_rows
from quire.backends.matrix import Matrix
from quire.engine.loop import Factorization, can_batch, factorize, factorize_many, solve_documents
from quire.engine.rules.rule import Start
from quire.engine.start import balanced, coarse_start, first_factors, is_large, sampled_rows
from quire.engine.trace import Step, Stopping
from quire.methods.assignment import assign
from quire.methods.parameters import Parameters
from quire.places.parts import brought, selected

_ENOUGH = 10  # documents for each topic, so that one without any has died
_MakeStart = Callable[[float | None], Start]


@dataclass(eq=False, repr=False)
class Fitting(Parameters):
    """How the parameters lead to factors."""

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        silent = silent_rows(X)
        if self._skips_silent and silent.any():
            given = None if W is None else _dense("W", W)
            W = given[~silent] if given is not None and given.shape[:1] == silent.shape else given
            fit = self._factorize(selected(X, ~silent), W, H)
            with as_matrix(X, self.n_jobs, device=self._where) as matrix:
                solved = solve_documents(matrix, fit.H, self._rule(X.shape))
            return replace(fit, W=solved.W, objective=solved.objective, error=solved.error)
        self._prepare(X)
        starts = self._starts(X, W, H)
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            return self._finish(matrix, self._best_of(matrix, starts))

    def _of_nothing(self, X: Any) -> Factorization:
        """Return what an X of zeros comes to: topics of zeros."""
        self._prepare(X)
        k = self._wanted(X)
        W, H = np.zeros((X.shape[0], k), X.dtype), np.zeros((k, X.shape[1]), X.dtype)
        return Factorization(W, H, 0.0, 0.0, [Step(1, 0.0, 0.0, 0.0)], "tol")

    def _starts(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> list[_MakeStart]:
        """Return a function per start, so that only one start is in memory at a time."""
        if self.init == "custom":
            start = self._custom_start(X, W, H)
            return [lambda max_time: start]
        if W is not None or H is not None:
            or_fixed = " or fixed" if hasattr(self, "fixed") else ""
            warnings.warn(
                f"When init!='custom', provided W or H are ignored: set init='custom'{or_fixed} to use them.",
                RuntimeWarning,
                stacklevel=6,
            )
        k, rng = self._wanted(X), check_random_state(self.random_state)
        if self._keeper is not None:
            self._random = rng
        once = self.init in ("nndsvd", "nndsvda")  # which would come out the same every time
        return [lambda max_time: self._first_start(X, k, rng, max_time)] * (1 if once else self.n_init)

    def _start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        """Make one start of an X in memory."""
        if self._guide is not None:
            return self._guide.start(sp.csr_array(X), k, rng)
        return first_factors(X, k, self._init, rng, self.n_jobs, self._where)

    def _first_start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        """Make one start of X, wherever it lies: where it is large, one improved on a sample."""
        own = partial(self._start, k=k, rng=rng, max_time=max_time)
        if not self._is_coarse(X):
            return own(brought(X, np.arange(X.shape[0])))
        n_sample = sampled_rows(X)
        rule = self._rule((n_sample, X.shape[1]))  # penalties grow with the documents
        return coarse_start(X, k, own, rule, n_sample, rng, self.n_jobs, max_time, self._where)

    def _is_coarse(self, X: Any) -> bool:
        """Say whether to begin on a sample of the documents: an estimator may have a parameter for it."""
        coarse = getattr(self, "coarse", "auto")
        return is_large(X) if coarse == "auto" else bool(coarse)

    @property
    def _init(self) -> str | None:
        """The start by name; only a random one can be made several times."""
        return "random" if self.init is None and self.n_init > 1 else self.init

    def _held_starts(self, X: Any, W: ArrayLike | None, H: ArrayLike | None, fixed: str) -> list[_MakeStart]:
        """Return starts of which one factor is given."""
        given = W if fixed == "W" else H
        if given is None or (W if fixed == "H" else H) is not None:
            raise ValueError(f"fixed={fixed!r} needs {fixed}, and {fixed} alone: pass it to fit.")
        held = _dense(fixed, given).astype(X.dtype, copy=False)
        k = held.shape[1 if fixed == "W" else 0] if held.ndim == 2 else 0
        even = np.full((k, X.shape[1]) if fixed == "W" else (X.shape[0], k), 1.0, X.dtype)
        start = self._checked_start(X, held if fixed == "W" else even, held if fixed == "H" else even)
        return [lambda max_time: start]

    def _custom_start(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Start:
        if W is None or H is None:
            raise ValueError("init='custom' needs both W and H: pass them to fit or fit_transform.")
        start = self._checked_start(X, *(self._as_given(X, name, F) for name, F in (("W", W), ("H", H))))
        if not start[1].any():
            raise ValueError(f"Array passed to {type(self).__name__} (input H) is full of zeros: start from a topic.")
        return balanced(*start) if self._balances else start

    def _as_given(self, X: Any, name: str, factor: ArrayLike) -> NDArray[Any]:
        """Return a factor that was given; one of another precision than X is refused, as scikit-learn does it."""
        F = _dense(name, factor)
        if F.dtype.kind == "f" and F.dtype != X.dtype:
            raise TypeError(f"{name} should have the same dtype as X, {X.dtype}, and has {F.dtype}: convert it.")
        return F.astype(X.dtype, copy=False)

    def _checked_start(self, X: Any, W: NDArray[Any], H: NDArray[Any]) -> Start:
        whom, k = type(self).__name__, H.shape[0] if self.n_components == "auto" else self._wanted(X)
        if k == 0:
            raise ValueError("W and H must have at least one topic.")
        for name, F, shape in (("H", H, (k, X.shape[1])), ("W", W, (X.shape[0], k))):
            if F.ndim != 2:
                raise ValueError(f"{name} must have the shape {shape}, not {F.shape}.")
            for axis, nth in enumerate(("first", "second")):
                if F.shape[axis] != shape[axis]:
                    raise ValueError(
                        f"Array with wrong {nth} dimension passed to {whom} (input {name}): {name} must have the shape "
                        f"{shape}, not {F.shape}."
                    )
            check_matrix(np.ascontiguousarray(F), f"{whom} (input {name})")
        return W, H

    def _best_of(self, matrix: Matrix, starts: list[_MakeStart]) -> Factorization:
        """Factorize from every start and keep the lowest objective."""
        if self._go_together(matrix, starts):
            return min(self._many(matrix, [start(None) for start in starts]), key=lambda one: one.objective)
        began, best, best_rank = time.perf_counter(), None, (False, 0.0)
        first, tried, best, best_rank = self._gone_on() or (0, 0, best, best_rank)
        for number in range(first, len(starts)):
            for attempt in range(tried if number == first else 0, 1 + self._redraws):
                left = None if self.max_time is None else self.max_time - (time.perf_counter() - began)
                if best is not None and left is not None and left <= 0:
                    return best
                self._remember(number, attempt, best, best_rank)
                start = partial(starts[number], left)
                fit = self._from_start(matrix, start, Stopping(self.tol, self.max_iter, left))
                if self.verbose:
                    end = f"{len(fit.trace)} iterations, stopped by {fit.stopped}"
                    print(f"start {number + 1}: objective {fit.objective:.6g}, {end}")
                died = self._redraws > 0 and _dead_topics(fit) > 0
                if best is None or (died, fit.objective) < best_rank:
                    best, best_rank = fit, (died, fit.objective)
                if fit.stopped == "callback":
                    return best
                if not died:
                    break
        assert best is not None
        if best_rank[0]:
            warnings.warn(
                f"{_dead_topics(best)} of {len(best.H)} topics died in every start: ask for fewer topics, or "
                "for less sparsity.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return best

    def _go_together(self, matrix: Matrix, starts: list[_MakeStart]) -> bool:
        """Say whether all starts are made at once, which a GPU can; nobody can look on then."""
        alone = self.callback is not None or self._keeper is not None or self.verbose or self.max_time
        held = getattr(self, "fixed", None) is not None or self._redraws
        return len(starts) > 1 and not alone and not held and can_batch(matrix, self._rule(matrix.shape))

    def _many(self, matrix: Matrix, starts: list[Start]) -> list[Factorization]:
        stopping, accelerate = Stopping(self.tol, self.max_iter), getattr(self, "accelerate", True)
        return factorize_many(matrix, starts, self._rule(matrix.shape), stopping, accelerate=accelerate)

    def _gone_on(self) -> tuple[int, int, Factorization | None, tuple[bool, float]] | None:
        """Return where a killed fit was: its start, the attempt at it, and the best so far."""
        state = None if self._keeper is None else self._keeper.take("starts")
        if self._keeper is None or state is None:
            return None
        self._random.set_state(self._keeper.take("random").get_state())
        return state["number"], state["attempt"], state["best"], state["rank"]

    def _remember(self, number: int, attempt: int, best: Factorization | None, rank: tuple[bool, float]) -> None:
        """Have the starts kept beside the state of the loop; the random state is that after this start."""
        if self._keeper is not None:
            state = {"number": number, "attempt": attempt, "best": best, "rank": rank}
            self._keeper.around(starts=state, random=self._random)  # written when kept: as this start left it

    def _from_start(self, matrix: Matrix, start: Callable[[], Start], stopping: Stopping) -> Factorization:
        return factorize(
            matrix,
            start,
            self._rule(matrix.shape),
            stopping,
            accelerate=getattr(self, "accelerate", True),
            fixed=getattr(self, "fixed", None),
            callback=self._report,
            keeper=self._keeper,
        )

    def _report(self, step: Step) -> Any:
        if self.verbose > 1:
            values = f"objective {step.objective:.6g}, residual {step.residual:.2e}"
            print(f"iteration {step.iteration}: {values}, {step.seconds:.2f} s")
        return self.callback(step) if self.callback is not None else False


def _dense(name: str, factor: ArrayLike) -> NDArray[Any]:
    """Return a factor that was given as an array; NumPy would make one object of a sparse matrix."""
    if sp.issparse(factor):
        raise TypeError(f"{name} must be a dense array, and is a sparse one: pass {name}.toarray().")
    return np.asarray(factor)


def _dead_topics(fit: Factorization) -> int:
    """Count the topics without weight and, where there are documents enough, those nobody has first."""
    if len(fit.W) < _ENOUGH * len(fit.H):
        return int((~np.asarray(fit.W).any(axis=0) | ~fit.H.any(axis=1)).sum())
    labels, _ = assign(fit.W, fit.H)
    return len(fit.H) - len(np.unique(labels[labels >= 0]))
