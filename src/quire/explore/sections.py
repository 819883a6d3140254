"""The payload of a run with all that can be said of it: its classes, a choice of k, another run beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.comparison import compare
from quire.explore.choice_section import choice_section
from quire.explore.class_matrix import class_section
from quire.explore.payload import Payload, payload_of
from quire.run import Run, load


def full_payload(
    run: Run,
    folder: str | Path,
    *,
    choice: str | Path | None = None,
    other: str | Path | dict[str, Any] | None = None,
    **how: Any,
) -> Payload:
    """Return what the page shows of a run.

    Parameters
    ----------
    run : Run
        The run.
    folder : path
        Where it is, or will be: its name is the page's title.
    choice : path, optional
        What ``quire choose --out`` wrote, for the view "How many".
    other : path or dict, optional
        The folder of another run over the same documents, for the view "Compare"; or the section itself, from
        :meth:`quire.comparison.Comparison.as_section`.
    **how
        As for :func:`quire.explore.payload.payload_of`: ``layout``, ``served``, ``update``.

    Examples
    --------
    >>> import quire
    >>> from quire.explore.sections import full_payload
    >>> texts, classes = ["the moon", "a moon", "goal", "a goal"], ["space", "space", "sport", "sport"]
    >>> run = quire.cluster(texts, 2, labels=classes, random_state=0)
    >>> full_payload(run, "talks/moon").head["classes"]["labels"]
    ['space', 'sport']
    """
    if isinstance(other, str | Path):
        other = compare(run, load(other)).as_section(_name(other))
    chosen = None if choice is None else choice_section(choice)
    return payload_of(
        run, title=_name(folder), folder=str(folder), choice=chosen, compare=other,
        classes=class_section(run), **how,
    )  # fmt: skip


def _name(folder: str | Path) -> str:
    return Path(folder).resolve().name
