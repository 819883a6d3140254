"""Tests of another package, run with our classes in place of its own."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def borrowed(tests: str, package: str, **ours: Any) -> ModuleType:
    """Return a fresh copy of an installed module of tests, imported while ``package`` has our names."""
    pytest.importorskip(package)
    spec = importlib.util.find_spec(tests)
    if spec is None or spec.origin is None:
        pytest.skip(f"{tests} is not installed with {package}", allow_module_level=True)
    module = ModuleType(f"{tests} with ours")
    module.__file__ = spec.origin
    with _replaced(importlib.import_module(package), ours):
        exec(compile(Path(spec.origin).read_text("utf-8"), spec.origin, "exec"), vars(module))
    return module


def functions_of(module: ModuleType) -> dict[str, Any]:
    """Return the test functions of a module, to be put among those of the caller."""
    return {name: one for name, one in vars(module).items() if name.startswith("test_")}


@contextmanager
def _replaced(package: ModuleType, ours: dict[str, Any]) -> Iterator[None]:
    theirs = {name: getattr(package, name) for name in ours}
    vars(package).update(ours)
    try:
        yield
    finally:
        vars(package).update(theirs)
