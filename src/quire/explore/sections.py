"""The payload of a run with all that can be said of it: its classes, a choice of k, another run beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.comparison import compare
from quire.explore.choice_section import choice_section
from quire.explore.class_matrix import class_section
from quire.explore.page import LIMIT, write_page
from quire.explore.payload import Payload, payload_of
from quire.folder import check_file
from quire.run import Run, load


def full_payload(
    run: Run,
    folder: str | Path | None = None,
    *,
    title: str | None = None,
    choice: str | Path | None = None,
    other: str | Path | dict[str, Any] | None = None,
    **how: Any,
) -> Payload:
    """Return what the page shows of a run.

    Parameters
    ----------
    run : Run
        The run.
    folder : path, optional
        Where it is: the page names it where it has to leave something out.
    title : str, optional
        What the page is called; the folder's name by default.
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
    if title is None:
        title = "" if folder is None else Path(folder).resolve().name
    if isinstance(other, str | Path):
        called = Path(other).resolve().name
        other = compare(run, load(other)).as_section(called if called != title else str(other))
    chosen = None if choice is None else choice_section(choice)
    return payload_of(
        run, title=title, folder=str(folder or ""), choice=chosen, compare=other,
        classes=class_section(run), **how,
    )  # fmt: skip


def page(
    run: Run,
    path: str | Path,
    *,
    title: str | None = None,
    choice: str | Path | None = None,
    other: str | Path | dict[str, Any] | None = None,
    layout: str = "topics",
    limit: int = LIMIT,
) -> Path:
    """Write the page of a run: one file that opens in any browser, without a network.

    Parameters
    ----------
    run : Run
        What to show.
    path : path
        The file; one that is there already is replaced.
    title : str, optional
        What the page is called; the file's name by default.
    choice, other
        As for :func:`full_payload`.
    layout : {"topics", "tsne"}
        Of the map.
    limit : int, default=25,000,000
        Bytes that the file may have; texts that do not fit are left out, and the page says so.

    Examples
    --------
    >>> import tempfile, quire
    >>> run = quire.cluster(["the moon", "a moon", "goal", "a goal"], 2, random_state=0)
    >>> quire.page(run, tempfile.mkdtemp() + "/moon.html").name
    'moon.html'
    """
    target = check_file(path)
    called = target.stem if title is None else title
    payload = full_payload(run, title=called, choice=choice, other=other, layout=layout)
    write_page(payload, target, limit)
    return Path(path)
