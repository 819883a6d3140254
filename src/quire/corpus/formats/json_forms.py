"""The records of a JSON file, in whichever of the common forms it has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from quire.corpus.formats.rows import parsed_object
from quire.corpus.roles import is_text_name
from quire.messages import listed, meant

# Keys under which files mostly have their records, the most telling first.
USUAL = ["data", "records", "rows", "items", "documents", "docs", "results", "entries", "articles", "posts", "messages"]
_SHOWN, _FEW = 20, 3  # keys that a message names, and paths
_DEEPEST = 4  # objects inside objects, in which lists are looked for
_DECODER, _BETWEEN = json.JSONDecoder(), tuple(" \t\r\n,")
_FORMS = 'write [{…}, {…}], ["text", …], {"data": [{…}, …]}, or a JSON object a line'


def json_to_lines(name: str, text: str, path: str | None) -> str:
    """Return the records of a JSON file as JSON lines; what already are JSON lines is left alone."""
    try:
        whole: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        values = _one_after_another(text)
        if path is None and values is not None:
            return "\n".join(map(json.dumps, values))
        if path is None and text.lstrip().startswith("{") and "\n" in text.strip():
            return text
        where = f" (line {error.lineno:,})" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"{name} is not valid JSON{where}: {_FORMS}.") from None
    found = at_path(whole, path, name) if path is not None else _guessed(whole, name)
    records = [one if isinstance(one, dict) else {"text": one} for one in found]
    if not records:
        raise ValueError(f"{name} has no rows: there is nothing to read.")
    return "\n".join(map(json.dumps, records))


def _one_after_another(text: str) -> list[Any] | None:
    """Return the objects or texts of a file that has one after another, not each on its line; None where it has not."""
    values, at, text = list[Any](), 0, text.strip()
    if parsed_object(text.partition("\n")[0]) is not None:  # JSON lines, which are read line by line
        return None
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        values.append({"text": value} if isinstance(value, str) else value)
        while text[at : at + 1] in _BETWEEN:
            at += 1
    return values if values and all(isinstance(one, dict) for one in values) else None


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
    if len(here) == 1 and isinstance(here[0], dict) and any(_lists_inside(here[0], 0)):
        return _guessed(here[0], name, gone)
    records = [one for some in here for one in (some if isinstance(some, list) else [some])]
    if not all(isinstance(one, dict | str) for one in records):
        raise ValueError(f"{name} holds no records or texts under {path!r}: name another path with --records.")
    return _with_texts(records, gone, name)


def _guessed(whole: Any, name: str, above: str = "") -> list[Any]:
    """Return the records of a list, of the one list that an object has, or of columns."""
    if _are_records(whole):
        return _with_texts(list(whole), above, name)
    if not isinstance(whole, dict):
        raise _none_in(name)
    as_columns = columns_of(whole)
    if as_columns is not None:
        return as_columns
    lists = [key for key, value in whole.items() if _are_records(value) and value]
    usual = [key for key in USUAL if key in lists]
    if len(lists) == 1 or usual:
        key = (usual or lists)[0]
        return _with_texts(list(whole[key]), f"{above}{key}.", name)
    if lists:
        shown = ", ".join(lists[:_SHOWN])
        raise ValueError(f"{name} has several lists of records ({shown}): name one with --records {above}{lists[0]}.")
    inside = [*_lists_inside(whole, _DEEPEST, above)]
    if inside:
        where = listed([repr(path) for path in inside[:_FEW]])
        raise ValueError(f"{name} has its records under {where}: read with --records {inside[0]}.")
    if len(whole) > 1 and all(isinstance(value, dict) for value in whole.values()):
        return [{"id": key} | value for key, value in whole.items()]
    if len(whole) > 1 and all(isinstance(value, str) for value in whole.values()) and not any(map(is_text_name, whole)):
        written = f'[{{"id": "{next(iter(whole))[:40]}", "text": "…"}}, …]'
        raise ValueError(f"{name} holds texts by their names and no list of records: write {written}.")
    raise _none_in(name)


def columns_of(whole: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of a table that is written by columns, as pandas does; None where it is none."""
    values = list(whole.values())
    if isinstance(whole.get("columns"), list) and isinstance(whole.get("data"), list):
        names, rows = whole["columns"], whole["data"]
        if rows and all(isinstance(row, list) and len(row) == len(names) for row in rows):
            return [dict(zip(map(str, names), row)) for row in rows]
    lists = len(whole) > 1 and all(isinstance(one, list) for one in values)
    if lists and len({len(one) for one in values}) == 1 and not _has_records(values):
        return [dict(zip(whole, row)) for row in zip(*values)]
    if values and all(isinstance(one, dict) and one and all(map(str.isdecimal, one)) for one in values):
        keys = dict.fromkeys(key for one in values for key in one)  # {"text": {"0": …, "1": …}}
        return [{name: column.get(key) for name, column in whole.items()} for key in keys]
    return None


def _lists_inside(whole: Any, depth: int, above: str = "") -> Iterator[str]:
    """Yield the paths of lists of records inside an object."""
    for key, value in whole.items():
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            yield f"{above}{key}"
        elif isinstance(value, dict) and depth:
            yield from _lists_inside(value, depth - 1, f"{above}{key}.")


def _with_texts(records: list[Any], above: str, name: str) -> list[Any]:
    """Return records; refuse those that have their texts in a record of their own."""
    first = records[0] if records and isinstance(records[0], dict) else {}
    if not any(map(is_text_name, first)):
        for key, value in first.items():
            if isinstance(value, dict) and any(map(is_text_name, value)):
                raise ValueError(f"{name} has texts inside {key!r} of its records: read with --records {above}{key}.")
    return records


def _none_in(name: str) -> ValueError:
    return ValueError(f"{name} holds no list of records or texts: {_FORMS}; --records a.b names a list further inside.")


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict | str) for one in value)


def _has_records(columns: list[list[Any]]) -> bool:
    return any(isinstance(one, dict) for column in columns for one in column)
