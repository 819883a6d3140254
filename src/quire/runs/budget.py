"""How much memory a run may take, and what that allows: sizes in words, shares of what is free."""

from __future__ import annotations

import ctypes
import re
import sys

from quire.corpus.cut import BYTES, ROWS
from quire.places.machine import available_memory

_UNITS = {"": 1, "B": 1} | {
    unit: base ** (power + 1)
    for base, units in ((1000, ("KB", "MB", "GB", "TB")), (1024, ("KIB", "MIB", "GIB", "TIB")))
    for power, unit in enumerate(units)
} | {"K": 1000, "M": 10**6, "G": 10**9, "T": 10**12}  # fmt: skip
_SHARE = 0.6  # of what is free: others want some, too, and so does the cache of the disk
# Measured on generated documents of 30 and of 3,000 words.
_PROGRAM = 400 << 20  # bytes: the interpreter, the libraries, the compiled kernels
_PER_DOCUMENT = 300  # bytes: topic, date, label, length, sums; what is known of each document
_PER_TERM = 30  # bytes of a topic's value for a term: H, what it is made from, how telling the term is
_PER_BYTE = 22  # of a block of texts at work: its strings, words, counts, and what the allocator keeps
# Of glibc's mallopt: arrays of a megabyte and more, and free memory at the end, go back to the system.
_MALLOC = {"M_MMAP_THRESHOLD": (-3, 1 << 20), "M_TRIM_THRESHOLD": (-1, 1 << 20), "M_ARENA_MAX": (-8, 2)}
_PAGE, _PAGE_DOCUMENT, _PAGE_WEIGHT = 450 << 20, 1100, 10  # bytes of a page, its documents, their shares


def parse_memory(memory: str | float) -> int:
    """Return bytes: ``"4GB"``, ``"500 MB"``, ``"2GiB"`` or a plain number of bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?(?:[eE]\+?\d+)?)\s*([a-zA-Z]*)\s*", str(memory))
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None or not float(match[1]) < 1e15:
        raise ValueError(f"memory={memory!r} is no size: write it as 4GB, 500MB or 2GiB.")
    return int(float(match[1]) * unit)


def default_memory() -> int:
    """Return the bytes that a run may take where nobody said: a share of what is free."""
    return int(min(_SHARE * available_memory(), 2.0**62))


def memory_of(memory: str | float | None) -> int:
    """Return the bytes that a run may take: what was said, or the default."""
    return default_memory() if memory is None else parse_memory(memory)


def check_topics(memory: int, k: int, n_terms: int) -> None:
    """Refuse topics × terms that would not leave room for anything else."""
    if not topics_fit(memory, k, n_terms):
        need = _PER_TERM * k * n_terms
        raise ValueError(
            f"{k:,} topics of {n_terms:,} terms take about {need / 1e9:.1f} GB: allow more with --memory, or "
            "cut rare terms with --min-count."
        )


def topics_fit(memory: int, k: int, n_terms: int) -> bool:
    """Say whether topics × terms leave room for the program."""
    return _PER_TERM * k * n_terms <= memory - _PROGRAM


def least_memory(n_documents: int = 0, text_bytes: int = 0) -> int:
    """Return the bytes that a run takes even where all its blocks are on disk."""
    block = min(BYTES, text_bytes * ROWS // n_documents) if n_documents and text_bytes else BYTES
    return _PROGRAM + _PER_BYTE * block + _PER_DOCUMENT * n_documents


def room_of(memory: int, n_documents: int = 0, text_bytes: int = 0) -> int:
    """Return the bytes of blocks that a run may hold in memory instead of on disk.

    Half of what is left when all else has its share: the other half is for topics × terms, and for what an
    allocator keeps back.
    """
    least = least_memory(n_documents, text_bytes)
    if memory < least:
        raise ValueError(
            f"{memory // 10**6:,} MB of memory are too few for these documents, even on disk: give --memory "
            f"{-(-least // 10**8) * 100}MB or more."
        )
    return (memory - least) // 2


def page_fits(n_documents: int, n_topics: int, memory: int) -> bool:
    """Say whether the page of a run can be made within so many bytes."""
    return _PAGE + n_documents * (_PAGE_DOCUMENT + _PAGE_WEIGHT * n_topics) <= memory


def spare_memory() -> None:
    """Have memory that is freed given back, instead of kept for later; where the C library can be told so.

    How much it would keep otherwise, 100 MB or more, depends on which thread freed what when.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # glibc has it, musl has not
        for option, value in _MALLOC.values():
            library.mallopt(option, value)
