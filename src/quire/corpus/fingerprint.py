"""What a corpus' fingerprint is made of, column by column, also where a column comes in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

HASHED_AT_ONCE = 1 << 19  # bytes: few enough that the strings stay in the processor's cache


def string_lengths(column: pl.Series) -> NDArray[np.int64]:
    """Return the bytes of each string, −1 for none."""
    return column.str.len_bytes().cast(pl.Int64).fill_null(-1).to_numpy()


def moments_of(dates: pl.Series) -> NDArray[np.int64]:
    """Return dates as numbers that a fingerprint is made of."""
    moments = dates.cast(pl.Datetime("us")).to_physical().fill_null(-(2**63))
    return moments.to_numpy().astype("<i8", copy=False)


def hash_lengths(digest: Any, lengths: NDArray[np.int64]) -> None:
    """Hash the lengths of a column's strings, so that no two columns look alike; their bytes come after."""
    digest.update(len(lengths).to_bytes(8, "little") + lengths.astype("<i8", copy=False).tobytes())


def hash_bytes(digest: Any, column: pl.Series) -> None:
    """Hash the bytes of strings, some at a time."""
    batch = 1 + HASHED_AT_ONCE * len(column) // (1 + int(column.str.len_bytes().sum()))
    for start in range(0, len(column), batch):
        digest.update("".join(column.slice(start, batch).drop_nulls().to_list()).encode())


def hash_strings(digest: Any, column: pl.Series) -> None:
    """Hash a column of strings: their lengths, then their bytes."""
    hash_lengths(digest, string_lengths(column))
    hash_bytes(digest, column)
