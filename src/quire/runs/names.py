"""Names that people give to topics: what is one, and those that an older Quire kept in ``names.json``."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from quire.runs.folder import own_path
from quire.runs.write import cut_file

NAMES = "names.json"
LONGEST = 200
# What could break a line, move a cursor, turn the line, or be written in no XML; as OpenAPI has it (halves of a pair,
# which no text in UTF-8 can hold, are refused too).
PATTERN = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufffe\uffff]*$"
_FIT = re.compile(PATTERN.removeprefix("^").removesuffix("$"))
_UNSEEN = {"Cf", "Zs"}


def checked_name(name: str) -> str:
    """Return a name without the blanks around it, once it was found fit to be shown anywhere; "" is none."""
    name = name.strip()
    if len(name) > LONGEST:
        raise ValueError(f"A name can have at most {LONGEST} characters and this one has {len(name):,}: shorten it.")
    if _FIT.fullmatch(name) is None or any(unicodedata.category(c) == "Cs" for c in name):
        raise ValueError("A name cannot hold control characters or line breaks: write it on one line.")
    return "" if all(unicodedata.category(c) in _UNSEEN for c in name) else name  # nothing to be seen is no name


def read_names(folder: str | Path, cut: int | None = None) -> dict[int, str]:
    """Return the names given to the topics of a run, or of a cut of it, by topic; none where none was given."""
    path = own_path(folder, cut_file(cut, NAMES))
    try:
        given = json.loads(path.read_text("utf-8-sig"))
        names = {int(topic): checked_name(name) for topic, name in given.items()}
        return {topic: name for topic, name in names.items() if name}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): allow it, or move it away.") from None
    except (ValueError, AttributeError, RecursionError):  # no JSON, no table, no number, no name
        raise ValueError(
            f'{path} is damaged: it should look like {{"0": "Space flight"}}; mend it, or '
            "delete it to have the topics' own names back."
        ) from None


def with_names(topics: pl.DataFrame, names: Mapping[int, str]) -> pl.DataFrame:
    """Return the table of topics with the names given to them; others keep their own."""
    shown = [names.get(topic, own) for topic, own in topics.select("topic", "name").iter_rows()]
    return topics.with_columns(pl.Series("name", shown, dtype=pl.String))
