"""Documents that are copies of an earlier one, or nearly so: told, and kept like all others.

Of each document a part tells a hash of its text and a sketch of its words: of the words that fall into each of 32
bins, the least hash (MinHash with one permutation; Li, Owen and Zhang 2012). Documents that agree in four bins side by
side are compared. Nothing depends on the parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.kernels.compiled import compiled
from quire.corpus.corpus import Corpus
from quire.messages import counted
from quire.places.machine import allowed_threads, in_order
from quire.runs.reading import column_hashes
from quire.runs.terms import Terms

COLUMN = "copy_of"
_BINS, _BAND = 32, 4
_NOTHING = 0xFFFF  # of a bin into which no word falls
_ALIKE = 0.9  # the share of bins in which copies agree, and of the words of the longer one that the shorter has
_WORDS = 20  # different words of a text of which it can be told


class Copies(NamedTuple):
    """Which documents are copies, the ids of the first ones, and how many are so only nearly."""

    rows: NDArray[np.intp]
    ids: pl.Series
    n_near: int

    def column(self, start: int, size: int) -> pl.Series:
        """Return the column of some documents that follow each other: the id of the first one, null for no copy."""
        a, b = np.searchsorted(self.rows, [start, start + size])
        column = pl.repeat(None, size, dtype=pl.String, eager=True).alias(COLUMN)
        return column.scatter(self.rows[a:b] - start, self.ids[int(a) : int(b)]) if b > a else column

    def sentences(self) -> list[str]:
        """Say how many documents are nearly copies; of exact ones the notes know."""
        if not self.n_near:
            return []
        are = "is nearly a copy" if self.n_near == 1 else "are nearly copies"
        return [f"{counted(self.n_near, 'document')} {are} of an earlier one, which the column {COLUMN} names."]


def copies_in(corpus: Corpus, terms: Terms) -> Copies | None:
    """Find the documents of a corpus that are copies; None where there are none, or no texts."""
    if corpus.matrix is not None:
        return None
    told = corpus.place.sweep(_told, corpus.parts, terms.matrix.handles)[1]
    hashes, sizes, sketches = (np.concatenate(arrays) for arrays in told)
    first = _first_equal(hashes)
    exact = first < np.arange(len(first))
    near = _first_alike(sketches, np.where(exact, 0, sizes))
    of = _resolved(np.where(exact, first, near))
    rows = np.flatnonzero(of < np.arange(len(of)))
    if not len(rows):
        return None
    return Copies(rows, _ids(corpus, of[rows]), len(rows) - int(exact.sum()))


def _told(documents: pl.DataFrame, counts: sp.csr_array) -> tuple[None, tuple[list[NDArray[Any]], ...]]:
    """Tell of each document a hash of its text (0: it is blank), how many different words it has, and its sketch."""
    text = documents["text"]
    hashes = text.hash().to_numpy() | np.uint64(1)
    written = text.str.contains(r"\S").to_numpy()
    return None, ([np.where(written, hashes, np.uint64(0))], [np.diff(counts.indptr)], [sketches_of(counts)])


def sketches_of(counts: sp.csr_array) -> NDArray[np.uint16]:
    """Return the least hash of the words that fall into each bin, a row per document."""
    least = np.full((counts.shape[0], _BINS), _NOTHING, np.uint16)
    run = compiled("sketch", index=counts.indices.dtype)
    run(counts.indptr.astype(np.int64), counts.indices, column_hashes(counts.shape[1]), least, 0, len(least))
    return least


def _first_equal(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the first document with the text of each; a blank text is a copy of none."""
    first, (one, other) = np.arange(len(hashes)), _shared(hashes)
    first[other] = one
    return np.where(hashes == 0, np.arange(len(hashes)), first)


def _shared(keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return, for each of the places whose key is that of others too, the first place of it, and the place."""
    places = np.flatnonzero(pl.Series(keys).is_duplicated().to_numpy())  # most are not, and need not be sorted
    _, first, inverse = np.unique(keys[places], return_index=True, return_inverse=True)
    return places[first[inverse]], places


def _first_alike(sketches: NDArray[np.uint16], sizes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first document that each is nearly a copy of; itself where there is none."""
    long, of = np.flatnonzero(sizes >= _WORDS), np.arange(len(sketches))

    def alike(band: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        one, other = (long[places] for places in _shared(band[long]))
        asked = (one < other) & (np.minimum(sizes[one], sizes[other]) >= _ALIKE * np.maximum(sizes[one], sizes[other]))
        one, other = one[asked], other[asked]
        same = _agree(sketches[one], sketches[other])
        return one[same], other[same]

    bands = ((band,) for band in sketches.view(np.uint64).T)
    for one, other in in_order(alike, bands, min(allowed_threads(None), _BINS // _BAND)):
        of[other] = np.minimum(of[other], one)
    return of


def _agree(one: NDArray[np.uint16], other: NDArray[np.uint16]) -> NDArray[np.bool_]:
    filled = (one != _NOTHING) | (other != _NOTHING)
    alike, there = (np.count_nonzero(marks, axis=1) for marks in ((one == other) & filled, filled))
    return np.asarray(alike >= _ALIKE * there)


def _resolved(of: NDArray[np.intp]) -> NDArray[np.intp]:
    """Let copies of copies be copies of the first one."""
    while (of[of] != of).any():
        of = of[of]
    return of


def _ids(corpus: Corpus, rows: NDArray[np.intp]) -> pl.Series:
    """Return the ids of documents, by their numbers."""
    wanted, inverse = np.unique(rows, return_inverse=True)
    ends = np.cumsum(corpus.sizes)
    own = [wanted[(wanted >= end - size) & (wanted < end)] - (end - size) for end, size in zip(ends, corpus.sizes)]
    handles = [corpus.place.put(one) for one in own]
    ids: pl.Series = pl.concat(corpus.place.sweep(_taken_ids, corpus.parts, handles)[1])
    return ids.gather(inverse)


def _taken_ids(documents: pl.DataFrame, rows: NDArray[np.intp]) -> tuple[None, list[pl.Series]]:
    return None, [documents["id"].gather(rows)]
