"""Every table and figure of the five papers, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quire.reproduce import conroy2023, ding2008, kim2008, tsikhanovich2011, xu2003
from quire.reproduce.experiment import Experiment, Unavailable
from quire.wording import meant

_MODULES: tuple[Any, ...] = (xu2003, kim2008, ding2008, tsikhanovich2011, conroy2023)
_PAPERS = tuple(module.__name__.rsplit(".", 1)[1] for module in _MODULES)


def experiments() -> dict[str, Experiment]:
    """Return what can be done again, by name, in the order of the papers.

    Examples
    --------
    >>> from quire.reproduce.catalogue import experiments
    >>> "xu2003/table2" in experiments()
    True
    """
    return {found.name: found for module in _MODULES for found in module.EXPERIMENTS}


def unavailable() -> list[Unavailable]:
    """Return what cannot be done again, and why.

    Examples
    --------
    >>> from quire.reproduce.catalogue import unavailable
    >>> [found.name for found in unavailable() if "DUC" in found.title]
    ['conroy2023/figure3']
    """
    return [found for module in _MODULES for found in module.UNAVAILABLE]


def chosen(names: Sequence[str]) -> list[Experiment]:
    """Return the experiments of these names: ``all``, a paper such as ``xu2003``, or a table or figure.

    Examples
    --------
    >>> from quire.reproduce.catalogue import chosen
    >>> [found.name for found in chosen(["ding2008"])]
    ['ding2008/table1']
    >>> chosen(["xu2003/table4"])
    Traceback (most recent call last):
    ValueError: No table or figure is called 'xu2003/table4' (did you mean 'xu2003/table...
    """
    known, found = experiments(), []
    for name in names:
        of_paper = [one for one in known if name in ("all", one, one.split("/")[0])]
        if not of_paper:
            raise ValueError(_not_known(name, list(known)))
        found += of_paper
    return [known[name] for name in dict.fromkeys(found)]


def _not_known(name: str, known: list[str]) -> str:
    for one in unavailable():
        if one.name == name:
            return f"{name} ({one.title}) cannot be done again: {one.why}."
    near = meant(name, [*known, *_PAPERS, "all"])
    return f"No table or figure is called {name!r}{near}: `quire reproduce` lists them."
