"""The kernel that finds the lines of documents: what a line says becomes one number, blanks and case aside."""

from __future__ import annotations

from typing import Any

import numpy as np

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # of FNV-1a, kept in runs: never change them
_MIX, _HALF = np.uint64(0xD6E8FEB86659FD93), np.uint64(32)


def find_lines(text: Any, offsets: Any, keys: Any, begins: Any, ends: Any, times: Any, owners: Any, state: Any) -> None:
    """Find the lines that hold a letter or a digit; state[0] becomes how many there are.

    Document d is text[offsets[d]:offsets[d + 1]], in UTF-8. Of each line: a hash of all but blanks, where it begins
    (blanks aside) and ends, its letters (those of three bytes and more count twice, as they say more), its document.
    """
    n = 0
    for d in range(len(offsets) - 1):
        at, stop = offsets[d], offsets[d + 1]
        while at < stop:
            while at < stop and text[at] <= 32:  # also the ends of lines that are blank
                at += 1
            h, letters, begin = _BASIS, np.int64(0), at
            while at < stop:
                c = np.int64(text[at])
                if c == 10:
                    break
                c += 32 * (65 <= c <= 90)
                h = (h ^ np.uint64(c)) * _PRIME if c > 32 else h  # no branches: which letter comes next is hard to say
                letters += (97 <= c <= 122) | (48 <= c <= 57) | (c >= 0xC0)
                letters += c >= 0xE0
                at += 1
            if letters:
                h = (h ^ (h >> _HALF)) * _MIX
                keys[n], begins[n], ends[n], times[n], owners[n] = h ^ (h >> _HALF), begin, at, letters, d
                n += 1
            at += 1
    state[0] = n


KERNELS = (find_lines,)
