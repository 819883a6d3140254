"""What others import at once and hardly ever use is read when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

NAMES = ("scipy.stats",)  # which scikit-learn imports first of all, for the sake of one function


class _Later(MetaPathFinder):
    """Finds these modules as Python does, and has each read at the first look at it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname in NAMES else None
        if spec is None or spec.loader is None:
            return None
        spec.loader = LazyLoader(spec.loader)
        return spec


def import_later() -> None:
    """Have this process read these modules late: to read them takes a third of what a small run does."""
    if sys.version_info < (3, 12, 3):  # there two threads that look first may see half a module
        return
    if not any(isinstance(finder, _Later) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Later())
