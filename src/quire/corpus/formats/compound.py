"""Compound files, as .xls and .msg are: their chains of sectors must end before a reader follows them.

One that leads back into itself, or claims to be longer than the file, makes a reader take all memory there is.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"\xd0\xcf\x11\xe0"
_HEADER, _ENTRY = 512, 128  # bytes of the header, and of an entry of the directory
_SHIFTS = {3: 9, 4: 12}  # bytes of a sector as a power of two, by version
_LAST = 0xFFFFFFFA  # sector numbers from here on are marks
_IN_HEADER = 109  # sectors of the table that the header itself names


def has_sound_chains(raw: bytes) -> bool:
    """Say whether whoever follows a chain of sectors, or makes room for a stream, comes to an end."""
    try:
        version, _, shift = struct.unpack_from("<3H", raw, 26)
        lengths = (
            struct.unpack_from("<2I", raw, 40) + struct.unpack_from("<I", raw, 64) + struct.unpack_from("<I", raw, 72)
        )
        if _SHIFTS.get(version) != shift or any(length << shift > len(raw) for length in lengths):
            return False
        table = _table(raw, shift)
        directory, minis = (_followed(raw, shift, table, struct.unpack_from("<I", raw, at)[0]) for at in (48, 60))
    except (struct.error, _LostError):
        return False
    sizes = directory.view("<u4" if version == 3 else "<u8")[30 if version == 3 else 15 :: 32 if version == 3 else 16]
    return _all_end(minis.view("<u4")) and not (sizes > len(raw)).any()


class _LostError(Exception):
    """A chain leads back into itself, or out of the file."""


def _sector(raw: bytes, shift: int, number: int) -> NDArray[np.uint8]:
    start = (number + 1) << shift
    if number >= _LAST or start + (1 << shift) > len(raw):
        raise _LostError
    return np.frombuffer(raw, np.uint8, 1 << shift, start)


def _table(raw: bytes, shift: int) -> NDArray[Any]:
    """Return which sector comes after each."""
    named = [np.frombuffer(raw, "<u4", _IN_HEADER, _HEADER - 4 * _IN_HEADER)]
    number, seen = struct.unpack_from("<I", raw, 68)[0], set[int]()
    while number < _LAST:
        if number in seen:
            raise _LostError
        seen.add(number)
        more = _sector(raw, shift, number).view("<u4")
        named.append(more[:-1])
        number = int(more[-1])
    numbers = np.concatenate(named)
    numbers = numbers[numbers < _LAST]
    if len(numbers) << shift > len(raw):  # else some are named again and again
        raise _LostError
    table = np.concatenate([np.zeros(0, "<u4"), *(_sector(raw, shift, int(n)).view("<u4") for n in numbers)])
    if not _all_end(table):
        raise _LostError
    return table


def _followed(raw: bytes, shift: int, table: NDArray[Any], number: int) -> NDArray[np.uint8]:
    """Return what the sectors of a chain hold, one after the other."""
    sectors = [np.zeros(0, np.uint8)]
    while number < _LAST:
        sectors.append(_sector(raw, shift, number))
        number = int(table[number]) if number < len(table) else _LAST
    return np.concatenate(sectors)


def _all_end(table: NDArray[Any]) -> bool:
    """Say whether no chain leads back into itself: after as many steps as there are sectors, all have ended."""
    n = len(table)
    after = np.append(np.minimum(table, n).astype(np.int64), n)  # n: the end
    for _ in range(n.bit_length()):
        after = after[after]  # twice as many steps
    return bool((after == n).all())
