"""Kernels that put words and counts in order, once all documents are counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.backends.kernels.layout import DIGIT, LOOK
from quire.backends.kernels.text_simd import copy_look, inlined, lean, load_part, reversed_bytes

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def term_keys(begins: Any, store: Any, keys: Any) -> None:
    r"""Give each word's first 8 bytes as a number; numbers and words have one order, but for ties."""
    for number in range(len(keys)):
        length = begins[number + 1] - begins[number] - 1
        keys[number] = reversed_bytes(load_part(store, begins[number], length))


@inlined
def _before(begins, store, a, b):  # type: ignore[no-untyped-def]
    """Whether word a comes before word b: by bytes, in UTF-8 also by code points; a prefix comes first."""
    length_a, length_b = begins[a + 1] - begins[a] - 1, begins[b + 1] - begins[b] - 1
    for i in range(0, min(length_a, length_b), 8):
        of_a = reversed_bytes(load_part(store, begins[a] + i, length_a - i))
        of_b = reversed_bytes(load_part(store, begins[b] + i, length_b - i))
        if of_a != of_b:
            return of_a < of_b
    return length_a < length_b


def settle_ties(begins: Any, store: Any, keys: Any, order: Any, spare_order: Any) -> None:
    r"""Sort by their bytes the words that share a key; ``order`` has them sorted by ``keys``. Merge sort."""
    start = 0
    while start < len(order):
        stop, width = start + 1, 1
        while stop < len(order) and keys[order[stop]] == keys[order[start]]:
            stop += 1
        while width < stop - start:
            for low in range(start, stop, 2 * width):
                i, j = low, min(low + width, stop)
                middle, high = j, min(low + 2 * width, stop)
                for to in range(low, high):
                    if j >= high or (i < middle and _before(begins, store, order[i], order[j])):
                        spare_order[to] = order[i]
                        i += 1
                    else:
                        spare_order[to] = order[j]
                        j += 1
            for to in range(start, stop):
                order[to] = spare_order[to]
            width *= 2
        start = stop


def write_lines(begins: Any, store: Any, order: Any, lines: Any) -> None:
    r"""Write the words in this order, a line each; ``lines`` has ``PAD`` bytes to spare."""
    to = 0
    for number in order:
        size = begins[number + 1] - begins[number]
        for i in range(0, size, LOOK):
            copy_look(store, begins[number] + i, lines, to + i)
        to += size


def sort_rows(
    ids: Any, times: Any, ends: Any, mapping: Any, items: Any, spare_items: Any, owners: Any, places: Any,
    free: Any, columns: Any, values: Any,
) -> None:  # fmt: skip
    """Give words their columns, mapping[id], and sort each document's entries by them.

    A radix sort of all entries by column, some bits at a time, then by document: each pass is stable.
    """
    n = len(ids)
    shift = largest = np.int64(0)
    for i in range(n):
        column = np.int64(mapping[ids[i]])
        largest = max(largest, column)
        items[i] = np.uint64(column) << _HALF | np.uint64(i)
    while largest >> shift:
        _sort_by_digit(items, spare_items, places, shift)
        items, spare_items = spare_items, items
        shift += np.int64(DIGIT)
    begin = 0
    for document in range(len(ends)):
        free[document] = begin
        for i in range(begin, ends[document]):
            owners[i] = document
        begin = ends[document]
    for k in range(n):  # give each document its entries, in the order they come in
        entry = np.int64(items[k] & _LOW)
        place = free[owners[entry]]
        free[owners[entry]] = place + 1
        columns[place] = np.int32(items[k] >> _HALF)
        values[place] = times[entry]


@lean
def _sort_by_digit(items, out, places, shift):  # type: ignore[no-untyped-def]
    by, mask = np.uint64(32 + shift), np.uint64((1 << DIGIT) - 1)
    for digit in range(1 << DIGIT):
        places[digit] = 0
    for i in range(len(items)):
        places[(items[i] >> by) & mask] += 1
    total = 0
    for digit in range(1 << DIGIT):
        here = places[digit]
        places[digit] = total
        total += here
    for i in range(len(items)):
        digit = (items[i] >> by) & mask
        out[places[digit]] = items[i]
        places[digit] += 1


KERNELS = (term_keys, settle_ties, write_lines, sort_rows)
