"""How documents are cut into blocks: by their number and the bytes of their texts, by nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.strings import as_strings

ROWS = 32_768  # documents of a block at most
BYTES = 16 << 20  # of their texts; a longer text is a block of its own


def cuts(lengths: NDArray[np.int64]) -> list[int]:
    """Return where blocks begin, from the bytes of each text, and the number of all texts."""
    reached = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    starts = [0]
    while starts[-1] < len(lengths):
        at = starts[-1]
        fits = int(np.searchsorted(reached, reached[at] + BYTES, "right")) - 1
        starts.append(max(at + 1, min(fits, at + ROWS, len(lengths))))
    return starts


def text_lengths(texts: pl.Series) -> NDArray[np.int64]:
    """Return the bytes of each text."""
    return as_strings(texts).str.len_bytes().fill_null(0).cast(pl.Int64).to_numpy()


def cut_frames(frames: Iterable[pl.DataFrame], text: str) -> Iterator[pl.DataFrame]:
    """Put frames together and cut them into blocks; the frames' own sizes do not matter."""
    waiting: list[pl.DataFrame] = []
    rows = size = 0
    for frame in frames:
        waiting.append(frame)
        rows, size = rows + frame.height, size + int(text_lengths(frame[text]).sum())
        if rows <= ROWS and size <= BYTES:
            continue
        *blocks, rest = _cut(pl.concat(waiting), text)
        yield from blocks
        waiting, rows, size = [rest], rest.height, int(text_lengths(rest[text]).sum())
    if rows:
        yield from _cut(pl.concat(waiting), text)


def cut_documents(documents: pl.DataFrame) -> Iterable[pl.DataFrame]:
    """Cut documents that are in memory."""
    if "text" in documents.columns:
        return cut_frames([documents], "text")
    return (documents.slice(start, ROWS) for start in range(0, documents.height, ROWS))


def _cut(frame: pl.DataFrame, text: str) -> list[pl.DataFrame]:
    starts = cuts(text_lengths(frame[text]))
    return [frame.slice(start, stop - start) for start, stop in pairwise(starts)]
