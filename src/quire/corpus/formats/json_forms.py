"""The records of a JSON file, in whichever of the common forms it has them."""

from __future__ import annotations

import json
from typing import Any

from quire.messages import meant

# Keys under which files mostly have their records, the most telling first.
USUAL = ["data", "records", "rows", "items", "documents", "docs", "results", "entries", "articles", "posts", "messages"]
_SHOWN = 20  # keys that a message names
_FORMS = 'write [{…}, {…}], ["text", …], {"data": [{…}, …]}, or a JSON object a line'


def json_to_lines(name: str, text: str, path: str | None) -> str:
    """Return the records of a JSON file as JSON lines; what already are JSON lines is left alone."""
    try:
        whole: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        if path is None and text.lstrip().startswith("{") and "\n" in text.strip():
            return text
        where = f" (line {error.lineno:,})" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"{name} is not valid JSON{where}: {_FORMS}.") from None
    found = at_path(whole, path, name) if path is not None else _guessed(whole, name)
    records = [one if isinstance(one, dict) else {"text": one} for one in found]
    if not records:
        raise ValueError(f"{name} has no rows: there is nothing to read.")
    return "\n".join(map(json.dumps, records))


def at_path(whole: Any, path: str, name: str) -> list[Any]:
    """Return the records at a path such as a.b; lists on the way are gone through."""
    here, gone = [whole], ""
    for key in path.split("."):
        inside = [one for some in here for one in (some if isinstance(some, list) else [some])]
        keys = dict.fromkeys(k for one in inside if isinstance(one, dict) for k in one)
        if key not in keys:
            shown = ", ".join(map(repr, list(keys)[:_SHOWN])) or "none"
            where = f"under {gone.removesuffix('.')!r}" if gone else "at its top"
            raise ValueError(f"{name} has no {key!r} {where}{meant(key, keys)}; the keys there are {shown}.")
        here, gone = [one[key] for one in inside if isinstance(one, dict) and key in one], f"{gone}{key}."
    records = [one for some in here for one in (some if isinstance(some, list) else [some])]
    if not all(isinstance(one, dict | str) for one in records):
        raise ValueError(f"{name} holds no records or texts under {path!r}: name another path with --records.")
    return records


def _guessed(whole: Any, name: str) -> list[Any]:
    """Return the records of a list, of the one list that an object has, or of columns."""
    if _are_records(whole):
        return list(whole)
    if isinstance(whole, dict):
        lists = [key for key, value in whole.items() if _are_records(value) and value]
        usual = [key for key in USUAL if key in lists]
        columns = [value for value in whole.values() if isinstance(value, list)]
        if len(columns) == len(whole) > 1 and len({len(one) for one in columns}) == 1 and not _has_records(columns):
            return [dict(zip(whole, row)) for row in zip(*columns)]
        if len(lists) == 1 or usual:
            return list(whole[(usual or lists)[0]])
        if lists:
            shown = ", ".join(lists[:_SHOWN])
            raise ValueError(f"{name} has several lists of records ({shown}): name one with --records {lists[0]}.")
        if whole and all(isinstance(value, dict) for value in whole.values()):
            return [{"id": key} | value for key, value in whole.items()]
    raise ValueError(f"{name} holds no list of records or texts: {_FORMS}; --records a.b names a list further inside.")


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict | str) for one in value)


def _has_records(columns: list[list[Any]]) -> bool:
    return any(isinstance(one, dict) for column in columns for one in column)
