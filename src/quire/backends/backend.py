"""Which back end holds X."""

from __future__ import annotations

from typing import Any

from quire.backends.matrix import Matrix
from quire.backends.opening import plain_matrix
from quire.places.memory import MemoryPlace
from quire.places.parts import Blocks

DEVICES = ("cpu", "cuda", "auto")


def check_device(device: str) -> None:
    """Refuse a name that is not known."""
    if device not in DEVICES:
        raise ValueError(f"device={device!r} is not known: use 'cpu', 'cuda' or 'auto'.")


def as_matrix(X: Any, n_jobs: int | None = None, keep_transposed: bool | None = None, device: str = "cpu") -> Matrix:
    """Return X in the hands of a back end, to be used in a ``with`` block."""
    check_device(device)
    if isinstance(X, Blocks) and isinstance(X.place, MemoryPlace) and len(X.handles) == 1:
        X = X.whole()  # which every back end treats as the one block that it is, to the last bit
    if isinstance(X, Blocks):
        from quire.backends.rows.matrix import RowBlocks

        return RowBlocks(X, n_jobs)
    if device != "cpu":
        from quire.backends.rows.streamed import fits, streamed

        if not fits(X):
            if device == "cuda":
                return streamed(X, n_jobs)
            device = "cpu"
    return plain_matrix(X, n_jobs, keep_transposed, device)
