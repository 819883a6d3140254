"""Texts as compiled code reads them: each in one of its forms, ASCII where that will do.

Columns of ASCII are joined as they lie in memory: a Python string for every document takes longer than to count it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.backends.kernels.layout import ASCII, READY, UNITS
from quire.text.odd_terms import TermLines, lines_of
from quire.text.spelling import AS_THEY_ARE, Spelling
from quire.text.vocabulary import CODEC

MOST_BYTES = (1 << 32) - 64  # of a document: lengths, and counts in one document, have 32 bits
_NEARLY_ALL = 0.9
Many = Callable[[list[str], NDArray[np.uint16]], list[Any]]
_NO_UNITS = np.zeros(0, np.uint16)


class Encoded(NamedTuple):
    """Documents, one after the other in pieces of any size; the bytes and the form of each."""

    pieces: list[bytes | memoryview]
    lengths: NDArray[np.int64]
    forms: NDArray[np.uint8]


def in_a_form(texts: list[str] | pl.Series, spelling: Spelling, many: Many | None) -> Encoded:
    """Encode texts or a column of them; nearly all of ASCII they are sooner encoded as a column."""
    if isinstance(texts, pl.Series):
        return column_encoded(texts, spelling, many)
    if many is None and set(map(type, texts)) == {str} and sum(map(str.isascii, texts)) >= _NEARLY_ALL * len(texts):
        try:
            return column_encoded(pl.Series(texts, dtype=pl.String), spelling)
        except UnicodeEncodeError:  # half of a pair
            pass
    return encoded(texts, spelling, many)


def column_encoded(texts: pl.Series, spelling: Spelling = AS_THEY_ARE, many: Many | None = None) -> Encoded:
    """Encode a column of texts, none null, of which only those beyond ASCII become Python strings."""
    sizes = texts.str.len_bytes().to_numpy()
    beyond = texts.str.len_chars().to_numpy() != sizes
    n_beyond = int(beyond.sum())
    if many is not None or spelling.turkish or 2 * n_beyond > len(texts) or sizes.max(initial=0) > MOST_BYTES:
        return encoded(texts.to_list(), spelling, many)
    lengths, forms = sizes.astype(np.int64), np.full(len(texts), ASCII, np.uint8)
    plain = "".join((texts.filter(~beyond) if n_beyond else texts).str.join("").to_list()).encode("ascii")
    if not n_beyond:
        return Encoded([plain], lengths, forms)
    others = encoded(texts.filter(beyond).to_list(), spelling)
    places = np.cumsum(np.where(beyond, 0, lengths))[beyond].tolist()  # among what is plain
    pieces, view, at = list[bytes | memoryview](), memoryview(plain), 0
    for place, piece in zip(places, others.pieces, strict=True):
        pieces += [view[at:place], piece]
        at = place
    lengths[beyond], forms[beyond] = others.lengths, others.forms
    return Encoded([*pieces, view[at:]], lengths, forms)


def encoded(texts: list[str], spelling: Spelling = AS_THEY_ARE, many: Many | None = None) -> Encoded:
    """Encode texts, each in one of the forms that kernels read; terms, one a line, are in theirs.

    Most texts need nothing else, and their units, which are needed in any case, tell so.
    """
    pieces, forms = _as_they_are(texts)
    units = _NO_UNITS if many is None and not spelling.normal else _units_of(pieces, forms)
    if many is not None:
        prepared = many(texts, units)
        if prepared is not texts:
            texts = [as_text(text, "a text") for text in prepared]
            pieces, forms = _as_they_are(texts)
            units = _units_of(pieces, forms)
    if spelling.turkish or (spelling.normal and len(units)):
        read = [text for text in texts if not isinstance(text, TermLines)]
        spelled = spelling.for_kernels(read, units)
        if spelled is not read:
            following = iter(spelled)
            texts = [text if isinstance(text, TermLines) else next(following) for text in texts]
            pieces, forms = _as_they_are(texts)
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    sizes = lengths + np.where(forms == UNITS, lengths // 2, 0)  # two bytes of UTF-16 can be three of UTF-8
    if sizes.max(initial=0) > MOST_BYTES:
        text, size = texts[sizes.argmax()], f"up to {sizes.max():,} bytes, more than {MOST_BYTES:,}"
        raise ValueError(f"The document that begins with {text[:40]!r} has {size}: cut it into parts.")
    return Encoded(list[bytes | memoryview](pieces), lengths, forms)


def as_text(found: list[str] | str, where: str) -> str:
    """Return what a function made of a text as one: its terms, where it found some, one a line."""
    return found if isinstance(found, str) else lines_of(found, where)


def _as_they_are(texts: list[str]) -> tuple[list[bytes], NDArray[np.uint8]]:
    forms = [READY if isinstance(text, TermLines) else ASCII if text.isascii() else UNITS for text in texts]
    pieces = [_units(text) if form == UNITS else text.encode("utf-8", CODEC) for text, form in zip(texts, forms)]
    return pieces, np.array(forms, np.uint8)


def _units_of(pieces: list[bytes], forms: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return all that is in UTF-16, one text after the other."""
    return np.frombuffer(b"".join(compress(pieces, forms == UNITS)), np.uint16)


def _units(text: str) -> bytes:
    """Encode a text for compiled code; only Python knows the lower case of Σ, which depends on its neighbours.

    Half a pair becomes a question mark: neither is in a word.
    """
    return (text.lower() if "Σ" in text else text).encode("utf-16-le", "replace")
