"""Some rows of a table: what they tell of its columns, and the documents that they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.cut import row_numbers
from quire.corpus.dates import ORDERS, Slashed, read_dates
from quire.corpus.others import PREFIX, WORDS, as_kind, kept_names, kind_of, plain
from quire.corpus.roles import Roles
from quire.corpus.strings import are_whole, as_strings, blank_to_null

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class DateCounts:
    """Dates that were read and not read, and whether any has a time of day, under one way to read them."""

    read: int = 0
    unparsed: int = 0
    has_time: bool = False

    def __add__(self, other: DateCounts) -> DateCounts:
        has_time = self.has_time or other.has_time
        return DateCounts(self.read + other.read, self.unparsed + other.unparsed, has_time)


@dataclass(frozen=True)
class Facts:
    """What some rows tell: all that is decided by whole columns follows from these."""

    rows: int
    whole: dict[str, bool] = field(default_factory=dict)
    """Of each role whose column is one of floats, whether they are whole numbers."""
    ids: Hashes | None = None
    no_id: int | None = None
    """The first row without an id, counted in the whole table."""
    labels: Hashes | None = None
    """Of the labels that are there, each once; only where a label was guessed."""
    dates: dict[tuple[bool, str], DateCounts] = field(default_factory=dict)
    """By whether numbers are whole, and by the order of day and month."""
    slashed: Slashed = field(default_factory=Slashed)
    some_date: tuple[int, str] | None = None
    """The first row where something stands, and what, where no date could be read."""
    kinds: dict[str, int] = field(default_factory=dict)
    """Of other columns whose strings may be numbers, what they are."""
    weight: float = 0.0
    """Of all rows together, where weights were named."""
    no_weight: tuple[int, str] | None = None
    """The first row whose weight is none, and what stands there."""


@dataclass(frozen=True)
class Decision:
    """How rows become documents, once all of them were looked at."""

    roles: Roles
    whole: dict[str, bool] = field(default_factory=dict)
    order: str | None = None
    has_time: bool = False
    kinds: dict[str, int] = field(default_factory=dict)


def columns_by_role(frame: pl.DataFrame, roles: Roles, first: int) -> tuple[pl.DataFrame, Facts]:
    """Return the columns that play a role, under its name, then the others, and what they tell.

    What depends on the whole column (how floats are written, which of day and month comes first) is left.
    """
    rows, facts, whole = list[pl.Series](), dict[str, Any](), dict[str, bool]()
    for role, column in roles.columns.items():
        values = frame[column].alias(role)
        if role == "embeddings":
            rows.append(values)
            continue
        if role == "weight":
            values, weights = _look_at_weights(values, first)
            rows.append(values)
            facts |= weights
            continue
        if values.dtype.is_float():
            whole[role] = are_whole(values)
        if role == "date":
            values, dates = _look_at_dates(values, first)
            facts |= dates
        elif not values.dtype.is_float():
            values = _as_role(values)
        if role == "id":
            ids = values if values.dtype == pl.String else blank_to_null(as_strings(values, whole=False))
            facts["ids"] = ids.hash().to_numpy()
            facts["no_id"] = first + int(ids.is_null().arg_max() or 0) if ids.null_count() else None
        if role == "label" and role in roles.guessed:
            labels = blank_to_null(as_strings(values, whole=False))
            facts["labels"] = labels.drop_nulls().unique().hash().to_numpy()
        rows.append(values)
    rows += [frame[name].alias(PREFIX + name) for name in roles.others]
    kinds = {name: kind_of(frame[name]) for name, may_be_numbers in roles.others.items() if may_be_numbers}
    return pl.DataFrame(rows), Facts(frame.height, whole, kinds=kinds, **facts)


def documents_of(rows: pl.DataFrame, first: int, decision: Decision) -> pl.DataFrame:
    """Return the documents of rows whose columns are named by their roles, in the order of a corpus."""
    columns = decision.roles.columns

    def strings(role: str) -> pl.Series:
        values = rows[role]
        return _as_role(values, decision.whole[role]) if values.dtype.is_float() else values

    key = next((role for role in ("id", "group") if role in columns), None)
    documents = [row_numbers(rows.height, first) if key is None else strings(key).alias("id")]
    documents += [strings(role) for role in ("text", "label") if role in columns]
    if "date" in columns:
        raw = rows["date"]
        values = as_strings(raw, decision.whole["date"]) if raw.dtype.is_float() else raw
        dates = read_dates(values, decision.order).values
        documents.append(dates.cast(pl.Datetime("us")) if decision.has_time else dates)
    documents += [strings(role) for role in ("title", "url") if role in columns]
    documents += [rows[role] for role in ("weight",) if role in columns]
    names = kept_names(name for name in decision.roles.others if name not in columns.values())
    for name, kept in names.items():
        documents.append(as_kind(plain(rows[PREFIX + name]), decision.kinds.get(name, WORDS)).alias(kept))
    if "embeddings" in columns:
        documents.append(rows["embeddings"])
    return pl.DataFrame(documents)


def telling_roles(roles: Roles, schema: pl.Schema) -> Roles:
    """Return the roles whose columns must be looked at before documents can be made."""
    needed = {"id", "date", "weight"} | (roles.guessed & {"label"})
    columns = {r: c for r, c in roles.columns.items() if r in needed or schema[c].is_float()}
    others = {name: True for name, may_be_numbers in roles.others.items() if may_be_numbers}
    return Roles(columns, roles.guessed, others)


def _as_role(values: pl.Series, whole: bool | None = None) -> pl.Series:
    """Return strings as a role has them: a text is never null; a blank id, label or group is none."""
    values, role = as_strings(values, whole), values.name
    if role == "text":
        return values.fill_null("")
    return values if role == "title" else blank_to_null(values)


def _look_at_weights(column: pl.Series, first: int) -> tuple[pl.Series, dict[str, Any]]:
    """Read weights, which are numbers of at least 0 in every row; tell the first that is none."""
    read = column if column.dtype.is_numeric() else as_strings(column).str.strip_chars()
    weights = read.cast(pl.Float64, strict=False)
    bad = ~(weights.is_finite() & (weights >= 0)).fill_null(False)
    row = int(bad.arg_max() or 0)
    none = (first + row, as_strings(column)[row] or "") if bad.any() else None
    return weights, {"no_weight": none, "weight": float(weights.fill_nan(None).sum() or 0)}


def _look_at_dates(column: pl.Series, first: int) -> tuple[pl.Series, dict[str, Any]]:
    """Read dates in every way that the whole column may ask for; return them, if there is but one way."""
    floats, dates = column.dtype.is_float(), dict[tuple[bool, str], DateCounts]()
    for whole in (False, True) if floats and are_whole(column) else (False,):
        values = as_strings(column, whole) if floats else column
        read = read_dates(values)
        for order in ORDERS:
            same = read.slashed.example is None or order == read.slashed.order
            other = read if same else read_dates(values, order)
            has_time = isinstance(other.values.dtype, pl.Datetime)
            dates[whole, order] = DateCounts(int(other.values.count()), other.unparsed, has_time)
    some = None
    if any(way.read == 0 for way in dates.values()):
        shown = blank_to_null(as_strings(column.to_physical() if column.dtype.is_temporal() else column))
        row = int(shown.is_not_null().arg_max() or 0)
        some = (first + row, shown[row]) if shown.count() else None
    one_way = not floats and read.slashed.example is None
    facts = {"dates": dates, "slashed": read.slashed, "some_date": some}
    return read.values.alias("date") if one_way else column, facts
