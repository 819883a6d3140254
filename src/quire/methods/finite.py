"""A fit ends in finite numbers or in a sentence, and a fit that failed leaves the model as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from quire.places.parts import Blocks, KeptRows

_NUMBERS = ("memberships_", "objective_", "reconstruction_err_")  # beside what a method has learnt
_OF_A_STEP = ("objective", "residual")


@contextmanager
def left_as_it_was(model: Any) -> Iterator[None]:
    """Give a model its attributes back where something fails."""
    before = model.__dict__.copy()
    try:
        yield
    except BaseException:
        model.__dict__ = before
        raise


@contextmanager
def finite_fit(model: Any, X: Any) -> Iterator[None]:
    """Refuse X where its numbers, or what a fit makes of them, leave the range of their type."""
    whom = type(model).__name__
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what came of it is looked at below
            yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise _out_of_range(X, whom) from error
    named = [getattr(model, name, 0.0) for name in ("components_", *model._learnt, *_NUMBERS)]
    steps = [model.trace_[name] for name in _OF_A_STEP] if hasattr(model, "trace_") else []
    if not all(map(_is_finite, (*named, *steps))):
        raise _out_of_range(X, whom)


def finite_weights(W: Any, X: Any, model: Any) -> Any:
    """Return the weights of documents, or refuse X where they left the range of numbers."""
    if not _is_finite(W):
        raise _out_of_range(X, type(model).__name__)
    return W


def _is_finite(numbers: Any) -> bool:
    """Say whether all numbers are finite; those in blocks by their sums."""
    return bool(np.isfinite(numbers.sum() if isinstance(numbers, KeptRows) else numbers).all())


def _out_of_range(X: Any, whom: str) -> ValueError:
    if isinstance(X, Blocks):
        values = f"up to {X.largest:.3g}"
    else:
        held = X.data if sp.issparse(X) else X
        values = f"from {held[held > 0].min(initial=np.inf):.3g} to {held.max(initial=0):.3g}"
    return ValueError(
        f"{whom} left the range of {X.dtype} with this X, which holds values {values}: multiply X by a constant that "
        "brings the largest near 1, and set values that are next to nothing to 0."
    )
