"""Letters as people mean them: one way to write each, whatever keyboard, font or file it came from.

Full-width and mathematical letters become plain ones, letters and their marks are composed, marks that say how a
word is read out (Arabic, Hebrew) and invisible hyphens are dropped. ß stays ß, also where it was ẞ (Maße are not
Masse), and a final ς stays what Python's lower case makes of Σ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

# Scripts whose words have no spaces between them, as classes of a regular expression.
SPACELESS = {
    "Chinese or Japanese": "々〆〇\u2e80-\u2fdf\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af",
    "Thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
    "Lao": "\u0e81-\u0ece\u0edc-\u0edf",
    "Khmer": "\u1780-\u17d3\u17d7\u17dc\u17dd",
    "Burmese": "\u1000-\u103f\u104c-\u108f\u109a-\u109f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f",
}
_UNSPOKEN = (
    "\u00ad\u2060\ufeff"  # soft hyphen, word joiner, byte order mark
    "\u0640\u0610-\u061a\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # tatweel, harakat
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # niqqud and cantillation
)
_LOOKED_AT = ((0x0300, 0x0370), (0x0590, 0x1E00), (0x2E80, 0xAC00), (0xD7A4, 0x10000))  # where most of it is
_ELSEWHERE = "\u00ad\u2060\u2adc"  # and what is not
_COMPATIBLE = (range(0xA0, 0x3400), range(0xF900, 0x10000), range(0x1D400, 0x1F300), range(0x2F800, 0x2FA20))
_CHATTED = range(0x3130, 0x3190)  # Hangul letters that stand by themselves, as in ㅋㅋ
_JAMO = "\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff"
_SIGNS = (range(0x20D0, 0x2100), range(0xFE00, 0xFE10))  # marks that are of no word
_SPOKEN = re.compile(f"[{_UNSPOKEN}]+")
_AT_ONCE = 1 << 15  # units that are looked at together: what stays in the nearest cache
_MOST_MARKS = 30  # that one letter has: to sort more takes time by their square (UAX #15, stream-safe text)


def composed(text: str) -> str:
    """Return a text with one way to write each letter; capitals stay capitals."""
    if text.isascii():
        return text
    same = _spellings()
    text = _pattern("compatible").sub(lambda found: same.get(ord(found[0]), found[0]), text)
    return _SPOKEN.sub("", unicodedata.normalize("NFC", _stream_safe().sub(r"\1", text)))


def first_look(units: NDArray[np.uint16]) -> tuple[bool, bool]:
    """Say whether UTF-16 could hold what compiled code does not know how to write, and whether it has İ or ı: fast."""
    single = [(ord(letter), ord(letter) + 1) for letter in _ELSEWHERE]
    dotted, *needed = units_hold(units, [(ord("İ"), ord("ı") + 1), *_LOOKED_AT, *single])
    return any(needed), dotted


def units_hold(units: NDArray[np.uint16], ranges: Sequence[tuple[int, int]]) -> list[bool]:
    """Say of each range whether UTF-16 holds any of it: many times faster than an expression says it of a text."""
    held, above = [False] * len(ranges), np.empty(min(len(units), _AT_ONCE), np.uint16)
    for start in range(0, len(units), _AT_ONCE):
        some = units[start : start + _AT_ONCE]
        highest, by = some.max(), above[: len(some)]
        for i, (low, high) in enumerate(ranges):  # what is below a range wraps around
            held[i] = held[i] or bool(low <= highest and np.subtract(some, low, out=by).min() < high - low)
    return held


def needs_spelling(text: str) -> bool:
    """Say whether compiled code would find other words in a text than in the same text :func:`composed`, and cut."""
    return _pattern("needed").search(text) is not None


@cache
def plain_letters() -> dict[int, int]:
    """Return what compiled code writes for letters that have another form: one letter, below U+10000."""
    plain = {code: ord(same) for code, same in _spellings().items() if code < 0x10000 and len(same) == 1}
    return {code: same for code, same in plain.items() if not _pattern("not plain").search(chr(same))}


@cache
def word_marks() -> NDArray[np.int64]:
    """Return the marks that are parts of words, as the vowels of Hindi and Thai are."""
    marks = [code for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    return np.array([code for code in marks if not any(code in signs for signs in _SIGNS)])


@cache
def marks_class() -> str:
    """Return the same as a class of a regular expression."""
    return "".join(map(chr, word_marks().tolist()))


def in_word(character: str) -> bool:
    r"""Say whether a character, or any of none, is of a word (``\w``) or a mark in one."""
    return character.isalnum() or character == "_" or (character > "\u02ff" and ord(character) in _marks())


def is_of_letters(word: str) -> bool:
    """Say whether a word has letters and their marks alone."""
    return word.isalpha() or (not word.isascii() and all(c.isalpha() or ord(c) in _marks() for c in word))


@cache
def _stream_safe() -> re.Pattern[str]:
    """Find marks beyond those that any word has."""
    marks = f"[{marks_class()}\u20d0-\u20ff]"
    return re.compile(f"({marks}{{{_MOST_MARKS}}}){marks}+")


@cache
def _marks() -> frozenset[int]:
    return frozenset(word_marks().tolist())


@cache
def _spellings() -> dict[int, str]:
    """Return what stands for each character that has another form: of letters and digits alone.

    Other signs end a word either way, and ™ or ´ would become letters. Numbers above a line or in a circle point to
    a footnote or count a list: they end a word too. Below the line they are part of it, as in CO₂.
    """
    same = {}
    for code in chain(*_COMPATIBLE):
        letter = chr(code)
        plain = unicodedata.normalize("NFKC", letter)
        if plain == letter or not (letter.isalnum() or code in _marks()) or code in _CHATTED:
            continue
        if unicodedata.category(letter) == "No" and not unicodedata.decomposition(letter).startswith("<sub>"):
            plain = " "
        elif not all(part.isalnum() or ord(part) in _marks() for part in plain):
            continue
        if len(plain) == 1 or any(low <= code < high for low, high in _LOOKED_AT) or code > 0xFFFF:
            same[code] = plain
    return same


@cache
def _pattern(of: str) -> re.Pattern[str]:
    """Return what finds characters; those beyond U+FFFF by a wide range, as one by one they are slow to look for."""
    compatible = [chr(code) for code in _spellings() if code < 0x10000]
    if of == "compatible":
        return re.compile(f"[{''.join(compatible)}\U0001d400-\U0002fa1f]")
    needed = f"{''.join(SPACELESS.values())}{_UNSPOKEN}{_ELSEWHERE}{_JAMO}{marks_class()}\U0001b000-\U000323af"
    if of == "needed":
        needed += "".join(letter for letter in compatible if ord(letter) not in plain_letters())
    return re.compile(f"[{needed}]")
