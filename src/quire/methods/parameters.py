"""The parameters of every estimator, their checks, and what a method says about itself."""

from __future__ import annotations

import numbers
import reprlib
import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, ClassVar

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from quire.backends.backend import check_device, device_there
from quire.backends.matrix import Matrix
from quire.engine.loop import Factorization, Keeper
from quire.engine.rules.rule import Rule
from quire.engine.trace import Step
from quire.methods.guide import Guide

_MOST_TOPICS = 2**31 - 1


@dataclass(eq=False, repr=False)
class Parameters(BaseEstimator):  # type: ignore[misc]
    """The parameters that every estimator has (``TopicEstimator`` explains them)."""

    n_components: int | str | None = "auto"
    _: KW_ONLY
    init: str | None = None
    tol: float = 1e-4
    max_iter: int = 200
    n_init: int = 1
    random_state: Any = None
    n_jobs: int | None = None
    device: str = "cpu"
    max_time: float | None = None
    verbose: int = 0
    callback: Callable[[Step], Any] | None = None

    # -- for subclasses ----------------------------------------------------------------------------------

    _on_device: ClassVar[bool] = True
    """Whether its work is a back end's, so that a GPU does it."""
    _keeper: Keeper | None = field(default=None, init=False)
    """Keeps the state of a long fit; set on the instance."""
    _guide: Guide | None = field(default=None, init=False)
    """Seeds of topics, where the method takes them; set on the instance."""
    _in_blocks: ClassVar[bool] = True
    """Whether X may come in row blocks."""
    _redraws: ClassVar[int] = 0
    """How often a start is drawn again because a topic of it died."""
    _skips_silent: ClassVar[bool] = False
    """Whether documents of zeros, which would pull topics towards zero, are left out of the fit."""
    _takes_zeros: ClassVar[bool] = False
    """Whether an X of zeros has topics of zeros, as scikit-learn's NMF has it, and is not refused."""
    _balances: ClassVar[bool] = True
    """Whether a given start may share a topic's size otherwise between W and H."""

    def _rule(self, shape: tuple[int, int]) -> Rule:
        raise TypeError(f"{type(self).__name__} has no update rule.")

    def _seen(self, X: Any) -> Any:
        """Return X as the method sees it, in ``fit`` and in ``transform``."""
        return X

    def _prepare(self, X: Any) -> None:
        """Learn what the rule needs to know of X, or refuse it."""

    def _finish(self, matrix: Matrix, fit: Factorization) -> Factorization:
        """Bring the best factors to the form that the method promises."""
        return fit

    @property
    def most_steps(self) -> int:
        """How many iterations there can be, of all starts together."""
        return self.n_init * self.max_iter

    @property
    def _where(self) -> str:
        """The device whose back end holds X."""
        return self.device if self._on_device and device_there(self.device) != "cpu" else "cpu"

    def _check_parameters(self) -> None:
        self._check_kinds()
        for name in ("max_iter", "n_init"):
            value = getattr(self, name)
            if not isinstance(value, numbers.Integral) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")
        n_jobs: Any = self.n_jobs
        if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
            raise ValueError(f"n_jobs={n_jobs!r} must be a number of threads, -1, or None for all cores.")
        check_device(self.device)
        if self.device == "cuda" and not self._on_device:
            raise ValueError(
                f"{type(self).__name__} runs on the CPU only: leave device='cuda' out, or take device='auto'."
            )
        tol: Any = self.tol
        if not isinstance(tol, numbers.Real) or not float(tol) >= 0:
            raise ValueError(f"tol={self.tol!r} must be a number, 0 or more.")
        max_time: Any = self.max_time
        if max_time is not None and not (isinstance(max_time, numbers.Real) and float(max_time) > 0):
            raise ValueError(f"max_time={max_time!r} must be a positive number of seconds, or None.")

    def _check_kinds(self) -> None:
        """Refuse what no parameter takes, so that all else may compare, look up and count."""
        usual = type(self)().get_params(deep=False)
        nothing = {one.name for one in fields(self) if "None" in str(one.type)}  # those that may be None
        for name, value in self.get_params(deep=False).items():
            if value is None and name in nothing:
                continue
            if isinstance(usual[name], numbers.Real) and not isinstance(value, numbers.Real):
                raise ValueError(f"{name}={reprlib.repr(value)} must be a number.")
            if isinstance(value, int) and abs(value) > sys.float_info.max:
                raise ValueError(f"{name}={reprlib.repr(value)} is larger than any number that is counted with.")
            if name not in ("random_state", "callback") and not isinstance(value, str | numbers.Real | None):
                raise ValueError(f"{name}={reprlib.repr(value)} must be a number or a name.")
        if not (self.callback is None or callable(self.callback)):
            raise ValueError("callback must be a function that is given each step, or None.")
        try:
            check_random_state(self.random_state)
        except (ValueError, TypeError):
            raise ValueError(
                "random_state must be a whole number from 0 to 4,294,967,295, a numpy.random.RandomState, or None, "
                f"not {reprlib.repr(self.random_state)}."
            ) from None

    def _wanted(self, X: Any, n_written: int | None = None) -> int:
        """Return k."""
        k: Any = self.n_components
        if k == "auto":
            n, d = X.shape
            return int(min(10, n if n_written is None else n_written, d))
        if k is True or not isinstance(k, numbers.Integral) or k < 1:
            raise ValueError(f"n_components={k!r} must be a whole number of at least 1, or 'auto'.")
        if int(k) > _MOST_TOPICS:
            raise ValueError(f"n_components={k!r} is more than anything could hold: ask for fewer topics.")
        return int(k)

    def _check_no_start(self, W: ArrayLike | None, H: ArrayLike | None) -> None:
        if W is not None or H is not None:
            name = type(self).__name__
            raise ValueError(f"{name} does not start from given factors: leave W and H out.")
