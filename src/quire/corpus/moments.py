"""Dates and moments that a calendar has: a file may hold any number in their place, and Polars breaks off at some."""

from __future__ import annotations

from datetime import date

import polars as pl

_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = date(1, 1, 2).toordinal() - _EPOCH, date(9999, 12, 30).toordinal() - _EPOCH  # in any time zone
_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_LARGEST = 2**63 - 1


def possible(column: pl.Series) -> pl.Series:
    """Return dates or moments with null for those outside the years 1 to 9999; any other column as it is."""
    there = _are_possible(column)
    return column if there is None else pl.select(pl.when(there).then(column).alias(column.name)).to_series()


def all_possible(column: pl.Series) -> bool:
    """Say whether no date or moment of a column is outside the years 1 to 9999."""
    return _are_possible(column) is None


def _are_possible(column: pl.Series) -> pl.Series | None:
    """Say which dates and moments a calendar has; None where it has all of them."""
    dtype = column.dtype
    if dtype != pl.Date and not isinstance(dtype, pl.Datetime):
        return None
    unit = _A_DAY[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 1
    numbers = column.to_physical().cast(pl.Int64)
    there = numbers.is_between(max(_FIRST * unit, -_LARGEST), min(_LAST * unit, _LARGEST))
    return None if there.all() else there  # nulls do not count
