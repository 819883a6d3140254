"""Names that NumPy 2 removed, for peers that still call them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np


@contextlib.contextmanager
def old_numpy() -> Iterator[None]:
    """Give back the names that NumPy 2 removed and peers still call."""
    names = {"mat": np.asmatrix, "Inf": np.inf, "float": float, "int": int}
    added = {name: value for name, value in names.items() if name not in vars(np)}
    for name, value in added.items():
        setattr(np, name, value)
    try:
        yield
    finally:
        for name in added:
            delattr(np, name)
