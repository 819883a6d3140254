"""Edits as lines of JSON: of a run's own log, of another run's, or of what a page exported."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from quire.runs.edits.entry import Edit, edit_from

_LARGEST = 64 << 20  # bytes of a log


def read_edits(path: str | Path) -> tuple[Edit, ...]:
    """Read edits from a file, a line each; refuse it as a whole where a line is none."""
    path, edits = Path(path), []
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"{path} is too large for a log of edits: name the edits.jsonl of a run.")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): name the edits.jsonl of a run.") from None
    except UnicodeError:
        raise ValueError(f"{path} is damaged: it is no text in UTF-8; mend it, or move it away.") from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            edits.append(edit_from(json.loads(line)))
        except (json.JSONDecodeError, RecursionError):
            raise ValueError(f"{path} is damaged: line {number} is no JSON; mend it, or move it away.") from None
        except ValueError as error:
            raise ValueError(
                f"{path} is damaged: line {number} is no edit; mend it, or move it away. {error}"
            ) from None
    return tuple(edits)


def written(edits: Sequence[Edit]) -> str:
    """Return edits as the text of a log."""
    return "".join(json.dumps(edit.as_dict(), ensure_ascii=False) + "\n" for edit in edits)
