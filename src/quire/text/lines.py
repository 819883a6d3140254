"""The lines of texts, and what of a line may come again in other texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.backends.kernels.compiled import compiled
from quire.text.vocabulary import CODEC

_LONG = 50  # letters of a line that nobody writes twice by chance: about ten words
_SHORT = 12  # letters of two lines together, or of a last one; "Yes" and "No" are answers
_QUOTE = ord(">")
_NEXT, _ALONE, _LAST = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


class Lines(NamedTuple):
    """The lines of some texts that hold a letter or a digit, in order."""

    content: bytes  # of all texts, in UTF-8
    offsets: NDArray[np.int64]  # where each text begins there
    hashes: NDArray[np.uint64]  # the same for what says the same
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    letters: NDArray[np.int32]
    document: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Lines:
        """Find the lines of texts."""
        pieces = [text.encode("utf-8", CODEC) for text in texts]
        offsets = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
        content = b"".join(pieces)
        room = content.count(b"\n") + len(pieces)
        hashes, state = np.empty(room, np.uint64), np.zeros(1, np.int64)
        begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
        letters, document = np.empty(room, np.int32), np.empty(room, np.int32)
        held = np.frombuffer(content, np.uint8)
        compiled("find_lines")(held, offsets, hashes, begins, ends, letters, document, state)
        found = slice(int(state[0]))
        return cls(content, offsets, hashes[found], begins[found], ends[found], letters[found], document[found])

    def text(self, line: int) -> str:
        """Return a line as it is written, blanks aside."""
        return " ".join(str(self.content[self.begins[line] : self.ends[line]], "utf-8", CODEC).split())


class Keys(NamedTuple):
    """What may come again, as a number each, and the first and last of its lines (the same, where it is one)."""

    keys: NDArray[np.uint64]
    first: NDArray[np.intp]
    last: NDArray[np.intp]


def keys_of(lines: Lines) -> Keys:
    """Return what may come again: a long line, two lines one after the other, and the last line of a text.

    A short line alone is no sign of anything: an ingredient or an answer comes again and is meant. What is quoted
    is what a thread is about, and no text is its only line.
    """
    owner, said = lines.document, np.frombuffer(lines.content, np.uint8)
    written = said[lines.begins] != _QUOTE if len(owner) else np.zeros(0, bool)
    same = owner[1:] == owner[:-1]
    alone = np.flatnonzero(written & (lines.letters >= _LONG) & _has_others(same))
    both = written[1:] & written[:-1] & (lines.letters[1:] + lines.letters[:-1] >= _SHORT)
    pairs = np.flatnonzero(same & both)
    ends = np.append(~same, True) & np.insert(same, 0, False) if len(owner) else written
    last = np.flatnonzero(ends & written & (lines.letters >= _SHORT))
    hashes = lines.hashes
    keys = np.concatenate(
        [hashes[alone] ^ _ALONE, hashes[pairs] * _NEXT + hashes[np.minimum(pairs + 1, len(hashes) - 1)],
         hashes[last] * _NEXT + _LAST]
    )  # fmt: skip
    return Keys(keys, np.concatenate([alone, pairs, last]), np.concatenate([alone, pairs + 1, last]))


def _has_others(same: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which lines are not the only one of their text, given whether each has the text of the one before."""
    return np.append(same, False) | np.insert(same, 0, False)
