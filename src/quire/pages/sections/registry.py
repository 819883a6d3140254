"""The sections by name, in the order of the page's tabs; a section that has nothing to show is None.

What a section returns is ``head[name]``, for a view of its own in ``web/src/views``. One that returns a
`TableSection` needs no such view: it goes to ``head["tables"]``, and one view shows them all; one without columns is
nothing to show.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quire.pages.sections.by import by_section
from quire.pages.sections.choice import choice_section
from quire.pages.sections.classes import class_section
from quire.pages.sections.comparison import comparison_section
from quire.pages.sections.history import history_section
from quire.pages.sections.section import Asked, TableSection
from quire.pages.sections.seeds import seeds_section
from quire.pages.sections.tree import tree_section
from quire.pages.sections.wholes import wholes_section
from quire.runs.run import Run

SECTIONS: dict[str, Callable[[Run, Asked], dict[str, Any] | TableSection | None]] = {
    "tree": tree_section,
    "by": by_section,
    "classes": class_section,
    "choice": choice_section,
    "compare": comparison_section,
    "wholes": wholes_section,
    "history": history_section,
    "seeds": seeds_section,
}


def sections_of(run: Run, asked: Asked) -> dict[str, Any]:
    """Return the parts of the page's head that are sections."""
    sections = {name: section(run, asked) for name, section in SECTIONS.items()}
    shown = {name: one for name, one in sections.items() if isinstance(one, TableSection) and one.columns}
    tables = [{"name": name, **one._asdict()} for name, one in shown.items()]
    own = {name: one for name, one in sections.items() if not isinstance(one, TableSection)}
    return {**own, "tables": tables}
