"""How far a run is, shown below the cell of a notebook in which it is made; nothing is shown elsewhere."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import Any

from quire.messages import DOING, Stages
from quire.runs.html import bar, text_of

_EVERY = 0.2  # seconds between two pictures of a bar


def shown_stages() -> Stages:
    """Return stages that show themselves where there is a notebook to show them in."""
    shell = _notebook()
    return Stages() if shell is None else CellStages()


def _notebook() -> Any:
    """Return the kernel's shell; None in a program or a terminal, where IPython may not even be installed."""
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


class CellStages(Stages):
    """Stages with one bar below a cell, which goes away with the last of them."""

    def __init__(self) -> None:
        super().__init__()
        display: Any = import_module("IPython.display")
        self._html = display.HTML
        self._shown = display.display(display.HTML(""), display_id=True)
        self._name, self._began, self._drawn = "", time.monotonic(), 0.0

    def begin(self, name: str) -> None:
        """Show a bar without an end, until an update knows it."""
        self._name, self._began = DOING.get(name, name), time.monotonic()
        self._draw(0, None)

    def update(self, done: int, total: int | None) -> None:
        """Move the bar, not more often than anybody sees."""
        if time.monotonic() - self._drawn >= _EVERY:
            self._draw(done, total)

    def end(self) -> None:
        """Take the bar away; the next stage has its own."""
        self._shown.update(self._html(""))

    def _draw(self, done: int, total: int | None) -> None:
        self._drawn = time.monotonic()
        far = f"{bar(done, total)} {done:,}/{total:,}" if total else ""
        seconds = f"{self._drawn - self._began:.0f} s"
        style = "display:flex;gap:.8em;align-items:center"
        self._shown.update(self._html(f'<div style="{style}">{text_of(self._name)} {far} {seconds}</div>'))
