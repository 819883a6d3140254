"""Whether the first line of a table holds the names of its columns, or is a row of data already."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from quire.corpus.roles import is_usual_name

_NUMBER = re.compile(r"[\d.,:/ -]*")  # a number, a date, or nothing
_LONG = 8  # words that a name rarely has, but a question in a survey does
_LONGEST = 60  # words that no question has


def check_header(
    names: Sequence[str], rows: Sequence[Sequence[str]], named: Collection[str], where: str, separator: str
) -> None:
    """Refuse a first line that looks like a row of data, given some of the rows below it."""
    if any(is_usual_name(name) for name in names) or set(named) & set(names):
        return
    if not names or any(_NUMBER.fullmatch(name) for name in names) or _is_text(names, rows):
        raise ValueError(
            f"The first line of {where} does not look like a header: put the names of the columns there, "
            f"such as {separator.join(['id', 'text', 'label'])!r}, or, if it is one, name the column with --text."
        )


def _is_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Say whether long names are texts: questions are no texts, and what stands beside a text comes again below."""
    words = [len(name.split()) for name in names]
    if max(words) <= _LONG or any(name.rstrip(" *").endswith(("?", ":", "…", "...")) for name in names):
        return max(words) > _LONGEST
    if len(names) == 1 or max(words) > _LONGEST or min(map(len, names)) == 1:
        return True
    below = [{row[i].strip() for row in rows if i < len(row)} for i in range(len(names))]
    return any(name.strip() in values for name, values in zip(names, below))
