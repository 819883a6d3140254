"""Terms as lines, which is how compiled code reads them: also those that are empty or hold a line break."""

from __future__ import annotations

from collections.abc import Iterable

_MARK = "\udfff"  # half of a pair, which no text holds; where one does, it is written as another
_WRITTEN = {_MARK: f"{_MARK}0", "\n": f"{_MARK}1"}
_EMPTY = f"{_MARK}2"


class TermLines(str):
    """Terms, one a line: nothing is left to be found in them."""

    __slots__ = ()


def lines_of(terms: Iterable[str], where: str) -> TermLines:
    """Return terms as lines; ``where`` they are is for a sentence about one that is no str."""
    terms = list(terms)
    try:
        lines = "\n".join(terms)
    except TypeError:
        kind = next(type(term).__name__ for term in terms if not isinstance(term, str))
        raise TypeError(f"A term of {where} is of type {kind}: give every term as a str.") from None
    if "" in terms or _MARK in lines or lines.count("\n") > max(0, len(terms) - 1):
        lines = "\n".join(map(_line, terms))
    return TermLines(lines)


def terms_of(lines: list[str]) -> list[str]:
    """Return the terms that lines stand for: the same list, where each is one as it is."""
    return [_term(line) for line in lines] if _MARK in "\n".join(lines) else lines


def _line(term: str) -> str:
    for sign, written in _WRITTEN.items():
        term = term.replace(sign, written)
    return term or _EMPTY


def _term(line: str) -> str:
    if line == _EMPTY:
        return ""
    for sign, written in reversed(_WRITTEN.items()):
        line = line.replace(written, sign)
    return line
