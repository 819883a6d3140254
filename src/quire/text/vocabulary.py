"""A growing vocabulary in compiled code: words get numbers, documents get counted, words get sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.backends.kernels.compiled import compiled
from quire.backends.kernels.layout import (
    AT,
    BASE,
    DOCUMENT,
    ENTRIES,
    FIRST,
    FOLDED,
    NEWLINE,
    NORMAL,
    PAD,
    SHIFT,
    TERMS,
    UNITS,
    USED,
)
from quire.text.letters import plain_letters, word_marks

CODEC = "surrogatepass"  # a lone surrogate is a character like any other here
MOST_TERMS = 1 << 30  # numbers of words have 32 bits
_AHEAD = 1024  # words found before they are looked up
_STATE = max(AT, BASE, DOCUMENT, ENTRIES, FOLDED, NORMAL, SHIFT, TERMS, USED) + 1


@cache
def characters(normal: bool = False) -> NDArray[np.uint32]:
    r"""Return what to write for every code point: the lower case of one that is in words (``\w``), else a newline.

    Where texts are normalized, letters have one form each, and marks are in words. It is in UTF-8, its first byte
    lowest. Below U+10000 the uppermost byte says how many bytes these are; 0 are the halves of pairs.
    """
    codes = np.arange(0x110000, dtype="<u4")
    codes[ord("İ")] = ord("i")
    if normal:
        codes[list(plain_letters())] = list(plain_letters().values())
    text = codes.tobytes().decode("utf-32-le", CODEC).lower()
    lower = np.frombuffer(text.encode("utf-32-le", CODEC), "<u4")
    word = np.strings.isalnum(lower.view("<U1")) | (lower == ord("_"))
    if normal:
        word[word_marks()] = True
    written = np.where(word, utf8_of(lower), NEWLINE)
    first = written[:0x10000]
    first |= (1 + (first > 0xFF) + (first > 0xFFFF)).astype(np.uint32) << 24
    first[0xD800:0xE000] = 0
    if not normal:
        first[ord("İ")] = ord("i") | NEWLINE << 8 | 2 << 24  # i, and a dot that is in no word
    return written


def utf8_of(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return code points in UTF-8, the first byte lowest."""
    last, third, second = (0x80 | (codes >> shift & 0x3F) for shift in (0, 6, 12))
    two, three = 0xC0 | codes >> 6 | last << 8, 0xE0 | codes >> 12 | third << 8 | last << 16
    four = 0xF0 | codes >> 18 | second << 8 | third << 16 | last << 24
    return np.select([codes < 0x80, codes < 0x800, codes < 0x10000], [codes, two, three], four)


_ASCII_ALONE = np.zeros(0, np.uint32)  # for texts that need no table


@dataclass(frozen=True)
class Counted:
    """The counts of some documents, row after row: numbers of words, how often each, where each row ends.

    ``owner`` is the ``id`` of the vocabulary that gave the numbers; a reference would keep it in memory.
    """

    owner: int
    ids: NDArray[np.int32]
    times: NDArray[np.int32]
    ends: NDArray[np.int64]


class Vocabulary:
    """Words and their numbers, in order of appearance."""

    def __init__(self, normal: bool = False) -> None:
        self._normal = normal
        self.state = np.zeros(_STATE, np.int64)
        self.state[ENTRIES], self.state[NORMAL] = 1, normal
        self.begins, self.last = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.table = np.zeros((0, 2), np.uint64)
        self.store = np.zeros(0, np.uint8)
        self.folded, self.entries = np.zeros(0, np.uint8), np.zeros((2, 0), np.int32)
        self.spots, self.keys = np.empty((_AHEAD, 2), np.int64), np.empty(_AHEAD, np.uint64)
        self._make_room((1 << 15) - 2, 1 << 18)

    def __len__(self) -> int:
        return int(self.state[TERMS])

    def count(
        self, pieces: Sequence[bytes | memoryview], lengths: NDArray[np.int64], forms: NDArray[np.uint8]
    ) -> Counted:
        """Count the words of documents, each in its form: ``ASCII``, ``UNITS`` or ``READY``."""
        text = b"".join([*pieces, bytes(PAD)])
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if offsets[-1] + PAD != len(text):
            raise RuntimeError(f"Documents of {offsets[-1]:,} bytes are in pieces of {len(text) - PAD:,}.")
        longest = int(lengths.max(initial=0))
        if len(self.folded) < 2 * longest + 2 * PAD:  # two bytes of UTF-16 can be three of UTF-8
            self.folded = np.empty(2 * longest + 2 * PAD, np.uint8)
        if len(self.entries[0]) < len(text) // 2 + len(lengths):
            self.entries = np.empty((2, len(text) // 2 + len(lengths)), np.int32)
        ids, times = self.entries
        ends = np.empty(len(lengths), np.int64)
        table = characters(self._normal) if (forms == UNITS).any() else _ASCII_ALONE
        self.state[BASE], self.state[DOCUMENT], self.state[AT] = self.state[ENTRIES], 0, -1
        while True:
            compiled("count_tokens")(
                np.frombuffer(text, np.uint8), offsets, forms, table, self.folded, self.spots,
                self.keys, self.table, self.begins, self.store, self.last, ids, times, ends, self.state,
            )  # fmt: skip
            if self.state[DOCUMENT] == len(lengths):
                break
            self._make_more_room(int(self.state[FOLDED]))
        n = int(self.state[ENTRIES] - self.state[BASE])
        return Counted(id(self), ids[:n].copy(), times[:n].copy(), ends)

    def numbered(self, lines: bytes) -> NDArray[np.int32]:
        """Return the numbers of the words of a text that has a word a line, in order."""
        text, ids = np.frombuffer(lines + bytes(PAD), np.uint8), np.empty(len(lines) // 2 + 1, np.int32)
        self.state[AT], self.state[FIRST] = 0, 0
        while True:
            compiled("number_tokens")(text, self.spots, self.keys, self.table, self.begins, self.store, ids, self.state)
            if self.state[AT] == len(lines):
                return ids[: self.state[FIRST]].copy()
            self._make_more_room(len(lines))

    def _make_more_room(self, n_bytes: int) -> None:
        full = len(self) + 2 > len(self.last)
        self._make_room((2 if full else 1) * len(self), n_bytes)

    def _make_room(self, n_terms: int, n_bytes: int) -> None:
        """Make sure that there is room for so many terms in all, and so many bytes more."""
        if n_terms > MOST_TERMS:
            raise ValueError(f"The documents hold more than {MOST_TERMS // 4:,} terms: count fewer at a time.")
        used = int(self.state[USED])
        if used + n_bytes + 2 * PAD > len(self.store):
            self.store = _grown(self.store, used, 2 * (used + n_bytes + PAD))
        if n_terms + 2 > len(self.begins):
            self.begins = _grown(self.begins, len(self) + 1, n_terms + 2)
            self.last = _grown(self.last, len(self), n_terms + 2)
            old, bits = self.table, (2 * n_terms).bit_length()
            self.table, self.state[SHIFT] = np.zeros((1 << bits, 2), np.uint64), 64 - bits
            compiled("refill")(old, self.table, self.state)

    def take(self, other: Vocabulary) -> NDArray[np.int32]:
        """Add another vocabulary's words; return the number that each of them has here."""
        self._make_room(len(self) + len(other), int(other.state[USED]))
        mapping = np.empty(len(other), np.int32)
        compiled("merge_terms")(other.begins, other.store, other.state, self.table, self.begins, self.store,
                                self.state, mapping)  # fmt: skip
        return mapping

    def ranked(self) -> tuple[NDArray[np.int32], list[str]]:
        """Return each word's place in the sorted list of all, and that list."""
        keys = np.empty(len(self), np.uint64)
        compiled("term_keys")(self.begins, self.store, keys)
        order = np.argsort(keys)
        compiled("settle_ties")(self.begins, self.store, keys, order, np.empty_like(order))
        lines = np.empty(int(self.state[USED]) + PAD, np.uint8)
        compiled("write_lines")(self.begins, self.store, order, lines)
        rank = np.empty(len(self), np.int32)
        rank[order] = np.arange(len(self), dtype=np.int32)
        return rank, lines[:-PAD].tobytes().decode("utf-8", CODEC).split("\n")[:-1]


def as_bytes(terms: Sequence[str]) -> pl.Series:
    """Return terms as a column of bytes, which has room for what is no valid text."""
    try:
        return pl.Series(terms, dtype=pl.String).cast(pl.Binary)
    except UnicodeEncodeError:  # half of a surrogate pair, which a function for tokens may make
        return pl.Series([term.encode("utf-8", CODEC) for term in terms], dtype=pl.Binary)


def as_strings(terms: pl.Series) -> list[str]:
    """Return the terms of such a column as strings."""
    try:
        return terms.cast(pl.String).to_list()
    except pl.exceptions.PolarsError:
        return [str(term, "utf-8", CODEC) for term in terms.to_list()]


def _grown(array: NDArray[Any], used: int, size: int) -> NDArray[Any]:
    """Return a larger array that begins like this one; what is not written to takes no memory."""
    larger = np.zeros(size, array.dtype)
    larger[:used] = array[:used]
    return larger
