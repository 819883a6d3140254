"""How documents are cut into parts: by their number and the bytes of their texts, by nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.strings import as_strings
from quire.places.indices import check_indices
from quire.places.memory import row_view
from quire.places.parts import Blocks
from quire.places.place import Place

ROWS = 32_768  # documents of a part at most
BYTES = 16 << 20  # of their texts; a longer text is a part of its own


def cuts(lengths: NDArray[np.int64]) -> list[int]:
    """Return where parts begin, from the bytes of each text, and the number of all texts."""
    reached = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    starts = [0]
    while starts[-1] < len(lengths):
        at = starts[-1]
        fits = int(np.searchsorted(reached, reached[at] + BYTES, "right")) - 1
        starts.append(max(at + 1, min(fits, at + ROWS, len(lengths))))
    return starts


def text_lengths(texts: pl.Series) -> NDArray[np.int64]:
    """Return the bytes of each text."""
    return as_strings(texts, whole=False).str.len_bytes().fill_null(0).cast(pl.Int64).to_numpy()


def rows_at_once(sample: pl.Series) -> int:
    """Return how many rows make about a part, by the first of their texts."""
    lengths = text_lengths(sample)
    return max(1, min(ROWS, BYTES // (1 + int(lengths.sum()) // (1 + len(lengths)))))


def cut_frames(frames: Iterable[pl.DataFrame], text: str) -> Iterator[pl.DataFrame]:
    """Put frames together and cut them into parts; the frames' own sizes do not matter."""
    waiting: list[pl.DataFrame] = []
    rows = size = 0
    for frame in frames:
        waiting.append(frame)
        rows, size = rows + frame.height, size + int(text_lengths(frame[text]).sum())
        if rows <= ROWS and size <= BYTES:
            continue
        *parts, rest = _cut(pl.concat(waiting), text)
        yield from parts
        waiting, rows, size = [rest], rest.height, int(text_lengths(rest[text]).sum())
    if rows:
        yield from _cut(pl.concat(waiting), text)


def cut_documents(documents: pl.DataFrame) -> Iterable[pl.DataFrame]:
    """Cut documents that are in memory."""
    if "text" in documents.columns:
        return cut_frames([documents], "text")
    return (documents.slice(start, ROWS) for start in range(0, documents.height, ROWS))


def cut_matrix(matrix: sp.csr_array, place: Place) -> Blocks:
    """Cut a matrix as documents without texts are cut, and put its parts down."""
    check_indices(matrix, "Corpus")
    starts = range(0, max(matrix.shape[0], 1), ROWS)
    return Blocks.of(place, [place.put(row_view(matrix, start, start + ROWS)) for start in starts])


def row_numbers(n: int, first: int = 0) -> pl.Series:
    """Return the ids of documents that have none: "1", "2", …."""
    return pl.int_range(first + 1, first + n + 1, eager=True).cast(pl.String).alias("id")


def _cut(frame: pl.DataFrame, text: str) -> list[pl.DataFrame]:
    starts = cuts(text_lengths(frame[text]))
    return [frame.slice(start, stop - start) for start, stop in pairwise(starts)]
