"""The values of a column, few enough to compare: numbers in quantiles, time in calendar bins, rare ones together."""

from __future__ import annotations

import datetime
import re
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.dates import read_dates
from quire.messages import counted
from quire.runs.calendar import BINS, fitting_bin

QUANTILES = 5
FEW_NUMBERS, FEW_VALUES, MOST_VALUES = 10, 10, 40  # that are compared one by one; a table has no more values
OTHERS = "other values"
_SOME = 200  # values that are looked at before all of them are read as dates
_MOSTLY = 0.9  # of strings must be dates for the column to be one of time
_LETTERS = {"year": 4, "decade": 4, "month": 7}  # of the first day, by which a bin is called


class Binned(NamedTuple):
    """Which of few values each document has."""

    codes: NDArray[np.int64]  # −1: none
    names: list[str]  # of the values, in order
    kind: str  # values, numbers or time
    note: str | None = None


def binned(column: pl.Series, how: str | None = None) -> Binned:
    """Return the few values of a column; ``how``: a number of quantiles, or a calendar bin."""
    if column.dtype.is_temporal():
        return _times(column, how)
    if column.dtype.is_numeric():
        return _numbers(column, how)
    strings = column.cast(pl.String)
    distinct, there = strings.drop_nulls().n_unique(), strings.count()
    if distinct > FEW_VALUES and (how in BINS or distinct > there / 5) and _are_dates(strings.drop_nulls().head(_SOME)):
        dates = read_dates(strings).values
        if dates.count() >= _MOSTLY * there:
            return _times(dates, how)
    if how is not None:
        raise ValueError(f"Column {column.name!r} holds words, which are in no bins: leave :{how} out.")
    if distinct > FEW_VALUES and distinct > there / 5:
        raise ValueError(
            f"Column {column.name!r} has {distinct:,} values for {counted(there, 'document')}, too many to compare: "
            "name a column with fewer."
        )
    return _words(strings, distinct)


def _are_dates(strings: pl.Series) -> bool:
    return read_dates(strings).values.count() >= _MOSTLY * len(strings)


def _words(column: pl.Series, distinct: int) -> Binned:
    """Keep the most frequent values, in the order of their names; put the others together."""
    counts = column.drop_nulls().value_counts(name="n").sort(["n", column.name], descending=[True, False])
    kept = sorted(counts[column.name].head(MOST_VALUES).to_list(), key=_natural)
    codes = {name: code for code, name in enumerate(kept)}
    note = None
    if distinct > MOST_VALUES:
        note = f"{distinct - MOST_VALUES:,} rarer values are together."
    rest = len(kept) if note else -1
    known = column.replace_strict(list(codes), list(codes.values()), default=rest, return_dtype=pl.Int64)
    found = known.set(column.is_null(), -1).fill_null(-1).to_numpy()
    return Binned(found, [*kept, *([OTHERS] if note else [])], "values", note)


def _natural(name: str) -> list[tuple[int, float, str]]:
    """Sort 5–9 before 10–14."""
    pieces = re.findall(r"\d{1,15}|\D+|\d+", name)
    return [(0, float(piece), "") if piece.isdecimal() else (1, 0.0, piece.casefold()) for piece in pieces]


def _numbers(column: pl.Series, how: str | None) -> Binned:
    """Cut numbers at their quantiles, or take them one by one where they are few."""
    if how is not None and not (how.isdecimal() and 2 <= int(how) <= MOST_VALUES):
        raise ValueError(f"{column.name}:{how} is no number of bins: numbers take {column.name}:4 or so.")
    values = column.cast(pl.Float64).fill_nan(None)
    known = values.drop_nulls().to_numpy()
    distinct = np.unique(known)
    few = how is None and len(distinct) <= FEW_NUMBERS
    n = QUANTILES if how is None else int(how)
    # Edges are values that are there: equal values are never in two bins.
    edges = distinct if few else np.unique(np.quantile(known, np.arange(1, n + 1) / n, method="inverted_cdf"))
    codes = np.full(len(values), -1, np.int64)
    codes[values.is_not_null().to_numpy()] = np.searchsorted(edges, known)
    names = []
    for high, low in zip(edges, [-np.inf, *edges]):
        first = distinct[np.searchsorted(distinct, low, "right")]
        names.append(f"{_shown(first)}–{_shown(high)}" if first < high else _shown(high))
    return Binned(codes, names, "values" if few else "numbers")


def _shown(number: float) -> str:
    return f"{int(number)}" if float(number).is_integer() and abs(number) < 1e15 else f"{number:.6g}"


def _times(column: pl.Series, how: str | None) -> Binned:
    """Cut time into calendar bins: those that fit, as in the timeline, or what was asked for."""
    if how is not None and how not in BINS:
        raise ValueError(f"{column.name}:{how} is no calendar bin: use one of {', '.join(BINS)}.")
    dates = column.cast(pl.Date)
    bin = how or fitting_bin(dates)
    starts = dates.dt.truncate(BINS[bin][0])
    days = cast(Any, starts.drop_nulls().unique().sort())
    codes = starts.replace_strict(days, np.arange(len(days)), default=-1, return_dtype=pl.Int64).fill_null(-1)
    return Binned(codes.to_numpy(), [_named(day, bin) for day in days], "time", f"Time is cut by {bin}.")


def _named(day: datetime.date, bin: str) -> str:
    if bin == "quarter":
        return f"{day.year}-Q{(day.month + 2) // 3}"
    return day.isoformat()[: _LETTERS.get(bin, 10)] + "s" * (bin == "decade")
