"""Kernels over text: find the words of documents and count them, in bytes.

A table maps a word to its number by open addressing. A hit is a hit only when all bytes agree: the hash alone
is never trusted. Words are kept in ``store``, a line each, so that a text can be let go.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.ops.kernels import helper

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_HALF, _NEWLINE = np.uint64(32), np.uint8(10)
TERMS, USED, ENTRIES, NEXT = 0, 1, 2, 3  # places in ``state``


@helper
def _number_of(h, begin, length, table, hashes, begins, lengths, store, state):  # type: ignore[no-untyped-def]
    """Return the number of the word that lies at store[begin:begin + length], a new one if it is new."""
    mask = np.uint64(len(table) - 1)
    slot = h & mask
    while True:
        held = table[slot]
        if held == 0:
            number = state[TERMS]
            table[slot] = number + 1
            hashes[number], begins[number], lengths[number] = h, begin, length
            state[TERMS] = number + 1
            store[begin + length] = _NEWLINE
            state[USED] = begin + length + 1
            return number
        number = np.int64(held) - 1
        if hashes[number] == h and lengths[number] == length:
            first = begins[number]
            same = True
            for i in range(length):
                if store[first + i] != store[begin + i]:
                    same = False
                    break
            if same:
                return number
        slot = (slot + np.uint64(1)) & mask


def count_tokens(
    text: Any, offsets: Any, modes: Any, letters: Any, table: Any, hashes: Any, begins: Any, lengths: Any,
    store: Any, seen: Any, slots: Any, ids: Any, times: Any, ends: Any, state: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Count the words of documents start:stop; stop early, at a whole document, where room runs out.

    ``letters[mode, byte]`` is 0 for a separator, else the byte to keep (lower-cased). Mode 0 wants words of
    two bytes or more; in mode 1 Python has already found the words. ``ids`` and ``times`` receive the
    document's distinct words in order of appearance, ``ends`` where each document ends in them.
    """
    for document in range(start, stop):
        p, end = offsets[document], offsets[document + 1]
        mode = np.int64(modes[document])
        shortest = 2 - mode
        most = (end - p) // (shortest + 1) + 1
        terms = state[TERMS] + most
        if (terms > len(begins) or 2 * terms > len(table) or state[USED] + (end - p) + most > len(store)
                or state[ENTRIES] + most > len(ids)):  # fmt: skip
            state[NEXT] = document
            return
        while p < end:
            begin = state[USED]
            q = begin
            h = _BASIS
            while p < end:
                c = letters[mode, text[p]]
                p += 1
                if c == 0:
                    break
                store[q] = c
                q += 1
                h = (h ^ np.uint64(c)) * _PRIME
            if q - begin < shortest:
                continue
            h ^= h >> _HALF
            number = _number_of(h, begin, q - begin, table, hashes, begins, lengths, store, state)
            if seen[number] == document + 1:
                times[slots[number]] += 1
            else:
                place = state[ENTRIES]
                seen[number], slots[number] = document + 1, place
                ids[place], times[place] = number, 1
                state[ENTRIES] = place + 1
        ends[document] = state[ENTRIES]
    state[NEXT] = stop


def merge_terms(
    hashes: Any, begins: Any, lengths: Any, store: Any, state: Any, table: Any, into_hashes: Any,
    into_begins: Any, into_lengths: Any, into_store: Any, into_state: Any, mapping: Any,
) -> None:  # fmt: skip
    """Give every word of one table its number in another, which has room for all of them."""
    for number in range(state[TERMS]):
        begin = into_state[USED]
        for i in range(lengths[number]):
            into_store[begin + i] = store[begins[number] + i]
        mapping[number] = _number_of(
            hashes[number], begin, lengths[number], table, into_hashes, into_begins, into_lengths, into_store,
            into_state,
        )  # fmt: skip


def refill(table: Any, hashes: Any, state: Any) -> None:
    """Put every word into an empty, larger table."""
    mask = np.uint64(len(table) - 1)
    for number in range(state[TERMS]):
        slot = hashes[number] & mask
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = number + 1


KERNELS = (count_tokens, merge_terms, refill)
