"""Texts → raw counts: words found and counted by compiled code, on all threads.

Texts are taken a batch at a time, so that any iterable will do and no second copy of all of them is made.
What comes out depends neither on the batches nor on the threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.kernels.compiled import compiled
from quire.backends.kernels.layout import DIGIT
from quire.places.machine import Team, equal_shares, works_beside_others
from quire.text.encoded import Encoded, as_text, encoded, in_a_form
from quire.text.odd_terms import lines_of, terms_of
from quire.text.spelling import AS_THEY_ARE, Spelling
from quire.text.vocabulary import Counted, Vocabulary

BATCH = 1 << 22  # characters taken from the iterable before they are counted
CHUNK = 1 << 20  # characters that a thread counts at a time: small enough to stay in cache

KERNELS = ("count_tokens", "refill", "merge_terms", "term_keys", "settle_ties", "write_lines", "sort_rows")
Split = Callable[[Any], list[str] | str]
"""Cuts a document into terms, or makes a text of it, out of which compiled code takes the words.

One that has ``many`` is asked for many texts at once, given those beyond ASCII in UTF-16, too.
"""
Encode = Callable[[Any], Encoded]
Decode = Callable[[Any, int], Any]
"""Reads a document that is no str, given its number."""
_NOTHING = Counted(0, np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))


def no_text(document: object, number: int) -> Any:
    """Refuse a document that is no text."""
    raise TypeError(f"Document {number} is of type {type(document).__name__}: give every document as one str.")


def count_texts(
    texts: Iterable[Any],
    n_threads: int = 1,
    split: Split | None = None,
    *,
    known: list[str] | None = None,
    decode: Decode = no_text,
    spelling: Spelling = AS_THEY_ARE,
    progress: Callable[[int, int | None], None] | None = None,
) -> tuple[sp.csr_array, list[str]]:
    """Count the words of texts, read as ``spelling`` says; where ``split`` cuts them, it has read them.

    A column of texts (Polars) is what takes least time, where ``split`` does not cut them.
    """
    if isinstance(texts, pl.Series) and (texts.dtype != pl.String or texts.null_count()):
        texts = texts.to_list()
    total = len(texts) if isinstance(texts, Sized) else None
    n_threads = 1 if works_beside_others() else n_threads  # each thread has tables, which a few words are not worth
    if isinstance(texts, list | pl.Series):
        n_threads = min(n_threads, 1 + 16 * _length_at_most(texts, n_threads * CHUNK) // CHUNK)
    vocabularies = [Vocabulary(spelling.normal) for _ in range(n_threads)]
    counted: list[Counted] = []
    done, many = 0, getattr(split, "many", None)
    with Team(n_threads) as team:
        for batch in _batches(texts, split if many is None else None, decode):
            counted += _count_batch(batch, partial(in_a_form, spelling=spelling, many=many), vocabularies, team)
            done += len(batch)
            del batch  # before the next one is gathered
            if progress is not None:
                progress(done, total)
        columns, terms = _common_columns(vocabularies, known)
        vocabularies.clear()  # their memory is needed now
        if known is not None:
            counted = [_known_only(part, columns[part.owner]) for part in counted]
        counts = _assembled(counted, columns, len(terms), team)
        return (counts, terms) if split is None or known is not None else _as_written(counts, terms)


def _batches(texts: Iterable[Any], split: Split | None, decode: Decode) -> Iterator[list[str] | pl.Series]:
    """Gather texts up to a bounded size; where ``split`` cuts them, as their terms, one a line."""
    if split is None and (isinstance(texts, pl.Series) or (isinstance(texts, list) and set(map(type, texts)) == {str})):
        yield texts  # which is in memory, and of which only one chunk at a time is looked at
        return
    batch: list[str] = []
    size = 0
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            text = decode(text, number)
        if split is not None:
            text = as_text(split(text), f"document {number}")
        batch.append(text)
        size += len(text)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _length_at_most(texts: list[str] | pl.Series, most: int) -> int:
    """Return the characters of texts together, or some number beyond ``most``."""
    if isinstance(texts, pl.Series):
        return int(texts.str.len_bytes().sum())
    length = 0
    for text in texts:
        length += len(text) if isinstance(text, str) else 0
        if length > most:
            break
    return length


def _count_batch(
    batch: list[str] | pl.Series, encode: Encode, vocabularies: list[Vocabulary], team: Team
) -> list[Counted]:
    """Count the documents of a batch, a chunk at a time; each thread that has a chunk has a vocabulary."""
    cost = np.zeros(len(batch) + 1, np.int64)
    np.cumsum(_lengths(batch) + 1, out=cost[1:])
    size = int(cost[-1])
    bounds = equal_shares(cost, max(size // CHUNK, min(team.n_threads, 1 + 16 * size // CHUNK)))
    free, counted = deque(vocabularies), {}

    def count(chunk: int) -> None:
        found = encode(batch[int(bounds[chunk]) : int(bounds[chunk + 1])])
        words = free.pop()
        counted[chunk] = words.count(*found)
        free.append(words)

    team.run(count, len(bounds) - 1)
    return [counted[chunk] for chunk in range(len(bounds) - 1)]


def _lengths(batch: list[str] | pl.Series) -> NDArray[np.int64]:
    if isinstance(batch, pl.Series):
        return batch.str.len_bytes().to_numpy().astype(np.int64)
    return np.fromiter(map(len, batch), np.int64, len(batch))


def _common_columns(
    vocabularies: list[Vocabulary], known: list[str] | None
) -> tuple[dict[int, NDArray[np.int32]], list[str]]:
    """Return the column of every word of every vocabulary, −1 for none, and the terms by column."""
    if known is None:
        first, *others = vocabularies
        numbers = {id(first): np.arange(len(first), dtype=np.int32)}
        numbers |= {id(other): first.take(other) for other in others}
        rank, terms = first.ranked()
        return {key: rank[mapping] for key, mapping in numbers.items()}, terms
    first = Vocabulary()
    first.count(*encoded([lines_of(known, "the vocabulary")]))
    taken = {id(other): first.take(other) for other in vocabularies}
    return {key: np.where(mapping < len(known), mapping, -1) for key, mapping in taken.items()}, known


def _as_written(counts: sp.csr_array, terms: list[str]) -> tuple[sp.csr_array, list[str]]:
    """Return counts with terms that a line cannot hold (``odd_terms.py``) as they were, in the order of terms again."""
    written = terms_of(terms)
    if written is terms:
        return counts, terms
    order = sorted(range(len(written)), key=written.__getitem__)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    counts.indices = rank[counts.indices]
    counts.has_sorted_indices = False
    counts.sort_indices()
    return counts, [written[j] for j in order]


def _known_only(part: Counted, columns: NDArray[np.int32]) -> Counted:
    stays = columns[part.ids] >= 0
    before = np.concatenate([[0], np.cumsum(stays)])
    return Counted(part.owner, part.ids[stays], part.times[stays], before[part.ends])


def _assembled(counted: list[Counted], columns: dict[int, NDArray[np.int32]], n_terms: int, team: Team) -> sp.csr_array:
    """Give all words their columns, and sort each row by them."""
    starts = np.concatenate([[0], np.cumsum([len(part.ids) for part in counted])]).astype(np.int64)
    index = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
    ends = (part.ends + start for part, start in zip(counted, starts))
    indptr = np.concatenate([[0], *ends]).astype(index)
    indices, data = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int64)

    def place(c: int) -> None:
        part, here = counted[c], slice(starts[c], starts[c + 1])
        items, spare = (np.empty(len(part.ids), np.uint64) for _ in range(2))
        compiled("sort_rows")(
            part.ids, part.times, part.ends, columns[part.owner], items, spare,
            np.empty(len(items), np.int32), np.empty(1 << DIGIT, np.int64), np.empty_like(part.ends),
            indices[here], data[here],
        )  # fmt: skip
        counted[c] = _NOTHING  # its memory is needed now

    team.run(place, len(counted))
    counts = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_terms))
    counts.has_canonical_format = True
    return counts
