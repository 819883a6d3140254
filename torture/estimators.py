"""Every estimator with degenerate, extreme and damaged matrices: finite numbers or a sentence."""

from __future__ import annotations

import random
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from quire.methods.registry import METHODS
from quire.places.memory import MemoryPlace
from quire.places.parts import Blocks
from torture.case import Case, WrongError
from torture.matrices import DAMAGED, MATRICES
from torture.warm import warm_kernels

NAME = "estimators"
TOGETHER = 10  # cases of one process: a fork takes as long as one of them
_HELD = ("memory", "memory", "dense", "blocks")
_STATE = ("components_ of no row", "components_ with NaN", "components_ of other columns", "components_ of objects")


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield fits, each of an estimator, a matrix, a way to hold it, and now and then a damaged state."""
    warm_kernels()
    number = 0
    while True:
        yield _case(random.Random(f"{seed} {number}"))
        number += 1


def _case(draw: random.Random) -> Case:
    method, matrix, held = draw.choice(list(METHODS)), draw.choice(list(MATRICES)), draw.choice(_HELD)
    k, dtype = draw.choice([1, 2, 3, 3, 5, 40]), draw.choice(["f4", "f8"])
    held = "memory" if held == "dense" and matrix in DAMAGED else held  # SciPy itself would crash
    damage = draw.choice(_STATE) if draw.random() < 0.1 else ""
    draws = draw.randrange(1 << 30)

    def run(folder: Path) -> None:
        X = MATRICES[matrix](np.random.default_rng(draws), dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _fit(METHODS[method], _hold(X, held), X, k, damage)
            except (ValueError, TypeError) as error:
                if not _by_sklearn(error):
                    raise

    return Case(f"{method}({k}) of {matrix}, {held}, {dtype}{', ' * bool(damage)}{damage}, {draws}", run)


def _hold(X: Any, held: str) -> Any:
    if held == "dense":
        return X.toarray() if hasattr(X, "toarray") and X.shape[0] * X.shape[1] < 1_000_000 else X
    if held == "blocks" and hasattr(X, "tocsr"):
        return Blocks.split(X.tocsr(), MemoryPlace(), rows=7)
    return X


def _fit(method: Any, held: Any, X: Any, k: int, damage: str) -> None:
    model = method(k, random_state=0)
    if "max_iter" in model.get_params():
        model.set_params(max_iter=20)
    W = model.fit_transform(held)
    _finite("W", W)
    _finite("components_", model.components_)
    _finite("objective_", getattr(model, "objective_", 0.0))
    if damage:
        H = np.asarray(model.components_)
        model.components_ = {
            _STATE[0]: H[:0], _STATE[1]: np.full_like(H, np.nan), _STATE[2]: H[:, : H.shape[1] // 2],
            _STATE[3]: H.astype(object),
        }[damage]  # fmt: skip
    if hasattr(model, "transform"):
        again = model.transform(X)
        if not damage:
            _finite("transform", again)
            _finite("inverse_transform", model.inverse_transform(again))


def _by_sklearn(error: Exception) -> bool:
    """Say whether scikit-learn's own check of X refused it, in its own words."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    return any("sklearn" in name and "validation" in name for name in files)


def _finite(name: str, values: Any) -> None:
    values = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise WrongError(f"{name} holds {np.count_nonzero(~np.isfinite(values))} numbers that are not finite")
