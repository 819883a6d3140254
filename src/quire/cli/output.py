"""What several commands print, and where they write by default."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def default_folder(path: str) -> str:
    """Return the folder that a command writes to where none is named.

    Examples
    --------
    >>> from quire.cli.output import default_folder
    >>> default_folder("talks/reviews.csv.gz"), default_folder("-")
    ('quire-reviews', 'quire-stdin')
    """
    name = "stdin" if path == "-" else Path(path).resolve().name
    for ending in (r"\.(gz|zst)", r"\.(csv|tsv|jsonl|ndjson|json|parquet|npz|txt)"):
        name = re.sub(f"{ending}$", "", name, flags=re.IGNORECASE)
    return f"quire-{name.strip('. ')[:80] or 'run'}"


def print_json(data: dict[str, Any]) -> None:
    """Print data on one line.

    Examples
    --------
    >>> from quire.cli.output import print_json
    >>> print_json({"k": 5})
    {"k": 5}
    """
    print(json.dumps(data, ensure_ascii=False))


def plain_console() -> Any:
    """Return a console that leaves a broken pipe to the one who called.

    Examples
    --------
    >>> from quire.cli.output import plain_console
    >>> plain_console().print("5 topics")
    5 topics
    """
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for main, which ends quietly

    return Plain(highlight=False)


def print_page(path: Path, left: Mapping[str, Any] | None) -> None:
    """Say where a page is, and what it had no room for.

    Parameters
    ----------
    path : path
        The file.
    left : mapping or None
        As ``head["left"]`` of the page.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.cli.output import print_page
    >>> print_page(Path("talks.html"), None)
    Open talks.html in a browser to look at it.
    """
    console = plain_console()
    said = f"Open {path} in a browser to look at it."
    if left:
        said += f" {left['sentence']} See all with: {left['command']}"
    console.print(said, highlight=False, markup=False, soft_wrap=True)
