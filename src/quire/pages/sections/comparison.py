"""Another run beside this one, as the page shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.pages.sections.section import Asked
from quire.runs.load import load
from quire.runs.run import Run
from quire.studies.compare import compare


def comparison_section(run: Run, asked: Asked) -> dict[str, Any] | None:
    """Return the comparison that was given, or that with the run whose folder was named."""
    if asked.other is None or isinstance(asked.other, dict):
        return asked.other
    name = Path(asked.other).resolve().name
    return compare(run, load(asked.other)).as_section(name if name != asked.title else str(asked.other))
