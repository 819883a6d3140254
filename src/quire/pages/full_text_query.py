"""What people type, as FTS5 understands it, and the passages in which it was found."""

from __future__ import annotations

import re
import sqlite3
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import NamedTuple

from quire.pages.full_text_readers import TooMuchWorkError, within_time
from quire.text.letters import composed
from quire.text.segmentation import BETWEEN, apart

TOKENIZE = "unicode61 remove_diacritics 2"
BEGIN, END = "\u0002", "\u0003"  # around what was found
_PIECES = re.compile(r'"([^"]*)"?|([^\s"]+)')
_WORD = re.compile(r"[^\W_]+")
_MARKS = ("\0", BEGIN, END)
_UNMARKED = str.maketrans(dict.fromkeys(_MARKS, " "))
_LOOKED_AT = (10_000, 500_000)  # characters of a text, first and where that was in vain
_BEFORE, _WINDOW, _LONGEST = 60, 240, 500  # characters of a passage: before what was found, all, with a long word
_HIT = re.compile(f"{BEGIN}([^{END}]*){END}")
_PIECE, _OVERLAP = 2_000, 200  # characters of a text that are looked at together, and that two such have in common
_GAPS = (" ", BETWEEN)  # where a passage may begin or end
_MARKED = 32  # different words and phrases that are marked


def searchable(text: str) -> str:
    """Return a text as it is searched: letters in one form, and characters apart where words have no spaces.

    So any word of Chinese is found, whoever would cut it where; what is put between them nobody sees.
    """
    return text if text.isascii() else apart(composed(text))


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
        typed = searchable(q.replace("\0", " "))
        strings: dict[str, str] = {}  # a word that comes again adds nothing, but would multiply the work
        for piece in _PIECES.finditer(typed):
            phrase, word = piece.groups()
            tokens = _WORD.findall(phrase or word or "")
            if not tokens:
                continue
            begins = word and piece.end() == len(typed.rstrip()) and _may_begin(tokens[-1])
            string = f'"{phrase or word}"' + "*" * bool(begins)
            strings.setdefault(string.lower(), string)
        different = list(strings.values())
        return cls(" ".join(different), " OR ".join(different[:_MARKED]))


def passages(texts: list[str], query: Query, deadline: float = float("inf")) -> list[str]:
    r"""Return the passage of each text that has most of the query, what was found between \u0002 and \u0003.

    Of a text without any of it (it was found in the title, say) or for which no time was left, the beginning.
    """
    passages_by_text: dict[int, str] = {}
    for most in _LOOKED_AT:
        left = {
            i: _unmarked(text[:most])
            for i, text in enumerate(texts)
            if i not in passages_by_text and (most == _LOOKED_AT[0] or len(text) > _LOOKED_AT[0])
        }
        passages_by_text |= _marked(left, query, deadline)
    for i, text in enumerate(texts):
        if i not in passages_by_text:
            passages_by_text[i] = _unmarked(text[: 2 * _LONGEST])
    return [_shortened(passages_by_text[i]) for i in range(len(texts))]


def _unmarked(text: str) -> str:
    """Take out what would end a text or be a mark; to look whether it is there is sooner done than to translate."""
    return text.translate(_UNMARKED) if any(mark in text for mark in _MARKS) else text


def _marked(texts: dict[int, str], query: Query, deadline: float) -> dict[int, str]:
    """Let FTS5 itself say where a query is in some texts, so that both know the same words."""
    best: dict[int, tuple[tuple[int, int], str]] = {}
    if not texts or not query.any_of:
        return {}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='{TOKENIZE}')")
        connection.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", _numbered_pieces(texts, deadline))
        marked = f"SELECT rowid, highlight(texts, 0, '{BEGIN}', '{END}') FROM texts WHERE texts MATCH ?"
        with suppress(TooMuchWorkError), within_time(connection, deadline):
            for number, piece in connection.execute(marked, (query.any_of,)):
                row, at = number >> 32, number & 0xFFFFFFFF
                worth, passage = _best_passage(piece, at > 0, at + _PIECE < len(texts[row]))
                if row not in best or worth > best[row][0]:
                    best[row] = worth, passage
    return {row: passage for row, (_, passage) in best.items()}


def _numbered_pieces(texts: dict[int, str], deadline: float) -> Iterator[tuple[int, str]]:
    for row, text in texts.items():
        if time.monotonic() > deadline:
            return
        yield from ((row << 32 | at, piece) for at, piece in _pieces(text))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text into pieces that overlap: highlight() and snippet() take the square of what they find."""
    for at in range(0, max(len(text) - _OVERLAP, 1), _PIECE - _OVERLAP):
        yield at, searchable(text[at : at + _PIECE])


def _best_passage(text: str, cut_before: bool, cut_after: bool) -> tuple[tuple[int, int], str]:
    """Cut out where most different words were found, and say how many, and how many words."""
    hits = [(hit.start(), hit.end(), hit[1].lower()) for hit in _HIT.finditer(text)]
    if not hits:
        return (0, 0), text
    first, last, worth = _densest(hits)
    passage = _cut_around(text, hits[first][0], hits[last][1])
    lead, tail = cut_before and not passage.startswith("…"), cut_after and not passage.endswith("…")
    return worth, "…" * lead + passage + "…" * tail


def _densest(hits: list[tuple[int, int, str]]) -> tuple[int, int, tuple[int, int]]:
    """Return the first and the last hit of the passage with most different words, and what it has."""
    if hits[-1][1] - hits[0][0] <= _WINDOW:  # as in most texts
        return 0, len(hits) - 1, (len({word for *_, word in hits}), len(hits))
    best, last = (0, 0, (0, 0)), 0
    within: Counter[str] = Counter()
    for first, (start, _, word) in enumerate(hits):
        while last < len(hits) and hits[last][1] - start <= _WINDOW:
            within[hits[last][2]] += 1
            last += 1
        worth = (len(within), within.total())
        if worth > best[2]:
            best = first, last - 1, worth
        last = max(last, first + 1)
        within -= Counter([word])
    return best


def _cut_around(text: str, start: int, end: int) -> str:
    """Cut a passage out of a text, between words and outside of what was found."""
    lead = max(0, start - _BEFORE)
    since = max(text.rfind(gap, 0, lead) for gap in _GAPS) + 1 if start > _BEFORE else 0
    since = since if start - since <= _LONGEST else start
    until = max(end, since + _WINDOW)
    gaps = [place for gap in _GAPS if (place := text.find(gap, until)) >= 0]
    until = min(gaps, default=-1) if len(text) > until else len(text)
    until = until if 0 <= until - end <= _LONGEST else end
    cut = text[since:until]
    if cut.rfind(BEGIN) > cut.rfind(END):
        cut = cut[: cut.rfind(BEGIN)]
    halved = cut.find(END) < cut.find(BEGIN) and END in cut
    cut = cut[cut.find(END) + 1 :] if halved else cut
    return "…" * (since > 0) + cut.strip() + "…" * (until < len(text))


def _shortened(passage: str) -> str:
    line = " ".join(passage.replace(BETWEEN, "").split())
    if len(line) <= _LONGEST:
        return line
    start = max(0, line.find(BEGIN) - _LONGEST // 4)
    cut = line[start : start + _LONGEST]
    open_ended = cut.count(BEGIN) > cut.count(END)
    return "…" * (start > 0) + cut + END * open_ended + "…" * (start + _LONGEST < len(line))


def _may_begin(token: str) -> bool:
    return len(token) >= 3 or unicodedata.category(token[-1]) == "Lo"
