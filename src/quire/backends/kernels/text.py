"""Kernels over text: find the words of documents and count them.

A document is first *folded*: its words in lower case, newlines between them. A table maps a word to its
number by open addressing. A hit is a hit only when all bytes agree: the hash alone is never trusted. Words
are kept in ``store``, a line each, so that a text can be let go.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.backends.kernels.layout import (
    AT,
    BASE,
    DOCUMENT,
    ENTRIES,
    FIRST,
    FOLDED,
    HASHED,
    LOOK,
    NEWLINE,
    NORMAL,
    PAD,
    READY,
    SHIFT,
    TERMS,
    TURKISH,
    UNITS,
    USED,
)
from quire.backends.kernels.simd import prefetch
from quire.backends.kernels.text_simd import (
    copy_look,
    fold_ascii,
    hash_part,
    inlined,
    lean,
    load_part,
    load_unit,
    same_part,
    store_four,
    trailing_zeros,
    word_bits,
)

_ALL, _ONE, _NONE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(1), np.uint64(0)
_WIDTH, _TEN = np.uint64(24), np.uint64(10)
_PAIRS = np.uint64((0x10000 - (0xD800 << 10) - 0xDC00) % (1 << 64))  # + (one half << 10) + other half: the code point
_LEADS = np.uint64(0x4322111111111111)  # bytes of a character of UTF-8, by the upper half of its first byte
_LEAD, _TWO, _FOUR_BITS = np.uint64(0xF0), np.uint64(2), np.uint64(15)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_CAPITAL, _DOTLESS, _SECOND = np.uint64(ord("I")), np.uint64(ord("ı")), np.uint64(0xDC00 >> 10)  # half of a pair
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)  # odd, with bits everywhere


@inlined
def _key_of(source, at, length):  # type: ignore[no-untyped-def]
    """Return a short word itself as one number, a hash of a long one."""
    if length <= 8:
        return load_part(source, at, length)
    h = hash_part(source, at, length)
    h ^= h >> _HALF
    for i in range(HASHED, length, HASHED):
        h = h * _SPREAD + hash_part(source, at + i, length - i)
        h ^= h >> _HALF
    return h


@inlined
def _same(source, at, store, begin, length):  # type: ignore[no-untyped-def]
    same = same_part(source, at, store, begin, length)
    for i in range(HASHED, length, HASHED):
        same &= same_part(source, at + i, store, begin + i, length - i)
    return same


@inlined
def _slot_of(key, length, state):  # type: ignore[no-untyped-def]
    return np.int64(((key ^ (np.uint64(length) * _MIX)) * _SPREAD) >> np.uint64(state[SHIFT]))


@inlined
def _number_of(source, at, length, key, table, begins, store, state):  # type: ignore[no-untyped-def]
    """Return the number of the word source[at:at + length], a new one if it is new, −1 if room runs out."""
    slot = _slot_of(key, length, state)
    while True:
        held = table[slot, 1]  # the length above, the number + 1 below
        if held == 0:
            break
        if table[slot, 0] == key and np.int64(held >> _HALF) == length:
            number = np.int64(held & _LOW) - 1
            if length <= 8 or _same(source, at, store, begins[number], length):
                return number
        slot = (slot + 1) & (len(table) - 1)
    number, begin = state[TERMS], state[USED]
    if number + 2 > len(begins) or 2 * number + 2 > len(table) or begin + length + 1 + PAD > len(store):
        return np.int64(-1)
    table[slot, 0] = key
    table[slot, 1] = (np.uint64(length) << _HALF) | np.uint64(number + 1)
    for i in range(0, length, LOOK):
        copy_look(source, at + i, store, begin + i)
    store[begin + length] = NEWLINE
    state[TERMS], state[USED] = number + 1, begin + length + 1
    begins[number + 1] = state[USED]
    return number


@lean
def _is_turkish(text, p, end):  # type: ignore[no-untyped-def]
    """Say whether UTF-16 holds so many ı, of all its characters, that it is Turkish."""
    dotless, length = np.int64(0), np.int64(0)
    for at in range(p, end, 2):
        unit = load_unit(text, at)
        dotless += unit == _DOTLESS
        length += (unit >> _TEN) != _SECOND
    return dotless * TURKISH > length


@lean
def _fold_units(text, p, end, folded, characters, turkish):  # type: ignore[no-untyped-def]
    """Fold UTF-16 into UTF-8, without a branch per character; return the length of that."""
    q = np.int64(0)
    while p < end:
        unit = load_unit(text, p)
        if turkish and unit == _CAPITAL:
            unit = _DOTLESS
        written = characters[unit]
        width = np.int64(written >> _WIDTH)
        if width == 0:  # the first half of a pair
            p += 2
            written = characters[_PAIRS + (unit << _TEN) + load_unit(text, p)]
            width = np.int64(1) if written == NEWLINE else np.int64(4)
        store_four(folded, q, written)
        q += width
        p += 2
    return q


@lean
def _fold(text, p, end, form, folded, characters, normal):  # type: ignore[no-untyped-def]
    """Fold a document and return the length of that."""
    if form == UNITS:
        return _fold_units(text, p, end, folded, characters, normal and _is_turkish(text, p, end))
    for i in range(0, end - p, LOOK):
        if form == READY:
            copy_look(text, p + i, folded, i)
        else:
            fold_ascii(text, p + i, folded, i)
    return end - p


@lean
def _long_word(folded, p, n):  # type: ignore[no-untyped-def]
    """Return the length of the word at p, which fills a whole look."""
    q = p + LOOK
    while q < n:
        bits = word_bits(folded, q)
        if bits != _ALL:
            return min(q + trailing_zeros(~bits), n) - p
        q += LOOK
    return n - p


@lean
def _find_words(folded, p, n, leads, spots, keys, table, state):  # type: ignore[no-untyped-def]
    """Note place, length and key of the words from p on, as many as find room; return where that ends.

    ``leads`` says which words are of one character, and left out: :data:`_LEADS`, or 0 where none is.
    """
    n_words = 0
    while p < n and n_words + LOOK <= len(keys):
        bits = word_bits(folded, p)
        if n - p < LOOK:
            bits &= (_ONE << np.uint64(n - p)) - _ONE
        step = LOOK
        while bits != 0:
            skip = trailing_zeros(bits)
            length = trailing_zeros(~(bits >> np.uint64(skip)))
            if skip + length < LOOK:
                bits &= _ALL << np.uint64(skip + length)
            elif skip > 0:  # the word may go on: look again from its first byte
                step = skip
                break
            else:
                step = length = _long_word(folded, p, n)
                bits = np.uint64(0)
            key = _key_of(folded, p + skip, length)
            spots[n_words, 0], spots[n_words, 1], keys[n_words] = p + skip, length, key
            prefetch(table, 2 * _slot_of(key, length, state))
            n_words += length > np.int64((leads >> ((key & _LEAD) >> _TWO)) & _FOUR_BITS)
        p += step
    return p, n_words


@lean
def _count_folded(folded, leads, spots, keys, table, begins, store, last, ids, times, state):  # type: ignore[no-untyped-def]
    """Count the words of a folded document from state[AT] on; return False where room runs out."""
    p, n, first, base, entries = state[AT], state[FOLDED], state[FIRST], state[BASE], state[ENTRIES]
    while p < n:
        p, n_words = _find_words(folded, p, n, leads, spots, keys, table, state)
        known = 0
        while known < n_words:
            at, length = spots[known, 0], spots[known, 1]
            number = _number_of(folded, at, length, keys[known], table, begins, store, state)
            if number < 0:
                break
            spots[known, 1] = number
            known += 1
        for i in range(known):
            entries = _add(spots[i, 1], first, entries, last, ids, times, base)
        state[ENTRIES] = entries
        if known < n_words:
            state[AT] = spots[known, 0]
            return False
    return True


@inlined
def _add(number, first, entries, last, ids, times, base):  # type: ignore[no-untyped-def]
    """Count a word at the place where this document has it, else at the next free one; return the next free.

    Every second word is new to its document, which no CPU can foresee: so there is no branch here.
    """
    place = last[number]
    new = np.int64(place < first)
    place += new * (entries - place)
    times[entries - base] = 0
    times[place - base] += 1
    ids[place - base] = number
    last[number] = place
    return entries + new


def count_tokens(
    text: Any, offsets: Any, forms: Any, characters: Any, folded: Any, spots: Any, keys: Any, table: Any,
    begins: Any, store: Any, last: Any, ids: Any, times: Any, ends: Any, state: Any,
) -> None:  # fmt: skip
    """Count the words of documents from state[DOCUMENT] on; where room runs out, stop to be called again.

    ``characters[code point]`` is what to write for a character (``quire.text.vocabulary.characters``). Words have
    two characters or more, unless Python has already found them.
    """
    # ``ids`` and ``times`` receive each document's distinct words in order of appearance, ``ends`` where each
    # document ends in them.
    for document in range(state[DOCUMENT], len(ends)):
        if state[AT] < 0:
            p, end = offsets[document], offsets[document + 1]
            state[FOLDED] = _fold(text, p, end, forms[document], folded, characters, state[NORMAL] > 0)
            state[AT], state[FIRST] = 0, state[ENTRIES]
        leads = _NONE if forms[document] == READY else _LEADS
        if not _count_folded(folded, leads, spots, keys, table, begins, store, last, ids, times, state):
            return
        ends[document] = state[ENTRIES] - state[BASE]
        state[DOCUMENT], state[AT] = document + 1, -1


def number_tokens(text: Any, spots: Any, keys: Any, table: Any, begins: Any, store: Any, ids: Any, state: Any) -> None:
    """Find the number of each word of a text, a word a line; where room runs out, stop to be called again."""
    p, n = state[AT], len(text) - PAD
    while p < n:
        p, n_words = _find_words(text, p, n, _NONE, spots, keys, table, state)
        for i in range(n_words):
            number = _number_of(text, spots[i, 0], spots[i, 1], keys[i], table, begins, store, state)
            if number < 0:
                state[AT] = spots[i, 0]
                return
            ids[state[FIRST]] = number
            state[FIRST] += 1
    state[AT] = n


def merge_terms(
    begins: Any, store: Any, state: Any, table: Any, into_begins: Any, into_store: Any, into_state: Any,
    mapping: Any,
) -> None:  # fmt: skip
    """Give every word of one table its number in another, which has room for all of them."""
    for number in range(state[TERMS]):
        at, length = begins[number], begins[number + 1] - begins[number] - 1
        key = _key_of(store, at, length)
        mapping[number] = _number_of(store, at, length, key, table, into_begins, into_store, into_state)


def refill(old_table: Any, table: Any, state: Any) -> None:
    """Put every word of a table into an empty, larger one."""
    for i in range(len(old_table)):
        if old_table[i, 1] != 0:
            slot = _slot_of(old_table[i, 0], np.int64(old_table[i, 1] >> _HALF), state)
            while table[slot, 1] != 0:
                slot = (slot + 1) & (len(table) - 1)
            table[slot, 0], table[slot, 1] = old_table[i, 0], old_table[i, 1]


KERNELS = (count_tokens, number_tokens, merge_terms, refill)
