"""Data frames of polars and pandas, and lists of texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from quire.corpus.columns import SAMPLE, Table, row_numbers
from quire.corpus.dates import Dates, read_dates
from quire.corpus.notes import Notes
from quire.corpus.strings import as_strings, strings


def is_pandas(thing: Any) -> bool:
    """Return whether an object is one of pandas', without importing pandas."""
    return type(thing).__module__.split(".")[0] == "pandas"


def opened_frame(frame: Any) -> Table:
    """Return a data frame of polars (eager or lazy) or pandas, of which only some columns will be needed."""
    if is_pandas(frame):

        def convert(part: Any) -> pl.DataFrame:
            return pl.DataFrame([pandas_column(part.iloc[:, i], str(n)) for i, n in enumerate(part.columns)])

        if len({str(name) for name in frame.columns}) < len(frame.columns):
            raise ValueError("The data frame has two columns of the same name: rename one of them.")
        place = {str(name): i for i, name in enumerate(frame.columns)}
        return Table(
            "The data frame",
            convert(frame.iloc[:SAMPLE]),
            lambda columns: convert(frame.iloc[:, [place[name] for name in columns]]),
        )
    lazy = frame.lazy()
    return Table(
        "The data frame",
        lazy.head(SAMPLE).collect(),
        lambda columns: lazy.select(columns).collect(),
        lambda columns, rows: iter(lazy.select(columns).collect_batches(chunk_size=rows)),
    )


def pandas_column(column: Any, name: str) -> pl.Series:
    """Return a pandas column as a polars one, by way of NumPy or a list, which need no pyarrow."""
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    if getattr(column.dtype, "kind", "O") == "M":
        return pl.Series(name, column.to_numpy(dtype="datetime64[us]"))
    missing = np.asarray(column.isna(), dtype=bool).tolist()
    values = [None if gone else value for value, gone in zip(column.tolist(), missing)]
    if getattr(column.dtype, "kind", "O") in "iufb":
        return pl.Series(name, values)
    return strings(name, values)[0]


def text_column(texts: Iterable[Any], notes: Notes) -> tuple[pl.DataFrame, Notes]:
    """Return a list of texts, or a column of them, as documents numbered from 1; None is an empty text."""
    notes = notes.with_(kind="texts")
    if isinstance(texts, pl.Series):
        column = as_strings(texts)
    elif is_pandas(texts):
        column = as_strings(pandas_column(texts, "text"))
    else:
        values = list(texts)
        for i, value in enumerate(values, 1):
            if not (value is None or isinstance(value, str) or value != value):  # NaN is not itself
                raise ValueError(f"Text {i:,} of the list is of type {type(value).__name__}: pass strings.")
        column, replaced, documents = strings("text", values)
        notes = notes.with_(replaced_characters=replaced, replaced_in=documents)
    if len(column) == 0:
        raise ValueError("There are no texts: the list is empty.")
    text = column.fill_null("").alias("text")
    return pl.DataFrame({"id": row_numbers(len(text)), "text": text}), notes


def sequence(values: Any, role: str, n: int) -> pl.Series:
    """Return labels, dates or ids that were passed as a sequence, checking that there is one a document."""
    if is_pandas(values) and hasattr(values, "isna"):
        column = pandas_column(values, role)
    elif isinstance(values, pl.Series):
        column = values
    elif isinstance(values, np.ndarray) and values.dtype.kind == "M":
        column = pl.Series(role, values.astype("datetime64[us]"))
    else:
        column = strings(role, list(values))[0]
    if len(column) != n:
        raise ValueError(f"There are {len(column):,} {role} for {n:,} documents: pass one for each.")
    return column


def sequence_of_dates(values: Any, n: int) -> Dates:
    """Return dates that were passed as a sequence."""
    dates = read_dates(sequence(values, "dates", n))
    if dates.unparsed and dates.values.count() == 0:
        raise ValueError("None of the dates could be read: write dates as YYYY-MM-DD.")
    return dates
