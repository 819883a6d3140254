"""Packages that are imported when a file needs them: one at a time, whatever threads read files."""

from __future__ import annotations

import gc
import importlib
import threading
from typing import Any

_ONE = threading.RLock()


def imported(module: str) -> Any:
    """Import a module; raises ImportError where it is not installed.

    Two threads that import packages which need each other may be refused as a deadlock. And a collection of garbage in
    the midst of an import may run a finalizer that imports, too: Python 3.11 then raises a KeyError (cpython#106176).
    """
    with _ONE:
        collects = gc.isenabled()
        gc.disable()
        try:
            return importlib.import_module(module)
        finally:
            if collects:
                gc.enable()
