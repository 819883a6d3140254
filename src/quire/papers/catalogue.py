"""Every table and figure of the five papers, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quire.messages import meant
from quire.papers import conroy2023, ding2008
from quire.papers.experiment import Experiment, Unavailable
from quire.papers.kim2008 import catalogue as kim2008
from quire.papers.tsikhanovich2011 import tables as tsikhanovich2011
from quire.papers.xu2003 import tables as xu2003

_MODULES: tuple[Any, ...] = (xu2003, kim2008, ding2008, tsikhanovich2011, conroy2023)
_PAPERS = tuple(module.EXPERIMENTS[0].name.split("/")[0] for module in _MODULES)


def experiments() -> dict[str, Experiment]:
    """Return what can be done again, by name, in the order of the papers."""
    return {experiment.name: experiment for module in _MODULES for experiment in module.EXPERIMENTS}


def unavailable() -> list[Unavailable]:
    """Return what cannot be done again, and why."""
    return [entry for module in _MODULES for entry in module.UNAVAILABLE]


def chosen(names: Sequence[str]) -> list[Experiment]:
    """Return the experiments of these names: ``all``, a paper such as ``xu2003``, or a table or figure."""
    known, matches = experiments(), []
    for name in names:
        of_paper = [one for one in known if name in ("all", one, one.split("/")[0])]
        if not of_paper:
            raise ValueError(_not_known(name, list(known)))
        matches += of_paper
    return [known[name] for name in dict.fromkeys(matches)]


def _not_known(name: str, known: list[str]) -> str:
    for one in unavailable():
        if one.name == name:
            return f"{name} ({one.title}) cannot be done again: {one.why}."
    near = meant(name, [*known, *_PAPERS, "all"])
    return f"No table or figure is called {name!r}{near}: `quire reproduce` lists them."
