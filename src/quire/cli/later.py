"""What others import at once and hardly ever use is read when it is first used, or not at all."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

NAMES = ("scipy.stats",)  # which scikit-learn imports first of all, for the sake of one function
WITHOUT = {"sklearn.utils.fixes": "pandas"}  # does without it as well, and the command has no frames of it
_reading = threading.RLock()  # one for all: whoever reads one may look at it, or at another, on the way


class _Unread(ModuleType):
    """A module up to the first look at it; other threads that look wait until it is read.

    Before Python 3.12.3 its own ``LazyLoader`` shows them half of a module.
    """

    def __getattribute__(self, name: str) -> Any:
        plainly = ModuleType.__getattribute__  # once it is read, it is no _Unread any more, also for who waited
        if name == "__spec__":  # asked for by every other import of it, to see whether it is being read
            return plainly(self, name)
        with _reading:
            spec = plainly(self, "__spec__")
            if spec.loader_state is None:
                spec.loader_state = "begun"
                try:
                    spec.loader.of.exec_module(self)
                except BaseException:
                    spec.loader_state = None  # it fails again for the next who looks
                    raise
                self.__class__ = ModuleType  # type: ignore[assignment]
        return plainly(self, name)


class _LateLoader(Loader):
    """Makes a module that is read later."""

    def __init__(self, of: Loader) -> None:
        self.of = of

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.of.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Unread


class _LoaderWithout(_LateLoader):
    """Reads a module as if another one, unless it is there already, were not installed."""

    def exec_module(self, module: ModuleType) -> None:
        missing = WITHOUT[module.__name__]
        if missing in sys.modules:
            self.of.exec_module(module)
            return
        sys.modules[missing] = None  # type: ignore[assignment]  # an ImportError for whoever asks
        try:
            self.of.exec_module(module)
        finally:
            del sys.modules[missing]


class _Later(MetaPathFinder):
    """Finds these modules as Python does, and has each read at the first look at it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        known = fullname in NAMES or fullname in WITHOUT
        spec = PathFinder.find_spec(fullname, path, target) if known else None
        if spec is None or spec.loader is None:
            return None
        spec.loader = (_LoaderWithout if fullname in WITHOUT else _LateLoader)(spec.loader)
        return spec


def import_later() -> None:
    """Have this process read these modules late: to read them takes a third of what a small run does."""
    if not any(isinstance(finder, _Later) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Later())


def is_unread(name: str) -> bool:
    """Say whether a module was imported, but nobody has looked at it."""
    return type(sys.modules.get(name)) is _Unread
