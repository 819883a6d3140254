"""Pieces of sentences: numbers with their nouns, lists, words of a bearable length, what was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST_WORD = 200  # letters that anybody would read


def meant(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` where a known word is near, else nothing.

    Examples
    --------
    >>> from quire.wording import meant
    >>> meant("stemm", ["stem", "seed"]), meant("colour", ["stem"])
    (" (did you mean 'stem'?)", '')
    """
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def counted(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> from quire.wording import counted
    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def were(n: int) -> str:
    """Return the verb that goes with a number.

    Examples
    --------
    >>> from quire.wording import were
    >>> were(1), were(2)
    ('was', 'were')
    """
    return "was" if n == 1 else "were"


def listed(words: list[str]) -> str:
    """Return words joined as in a sentence.

    Examples
    --------
    >>> from quire.wording import listed
    >>> listed(["id", "text", "date"])
    'id, text and date'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def short(word: str) -> str:
    """Return a word, cut where nobody could read it.

    Examples
    --------
    >>> from quire.wording import short
    >>> short("moon"), len(short("o" * 1000))
    ('moon', 200)
    """
    return word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…"
