"""What a corpus' fingerprint is made of, column by column, also where a column comes in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

HASHED_AT_ONCE = 1 << 19  # bytes: few enough that the strings stay in the processor's cache


def string_lengths(column: pl.Series) -> NDArray[np.int64]:
    """Return the bytes of each string, −1 for none.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.reading.hashing import string_lengths
    >>> string_lengths(pl.Series(["été", None])).tolist()
    [5, -1]
    """
    return column.str.len_bytes().cast(pl.Int64).fill_null(-1).to_numpy()


def moments_of(dates: pl.Series) -> NDArray[np.int64]:
    """Return dates as numbers that a fingerprint is made of.

    Examples
    --------
    >>> import datetime, polars as pl
    >>> from quire.reading.hashing import moments_of
    >>> moments_of(pl.Series([datetime.date(1970, 1, 2)])).tolist()
    [86400000000]
    """
    moments = dates.cast(pl.Datetime("us")).to_physical().fill_null(-(2**63))
    return moments.to_numpy().astype("<i8", copy=False)


def hash_lengths(digest: Any, lengths: NDArray[np.int64]) -> None:
    """Hash the lengths of a column's strings, so that no two columns look alike; their bytes come after.

    Examples
    --------
    >>> import hashlib, numpy as np
    >>> from quire.reading.hashing import hash_lengths
    >>> hash_lengths(hashlib.sha256(), np.array([3, -1]))
    """
    digest.update(len(lengths).to_bytes(8, "little") + lengths.astype("<i8", copy=False).tobytes())


def hash_bytes(digest: Any, column: pl.Series) -> None:
    """Hash the bytes of strings, some at a time.

    Examples
    --------
    >>> import hashlib, polars as pl
    >>> from quire.reading.hashing import hash_bytes
    >>> hash_bytes(hashlib.sha256(), pl.Series(["one", None]))
    """
    batch = 1 + HASHED_AT_ONCE * len(column) // (1 + int(column.str.len_bytes().sum()))
    for start in range(0, len(column), batch):
        digest.update("".join(column.slice(start, batch).drop_nulls().to_list()).encode())


def hash_strings(digest: Any, column: pl.Series) -> None:
    """Hash a column of strings: their lengths, then their bytes.

    Examples
    --------
    >>> import hashlib, polars as pl
    >>> from quire.reading.hashing import hash_strings
    >>> hash_strings(hashlib.sha256(), pl.Series(["one", None]))
    """
    hash_lengths(digest, string_lengths(column))
    hash_bytes(digest, column)
