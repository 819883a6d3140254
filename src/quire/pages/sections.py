"""The payload of a run with all that can be said of it: its classes, a choice of k, another run beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.pages.choice_section import choice_section
from quire.pages.class_section import class_section
from quire.pages.file import LIMIT, write_page
from quire.pages.payload import Payload, payload_of
from quire.runs.folder import check_file
from quire.runs.run import Run, load
from quire.studies.compare import compare


def full_payload(
    run: Run,
    folder: str | Path | None = None,
    *,
    title: str | None = None,
    choice: str | Path | None = None,
    other: str | Path | dict[str, Any] | None = None,
    **how: Any,
) -> Payload:
    """Return what the page shows of a run."""
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
