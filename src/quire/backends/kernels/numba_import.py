"""numba without the settings of whoever's folder this is."""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path

_FILE = ".numba_config.yaml"


def import_numba() -> None:
    """Import numba, but not the file of settings that it would read in the working folder.

    That may be anybody's folder of documents, and could switch compilation off, or say where compiled code is. The
    environment (``NUMBA_…``) is the user's own and counts.
    """
    if "numba" in sys.modules:  # whoever did that has read it already
        return
    if Path(_FILE).exists():
        _import_without_yaml()
    config = importlib.import_module("numba.core.config")
    config._config_fname = ""  # type: ignore[attr-defined]  # it is looked for again whenever something is compiled


def _import_without_yaml() -> None:
    """Import numba as where there is nothing that could read the file."""
    there = {name: sys.modules.pop(name) for name in list(sys.modules) if name == "yaml"}
    sys.modules["yaml"] = None  # type: ignore[assignment]  # an ImportError for whoever asks
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A Numba config file is found")
            importlib.import_module("numba")
    finally:
        del sys.modules["yaml"]
        sys.modules.update(there)
