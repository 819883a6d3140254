"""Texts → raw counts: words found and counted by compiled code, on all threads.

A document of ASCII characters is scanned byte by byte. Any other is first cut into words by Python's own
regular expressions, which know Unicode, and then counted the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.ops.compiled import compiled
from quire.ops.csr import Csr, transposed
from quire.ops.textkernels import ENTRIES, NEXT, TERMS, USED
from quire.ops.threads import Team, equal_shares

WORD = re.compile(r"(?u)\b\w\w+\b")  # scikit-learn's default
_CODEC = "surrogatepass"  # a lone surrogate is a character like any other here


def _letters() -> NDArray[np.uint8]:
    """Bytes to keep: letters, digits and _ in lower case; and, in mode 1, all but the newline."""
    kept = np.zeros((2, 256), np.uint8)
    for byte in range(128):
        if chr(byte).isalnum() or chr(byte) == "_":
            kept[0, byte] = ord(chr(byte).lower())
    kept[1] = np.arange(256)
    kept[1, ord("\n")] = 0
    return kept


_LETTERS = _letters()


class Table:
    """A growing vocabulary and the counts of the documents it has seen.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.tokenise import Table
    >>> table = Table(1)
    >>> text = np.frombuffer(b"A moon, a MOON", np.uint8)
    >>> table.count(text, np.array([0, 14]), np.zeros(1, np.uint8), 0, 1)
    >>> table.terms(), table.times[:1].tolist()
    (['moon'], [2])
    """

    def __init__(self, n_documents: int, n_bytes: int = 0) -> None:
        terms = max(1 << 15, n_bytes // 128)  # a guess: memory that is not used costs nothing
        entries = max(1 << 18, n_bytes // 9)
        self.state = np.zeros(4, np.int64)
        self.table = np.zeros(1 << (2 * terms).bit_length(), np.int32)
        self.hashes = np.zeros(terms, np.uint64)
        self.begins, self.seen, self.slots = (np.zeros(terms, np.int64) for _ in range(3))
        self.lengths = np.zeros(terms, np.int32)
        self.store = np.zeros(8 * entries, np.uint8)
        self.ids, self.times = np.zeros(entries, np.int32), np.zeros(entries, np.int32)
        self.ends = np.zeros(n_documents, np.int64)

    def count(self, text: Any, offsets: Any, modes: Any, start: int, stop: int) -> None:
        """Count documents start:stop, growing as often as needed."""
        kernel = compiled("count_tokens")
        while True:
            kernel(text, offsets, modes, _LETTERS, self.table, self.hashes, self.begins, self.lengths,
                   self.store, self.seen, self.slots, self.ids, self.times, self.ends, self.state,
                   start, stop)  # fmt: skip
            start = int(self.state[NEXT])
            if start >= stop:
                return
            self.make_room(int(offsets[start + 1] - offsets[start]))

    def make_room(self, n_bytes: int, n_terms: int | None = None) -> None:
        """Make sure that so many bytes of text more, or so many terms, find room."""
        most = n_bytes // 2 + 1 if n_terms is None else n_terms
        terms = int(self.state[TERMS]) + most
        for name in ("hashes", "begins", "seen", "slots", "lengths"):
            setattr(self, name, _grown(getattr(self, name), terms))
        self.store = _grown(self.store, int(self.state[USED]) + n_bytes + most)
        for name in ("ids", "times"):
            setattr(self, name, _grown(getattr(self, name), int(self.state[ENTRIES]) + most))
        if len(self.table) < 2 * terms:
            self.table = np.zeros(1 << (4 * terms).bit_length(), np.int32)
            compiled("refill")(self.table, self.hashes, self.state)

    def take(self, other: Table) -> NDArray[np.int32]:
        """Add another table's terms; return the number that each of them has here."""
        self.make_room(int(other.state[USED]) + 64, int(other.state[TERMS]))
        mapping = np.zeros(int(other.state[TERMS]), np.int32)
        compiled("merge_terms")(
            other.hashes, other.begins, other.lengths, other.store, other.state, self.table, self.hashes,
            self.begins, self.lengths, self.store, self.state, mapping,
        )  # fmt: skip
        return mapping

    def terms(self) -> list[str]:
        """Return the terms by number."""
        return self.store[: self.state[USED]].tobytes().decode("utf-8", _CODEC).split("\n")[:-1]


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the array, or a copy of at least this size and half as much again."""
    if len(array) >= size:
        return array
    larger = np.zeros(max(size, len(array) * 3 // 2), array.dtype)
    larger[: len(array)] = array
    return larger


def count_texts(
    texts: Iterable[str], n_threads: int = 1, split: Callable[[str], list[str]] | None = None
) -> tuple[sp.csr_array, list[str]]:
    """Count the words of texts.

    Parameters
    ----------
    texts : iterable of str
        The documents.
    n_threads : int
        Threads.
    split : callable, optional
        Gives the tokens of a text; by default scikit-learn's words in lower case, by the fast path.

    Returns
    -------
    counts : CSR array of int64
        Documents × terms.
    terms : list of str
        Sorted.

    Examples
    --------
    >>> from quire.tokenise import count_texts
    >>> counts, terms = count_texts(["The moon. The sun?", "Sun!"])
    >>> terms, counts.toarray().tolist()
    (['moon', 'sun', 'the'], [[1, 1, 2], [0, 1, 0]])
    """
    pieces, modes = _pieces(texts, split)
    offsets = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces], dtype=np.int64)])
    text = np.frombuffer(b"".join(pieces), np.uint8)
    n = len(pieces)
    del pieces
    with Team(n_threads) as team:
        bounds = equal_shares(offsets, n_threads)
        tables = [Table(n, int(offsets[b] - offsets[a])) for a, b in pairwise(bounds)]
        team.run(lambda c: tables[c].count(text, offsets, modes, bounds[c], bounds[c + 1]), len(tables))
        return _assembled(tables, bounds, team)


def _pieces(
    texts: Iterable[str], split: Callable[[str], list[str]] | None
) -> tuple[list[bytes], NDArray[np.uint8]]:
    """Return each document's bytes, and 1 for those that Python had to cut into words."""
    pieces, modes = [], []
    for text in texts:
        plain = split is None and text.isascii()
        if not plain:
            words = split(text) if split else WORD.findall(text.lower())
            if any("\n" in word or not word for word in words):
                raise ValueError("A token is empty or holds a line break: let `tokens` give neither.")
            text = "\n".join(words)
        pieces.append(text.encode("utf-8", _CODEC))
        modes.append(not plain)
    return pieces, np.array(modes, np.uint8)


def _assembled(tables: list[Table], bounds: NDArray[Any], team: Team) -> tuple[sp.csr_array, list[str]]:
    """Give all terms numbers in their sorted order, and the entries of each row by term."""
    first = tables[0]
    mappings = [np.arange(first.state[TERMS], dtype=np.int32), *(first.take(other) for other in tables[1:])]
    terms = first.terms()
    order = np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)
    rank = np.empty(len(terms), np.int32)
    rank[order] = np.arange(len(terms), dtype=np.int32)
    entries = [int(table.state[ENTRIES]) for table in tables]
    indices = np.concatenate([rank[m[t.ids[:e]]] for t, m, e in zip(tables, mappings, entries)])
    data = np.concatenate([t.times[:e] for t, e in zip(tables, entries)])
    before = np.concatenate([[0], np.cumsum(entries)[:-1]])
    ends = [t.ends[a:b] + s for t, a, b, s in zip(tables, bounds[:-1], bounds[1:], before)]
    rows = Csr(np.concatenate([[0], *ends]), indices, data.astype(np.float64), len(terms))
    (by_term,) = transposed(rows, team, len(rows.indptr))
    (sorted_rows,) = transposed(by_term, team, len(terms) + 1)
    counts = sp.csr_array((sorted_rows.data.astype(np.int64), sorted_rows.indices, sorted_rows.indptr),
                          shape=(rows.n_rows, len(terms)))  # fmt: skip
    return counts, list(map(terms.__getitem__, order.tolist()))
