"""Edits as lines of JSON: of a run's own log, of another run's, or of what a page exported."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from quire.runs.edits.entry import Edit, edit_from

_LARGEST = 64 << 20  # bytes of a log


def read_edits(path: str | Path) -> tuple[Edit, ...]:
    """Read edits from a file, a line each; refuse it as a whole where a line is none."""
    path, edits = Path(path), []
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)  # also of what has no size, as a pipe or a device
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): name the edits.jsonl of a run.") from None
    except UnicodeError:
        raise ValueError(f"{path} is damaged: it is no text in UTF-8; mend it, or move it away.") from None
    if len(raw) > _LARGEST:
        raise ValueError(f"{path} is too large for a log of edits: name the edits.jsonl of a run.")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):  # also numbers of thousands of digits
            raise ValueError(f"{path} is damaged: line {number} is no JSON; mend it, or move it away.") from None
        try:
            edits.append(edit_from(data))
        except ValueError as error:
            raise ValueError(
                f"{path} is damaged: line {number} is no edit; mend it, or move it away. {error}"
            ) from None
    return tuple(edits)


def listed_edits(history: Iterable[Any]) -> tuple[Edit, ...]:
    """Return the edits that a run's history lists; what its updates did stands there too, and is no edit."""
    if not isinstance(history, Iterable):
        raise ValueError(
            "The edits should be an edits.jsonl, or the history of a run, as in run.replay(other.history)."
        )
    return tuple(edit_from(one) for one in history if not (isinstance(one, dict) and "sentences" in one))


def written(edits: Sequence[Edit]) -> str:
    """Return edits as the text of a log."""
    return "".join(json.dumps(edit.as_dict(), ensure_ascii=False) + "\n" for edit in edits)
