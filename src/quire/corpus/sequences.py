"""Ids, labels and dates that are passed beside the documents, one value for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from quire.corpus.dates import read_dates
from quire.corpus.decision import check_ids
from quire.corpus.formats.frames import is_pandas, pandas_column
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.strings import as_strings, blank_to_null, listed, strings
from quire.places.place import Handle, Place


def attached(
    parts: list[Handle], sizes: list[int], notes: Notes, request: Request, place: Place
) -> tuple[list[Handle], Notes]:
    """Put the sequences that were passed beside the documents in the place of what was read."""
    n, columns = sum(sizes), list[pl.Series]()
    if request.ids is not None:
        ids = blank_to_null(as_strings(_sequence(request.ids, "ids", n)))
        check_ids(ids, "The sequence of ids")
        columns.append(ids.alias("id"))
    if request.labels is not None:
        labels = as_strings(_sequence(request.labels, "labels", n))
        columns.append(blank_to_null(labels).alias("label"))
    if request.dates is not None:
        dates = read_dates(_sequence(request.dates, "dates", n))
        if dates.unparsed and dates.values.count() == 0:
            raise ValueError("None of the dates could be read: write dates as YYYY-MM-DD.")
        columns.append(dates.values.alias("date"))
        notes = notes.with_(unparsed_dates=dates.unparsed)
        notes = notes if dates.remark is None else notes.remark(dates.remark)
    beside, roles = pl.DataFrame(columns), {column.name for column in columns}
    pieces = [place.put(beside.slice(end - size, size)) for end, size in zip(np.cumsum(sizes), sizes)]
    return place.sweep(_with_columns, parts, pieces)[0], notes.with_(
        columns={role: column for role, column in notes.columns.items() if role not in roles},
        guessed=tuple(role for role in notes.guessed if role not in roles),
    )


def _sequence(values: Any, role: str, n: int) -> pl.Series:
    """Return labels, dates or ids as a column, checking that there is one a document."""
    if is_pandas(values) and hasattr(values, "isna"):
        column = pandas_column(values, role)
    elif isinstance(values, pl.Series):
        column = values
    elif isinstance(values, np.ndarray) and values.dtype.kind == "M":
        column = pl.Series(role, values.astype("datetime64[us]"))
    else:
        column = strings(role, listed(values, f"The {role}"))[0]
    if len(column) != n:
        raise ValueError(f"There are {len(column):,} {role} for {n:,} documents: pass one for each.")
    return column


def _with_columns(documents: pl.DataFrame, beside: pl.DataFrame) -> tuple[pl.DataFrame, None]:
    both = documents.with_columns(beside)
    roles = [role for role in ("id", "text", "label", "date", "title") if role in both]
    return both.select(*roles, pl.exclude(roles)), None
