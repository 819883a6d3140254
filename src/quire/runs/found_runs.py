"""The runs of a folder, from what little of each says what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from quire.runs.edits.log import LOG
from quire.runs.folder import HEAD, own_path, stored_head
from quire.runs.names import NAMES
from quire.runs.write import TOPICS

_LARGEST = 3  # topics that are named


class FoundRun(NamedTuple):
    """A run in a line."""

    run: str
    documents: int | None
    topics: int | None
    created: str | None
    largest: list[str]


def runs_in(folder: str | Path) -> list[FoundRun]:
    """Return the runs of a folder, the newest first: itself, where it is one, and those right inside it."""
    place = Path(folder)
    if not place.is_dir():
        raise ValueError(f"{place} is no folder: name one that holds runs.")
    try:
        inside = sorted(path for path in place.iterdir() if (path / HEAD).is_file())
    except OSError as error:
        raise ValueError(f"{place} cannot be read ({error.strerror}): allow it, or name another folder.") from None
    candidates = [place, *inside] if (place / HEAD).is_file() else inside
    found = [run for path in candidates if (run := _found(path)) is not None]
    return sorted(found, key=lambda run: run.created or "", reverse=True)


def _found(path: Path) -> FoundRun | None:
    head = stored_head(path)
    if head is None:
        return None
    try:
        edited = (path / LOG).exists() or (path / NAMES).exists()
        sizes = _edited_topics(path) if edited else _topics(path)
        largest = [name for _, name in sorted(sizes, key=lambda one: -one[0])[:_LARGEST]]
        return FoundRun(str(path), _documents(head), len(sizes), str(head.get("created") or "") or None, largest)
    except (ValueError, KeyError, TypeError, AttributeError, OSError):  # damaged: it is here, and no more can be said
        return FoundRun(str(path), None, None, None, [])


def _documents(head: dict[str, Any]) -> int | None:
    n = head["corpus"].get("n_documents")
    return n if isinstance(n, int) else None


def _topics(path: Path) -> list[tuple[int, str]]:
    """Return sizes and names of topics from the one small file that has them."""
    rows = json.loads(own_path(path, TOPICS).read_text("utf-8"))["topics"]
    rows = rows if isinstance(rows, list) else [dict(zip(rows, values)) for values in zip(*rows.values())]
    return [(int(row["size"]), str(row["name"])) for row in rows]


def _edited_topics(path: Path) -> list[tuple[int, str]]:
    """Return those of a run that people edited, which takes more reading."""
    from quire.runs.load import load

    return list(load(path, texts=False).topics.select("size", "name").iter_rows())
