"""The stages of a long operation: how long each took, and how far the present one is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Update = Callable[[int, int | None], None]  # so many done, of so many where that is known


class Stages:
    """Times of stages by name. A subclass shows them as they pass.

    Examples
    --------
    >>> from quire.stages import Stages
    >>> stages = Stages()
    >>> with stages.stage("read") as update:
    ...     update(1, 2)
    >>> list(stages.seconds)
    ['read']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[Update]:
        """Time what is done inside; gives the function to call with how far it is."""
        began = time.perf_counter()
        self.begin(name)
        try:
            yield self.update
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
            self.end()

    def begin(self, name: str) -> None:
        """Show that a stage begins (for subclasses)."""

    def update(self, done: int, total: int | None) -> None:
        """Show how much of the present stage is done (for subclasses)."""

    def end(self) -> None:
        """Show that the present stage ended (for subclasses)."""
