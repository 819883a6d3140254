"""Values that a user writes, in an option or a recipe: their types, and what a range says."""

from __future__ import annotations

import re
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

_PLAIN = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", list: "a list",
          tuple: "a list", dict: "a table", NoneType: ""}  # fmt: skip


def parse_ngrams(ngrams: Any) -> tuple[int, int]:
    """Read the shortest and the longest run of tokens: ``2``, ``"1:2"`` or ``[1, 2]``."""
    text = ":".join(map(str, ngrams)) if isinstance(ngrams, list | tuple) else str(ngrams)
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= low <= high:
        raise ValueError(f"ngrams={ngrams!r} must be a length such as 2 or a range such as 1:2.")
    return low, high


def fits(value: Any, kind: Any) -> bool:
    """Say whether a value is of the type that an annotation names; a number is no truth value."""
    kinds = get_args(kind) if isinstance(kind, UnionType) or get_origin(kind) is Union else (kind,)
    for one in kinds:
        plain = get_origin(one) or one
        if plain is Any or (plain is float and isinstance(value, int) and not isinstance(value, bool)):
            return True
        if plain in (list, tuple) and isinstance(value, list | tuple):
            inner = [part for part in get_args(one) if part is not Ellipsis] or [Any]
            return all(fits(item, inner[0]) for item in value)
        if plain in _PLAIN and isinstance(value, plain) and (plain is bool or not isinstance(value, bool)):
            return True
    return False


def is_text(value: Any) -> bool:
    """Say whether all texts of a value can be written as UTF-8: bytes of a command line may be anything."""
    if isinstance(value, list | tuple):
        return all(map(is_text, value))
    return not isinstance(value, str) or value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)


def in_words(kind: Any) -> str:
    """Name the types of an annotation, for a sentence."""
    kinds = get_args(kind) if isinstance(kind, UnionType) or get_origin(kind) is Union else (kind,)
    words = [_PLAIN[plain] for one in kinds if (plain := get_origin(one) or one) in _PLAIN and _PLAIN[plain]]
    return " or ".join(words)
