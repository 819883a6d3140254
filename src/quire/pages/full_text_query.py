"""What people type, as FTS5 understands it, and the passages in which it was found."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from contextlib import closing
from typing import NamedTuple

TOKENIZE = "unicode61 remove_diacritics 2"
BEGIN, END = "\u0002", "\u0003"  # around what was found
_PIECES = re.compile(r'"([^"]*)"?|([^\s"]+)')
_WORD = re.compile(r"[^\W_]+")
_UNMARKED = dict.fromkeys((0, 2, 3), " ")
_LOOKED_AT = (10_000, 500_000)  # characters of a text, first and where that was in vain
_TOKENS, _LONGEST = 32, 500  # of a passage: tokens, and characters (a token may be a megabyte)


class Query(NamedTuple):
    """A query that is never a syntax error: every word and phrase is an FTS5 string."""

    all_of: str
    any_of: str

    @classmethod
    def of(cls, q: str) -> Query:
        """Read words and "phrases"; the last word may be the beginning of one.

        A beginning has three letters at least (in scripts without capitals, one): nearly every document has a
        word that begins with one given letter, and finding all of them takes a second in a million documents.
        """
        strings = []
        for piece in _PIECES.finditer(q.replace("\0", " ")):
            phrase, word = piece.groups()
            tokens = _WORD.findall(phrase or word or "")
            if not tokens:
                continue
            begins = word and piece.end() == len(q.rstrip()) and _may_begin(tokens[-1])
            strings.append(f'"{phrase or word}"' + "*" * bool(begins))
        return cls(" ".join(strings), " OR ".join(strings))


def passages(texts: list[str], query: Query) -> list[str]:
    r"""Return the passage of each text that has most of the query, what was found between \u0002 and \u0003.

    Of a text without any of it (it was found in the title, say), the beginning.
    """
    passages_by_text: dict[int, str] = {}
    for most in _LOOKED_AT:
        left = {
            i: text[:most].translate(_UNMARKED)
            for i, text in enumerate(texts)
            if i not in passages_by_text and (most == _LOOKED_AT[0] or len(text) > _LOOKED_AT[0])
        }
        passages_by_text |= _marked(left, query)
    beginnings = (text[: 2 * _LONGEST].translate(_UNMARKED) for text in texts)
    return [_shortened(passages_by_text.get(i, beginning)) for i, beginning in enumerate(beginnings)]


def _marked(texts: dict[int, str], query: Query) -> dict[int, str]:
    """Let FTS5 itself say where a query is in some texts, so that both know the same words."""
    if not texts or not query.any_of:
        return {}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='{TOKENIZE}')")
        connection.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", texts.items())
        marked = f"snippet(texts, 0, '{BEGIN}', '{END}', '…', {_TOKENS})"
        return dict(connection.execute(f"SELECT rowid, {marked} FROM texts WHERE texts MATCH ?", (query.any_of,)))


def _shortened(passage: str) -> str:
    line = " ".join(passage.split())
    if len(line) <= _LONGEST:
        return line
    start = max(0, line.find(BEGIN) - _LONGEST // 4)
    cut = line[start : start + _LONGEST]
    open_ended = cut.count(BEGIN) > cut.count(END)
    return "…" * (start > 0) + cut + END * open_ended + "…" * (start + _LONGEST < len(line))


def _may_begin(token: str) -> bool:
    return len(token) >= 3 or unicodedata.category(token[-1]) == "Lo"
