"""A table in parts: what each part tells of its columns, what that settles, and the documents of a part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.dates import ORDERS, Slashed, read_dates
from quire.corpus.slices import Part
from quire.corpus.strings import are_whole, as_strings, blank_to_null

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Seen:
    """Dates that were read and not read, and whether any has a time of day, under one way to read them."""

    read: int = 0
    unparsed: int = 0
    has_time: bool = False

    def __add__(self, other: Seen) -> Seen:
        return Seen(self.read + other.read, self.unparsed + other.unparsed, self.has_time or other.has_time)


@dataclass(frozen=True)
class Facts:
    """What a part tells of its columns: all that is decided by whole columns follows from these."""

    whole: dict[str, bool] = field(default_factory=dict)
    """Of each column of floats, whether they are whole numbers."""
    ids: Hashes | None = None
    no_id: int | None = None
    """The first row without an id."""
    labels: Hashes | None = None
    """Of the labels that are there, each once."""
    dates: dict[tuple[bool, str], Seen] = field(default_factory=dict)
    """By whether numbers are whole, and by the order of day and month."""
    slashed: Slashed = field(default_factory=Slashed)
    some_date: tuple[int, str] | None = None
    """The first row where something stands, and what."""


def facts_of(frame: pl.DataFrame, columns: dict[str, str], first: int) -> Facts:
    """Look at a part's columns."""
    found: dict[str, Any] = {}
    names = [name for name in dict.fromkeys(columns.values()) if name in frame.columns]
    found["whole"] = {name: are_whole(frame[name]) for name in names if frame[name].dtype.is_float()}
    if "id" in columns:
        ids = blank_to_null(as_strings(frame[columns["id"]], whole=False))
        found["ids"] = ids.hash().to_numpy()
        found["no_id"] = first + int(ids.is_null().arg_max() or 0) if ids.null_count() else None
    if "label" in columns:
        labels = blank_to_null(as_strings(frame[columns["label"]], whole=False))
        found["labels"] = labels.drop_nulls().unique().hash().to_numpy()
    if "date" in columns:
        found |= _date_facts(frame[columns["date"]], first)
    return Facts(**found)


def telling(columns: dict[str, str], schema: pl.Schema | dict[str, Any]) -> list[str]:
    """Return the columns that a part must look at before its documents can be made."""
    asked = [column for role, column in columns.items() if role in ("id", "label", "date")]
    floats = [column for column in columns.values() if schema[column].is_float()]
    return list(dict.fromkeys(asked + floats))


def _date_facts(column: pl.Series, first: int) -> dict[str, Any]:
    """Read a part's dates in every way that the whole column may ask for."""
    floats = column.dtype.is_float()
    slashed, dates = Slashed(), {}
    for whole in (False, True):
        if whole and floats and not are_whole(column):
            continue
        values = as_strings(column, whole) if floats else column
        read = read_dates(values)
        slashed = read.slashed
        for order in ORDERS:
            seen = read if slashed.example is None or order == slashed.order else read_dates(values, order)
            has_time = isinstance(seen.values.dtype, pl.Datetime)
            dates[whole, order] = Seen(int(seen.values.count()), seen.unparsed, has_time)
        if not floats:
            dates |= {(True, order): dates[False, order] for order in ORDERS}
            break
    there = blank_to_null(as_strings(column)).is_not_null()
    row = int(there.arg_max() or 0)
    some = (first + row, str(column[row])) if there.any() else None
    return {"dates": dates, "slashed": slashed, "some_date": some}


@dataclass(frozen=True)
class Settled:
    """How rows become documents, once all parts were looked at."""

    columns: dict[str, str]
    whole: dict[str, bool] = field(default_factory=dict)
    order: str | None = None
    has_time: bool = False


def documents_from(part: Part, settled: Settled) -> pl.DataFrame:
    """Return the documents of a part, as ``documents_of`` makes those of a table."""
    columns = settled.columns
    frame = part.opened(list(dict.fromkeys(columns.values())))

    def strings(role: str) -> pl.Series:
        return as_strings(frame[columns[role]], settled.whole.get(columns[role])).alias(role)

    numbers = pl.int_range(part.first + 1, part.first + part.rows + 1, eager=True).cast(pl.String)
    key = next((role for role in ("id", "group") if role in columns), None)
    made = [(numbers if key is None else blank_to_null(strings(key))).alias("id")]
    made.append(strings("text").fill_null(""))
    if "label" in columns:
        made.append(blank_to_null(strings("label")))
    if "date" in columns:
        raw = frame[columns["date"]]
        values = read_dates(strings("date") if raw.dtype.is_float() else raw, settled.order).values
        made.append((values.cast(pl.Datetime("us")) if settled.has_time else values).alias("date"))
    if "title" in columns:
        made.append(strings("title"))
    return pl.DataFrame(made)
