"""Columns of any type, and lists of Python values, as columns of strings."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from quire.corpus.encodings import decode
from quire.corpus.moments import possible


def as_strings(column: pl.Series, whole: bool | None = None) -> pl.Series:
    """Return a column as strings, the way a person would write its values.

    Whole numbers stay whole (``1.0`` is ``"1"``), NaN is null, a date that no calendar has is null, lists of
    words are joined with spaces, and bytes are decoded.
    """
    dtype = column.dtype
    if dtype == pl.String:
        return column
    if dtype.is_float():
        column = column.fill_nan(None)
        whole = are_whole(column) if whole is None else whole
        return column.cast(pl.Int64 if whole else pl.Float64).cast(pl.String)
    if isinstance(dtype, pl.List | pl.Array):
        words = pl.List(pl.String)
        return column.cast(words, strict=False).list.join(" ", ignore_nulls=True)
    if isinstance(dtype, pl.Struct):
        return column.struct.json_encode()
    if dtype == pl.Binary:
        return strings(column.name, (raw if raw is None else decode(raw).text for raw in column))[0]
    if dtype == pl.Object:
        return strings(column.name, column.to_list())[0]
    if isinstance(dtype, pl.Duration):
        return column.dt.to_string("polars")
    return possible(column).cast(pl.String, strict=False)


def are_whole(column: pl.Series) -> bool:
    """Return whether all floats of a column that are there are whole numbers."""
    column = column.fill_nan(None)
    return bool((column.is_null() | ((column == column.floor()) & (column.abs() < 2**53))).all())


def listed(values: Iterable[Any], what: str) -> list[Any]:
    """Return what was passed for a list as one; SciPy would follow the indices of a matrix, at which nobody looked."""
    from scipy.sparse import issparse  # here: a run of texts needs none of it to begin

    if issparse(values):
        raise ValueError(f"{what} cannot be a sparse matrix: pass a list.")
    return list(values)


def strings(name: str, values: Iterable[Any]) -> tuple[pl.Series, int, int]:
    r"""Return Python values as strings, how many characters had to be replaced, and in how many values.

    A string may hold half of a surrogate pair, which UTF-8 cannot; it becomes U+FFFD.
    """
    plain = [_string(value) for value in values]
    try:
        return pl.Series(name, plain, dtype=pl.String), 0, 0
    except UnicodeEncodeError:
        pass
    replaced = documents = 0
    for i, value in enumerate(plain):
        if value is None or value.isascii():
            continue
        clean = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        lost = clean.count("\ufffd") - value.count("\ufffd")
        plain[i], replaced, documents = clean, replaced + lost, documents + (lost > 0)
    return pl.Series(name, plain, dtype=pl.String), replaced, documents


def joined_tokens(value: Any) -> Any:
    """Return a list of tokens as one text with spaces, as :func:`as_strings` has it; anything else as it is."""
    words = isinstance(value, np.ndarray) and value.dtype.kind in "OTU"  # pandas reads lists of Parquet so
    tokens = value.tolist() if words else value
    is_tokens = isinstance(tokens, list | tuple) and all(isinstance(token, str) for token in tokens)
    return " ".join(tokens) if is_tokens else value


def blank_to_null(column: pl.Series) -> pl.Series:
    """Return strings with null for those that are blank: no id, no label."""
    return column.set(column.str.strip_chars() == "", None)


def _string(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bytes):
        return decode(value).text
    if isinstance(value, np.ndarray):  # a vector in a column of pandas
        value = value.tolist()
    if isinstance(value, bool | dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
