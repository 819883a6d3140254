"""Seeds: what somebody wants some topics to be about, in words or by example documents.

A TOML file, or the same as data::

    strength = 1.0                      # how much seeds steer; 0 only begins with them
    [topics]
    "space flight" = []                 # its name alone says what it is about
    hockey = ["goalie", "puck", "nhl"]
    medicine = {words = ["patients"], documents = ["17", "204"]}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quire.runs.names import checked_name
from quire.runs.recipe import read_toml

_STRONGEST = 1_000_000  # beyond, numbers would be none


def read_seeds(given: Any) -> dict[str, Any]:
    """Return seeds as plain data, once they were found sound: a file, a table of topics, or names alone."""
    if isinstance(given, str | Path):
        given = read_toml(given, "file of seeds")
        if not isinstance(given.get("topics"), Mapping):
            raise ValueError('A file of seeds needs a table [topics], with lines such as hockey = ["puck", "goalie"].')
    elif not isinstance(given, Mapping):
        given = {"topics": dict.fromkeys(given, ())}
    elif not isinstance(given.get("topics"), Mapping):
        given = {"topics": given}
    unknown = [name for name in given if name not in ("topics", "strength")]
    if unknown:
        raise ValueError(f"Seeds hold {unknown[0]!r}, which is not known: give topics and strength.")
    strength = given.get("strength", 1.0)
    if isinstance(strength, bool) or not isinstance(strength, int | float) or not 0 <= strength <= _STRONGEST:
        raise ValueError(
            f"The strength of seeds, {strength!r}, must be a number of at least 0, at most {_STRONGEST:,}."
        )
    topics = {_name(name): _seed(name, seed) for name, seed in given["topics"].items()}
    if not topics:
        raise ValueError("Seeds name no topic: give at least one.")
    return {"strength": float(strength), "topics": topics}


def _name(name: Any) -> str:
    if not isinstance(name, str) or not checked_name(name):
        raise ValueError(f"A seed needs the name of a topic, and {name!r} is none.")
    return checked_name(name)


def _seed(name: Any, seed: Any) -> dict[str, list[str]]:
    """Return the words and documents of one topic; a topic of which only the name is given has that for words."""
    table = dict(seed) if isinstance(seed, Mapping) else {"words": [] if seed is None else seed}
    for key, values in table.items():
        strings = isinstance(values, list | tuple) and all(isinstance(one, str) for one in values)
        if key not in ("words", "documents") or not strings:
            raise ValueError(f"The seed of topic {name!r} must be a list of words, or a table of words and documents.")
    words, documents = (list(table.get(key, ())) for key in ("words", "documents"))
    return {"words": words or ([] if documents else [str(name)]), "documents": documents}
