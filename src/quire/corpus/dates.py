"""Dates as people write them, read column by column."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from quire.corpus.moments import possible
from quire.corpus.strings import as_strings

CLOCKS = ["%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p"]
ZONED = ["%H:%M:%S%.f%#z", "%H:%M%#z", "%H:%M:%S%.f %#z"]
ISO_DAY, MONTH = r"^\d{4}-\d{1,2}-\d{1,2}", r"(?i)[a-z]{3}"
# The shape that a value must have, what is appended to it, and how it is then read: frequent ones first.
FORMATS = [
    *((ISO_DAY + "T", "", f"%Y-%m-%dT{clock}") for clock in [*CLOCKS[:2], *ZONED]),
    *((ISO_DAY + " ", "", f"%Y-%m-%d {clock}") for clock in [*CLOCKS[:2], *ZONED]),
    (ISO_DAY + "$", "", "%Y-%m-%d"),
    (r"^[12]\d{3}$", "-01-01", "%Y-%m-%d"),
    (r"^\d{4}-\d{1,2}$", "-01", "%Y-%m-%d"),
    (r"^\d{8}$", "", "%Y%m%d"),
    *((r"^\d{4}/", "", f"%Y/%m/%d {clock}") for clock in CLOCKS),
    (r"^\d{4}/", "", "%Y/%m/%d"),
    *((r"^\d{1,2}\.\d{1,2}\.\d{4} ", "", f"%d.%m.%Y {clock}") for clock in CLOCKS),
    (r"^\d{1,2}\.\d{1,2}\.\d{4}$", "", "%d.%m.%Y"),
    (MONTH, "", "%d %B %Y"),
    (MONTH, "", "%B %d, %Y"),
    (MONTH, "", "%d-%b-%Y"),
    (MONTH, "", "%d-%b-%Y %H:%M:%S%.f"),
    (MONTH, "", "%a %b %d %H:%M:%S %z %Y"),  # as Twitter writes it
]
SLASHED = r"^\d{1,2}[/-]\d{1,2}[/-]\d{4}"
EPOCH = r"^-?\d{9,19}(\.\d+)?$"
ORDERS = ("%m/%d/%Y", "%d/%m/%Y")


class Slashed(NamedTuple):
    """How many values such as 03/04/2020 are dates, month first and day first, and the first of them."""

    month_first: int = 0
    day_first: int = 0
    example: str | None = None

    def joined(self, later: Slashed) -> Slashed:
        """Return what is known of this part of a column and a later one together."""
        example = later.example if self.example is None else self.example
        return Slashed(self.month_first + later.month_first, self.day_first + later.day_first, example)

    @property
    def order(self) -> str:
        """The order under which more values are dates, month first where both fit."""
        return ORDERS[self.month_first < self.day_first]

    @property
    def remark(self) -> str | None:
        """A sentence where either order fits."""
        if self.example is None or self.month_first != self.day_first:
            return None
        return f"Dates such as {self.example} were read month first, as either order fits."


@dataclass(frozen=True)
class Dates:
    """A column of dates, how many could not be read, and a remark where a choice was made."""

    values: pl.Series
    unparsed: int
    remark: str | None = None
    slashed: Slashed = field(default=Slashed(), repr=False)


def read_dates(column: pl.Series, order: str | None = None) -> Dates:
    """Return a column as dates, or as moments in UTC without a zone where any value has a time of day."""
    # Read are ISO 8601 (an offset is applied), years, months (``1998-01``), ``20200131``, ``2020/01/31``,
    # ``31.01.2020``, ``01/31/2020``, ``31 January 2020``, RFC 2822, and seconds, milli-, micro- or
    # nanoseconds since 1970. A year or a month stands for its first day. Of ``03/04/2020`` the column
    # decides: the order under which more of its values are dates, month first where both fit.
    if column.dtype == pl.Date or isinstance(column.dtype, pl.Datetime):
        there = possible(column)
        unparsed = there.null_count() - column.null_count()
        return Dates(there if column.dtype == pl.Date else in_utc(there), unparsed)
    return _read_strings(as_strings(column).str.strip_chars(), order)


def in_utc(moments: pl.Series) -> pl.Series:
    """Return moments that a calendar has in UTC without a zone, in microseconds."""
    zone = getattr(moments.dtype, "time_zone", None)
    plain = moments if zone is None else moments.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return plain.cast(pl.Datetime("us"))


class _Reading:
    """Values still to be read, and the moments of those that were."""

    def __init__(self, column: pl.Series) -> None:
        self.moments = np.full(len(column), "NaT", "datetime64[us]")
        left = pl.DataFrame({"row": pl.arange(len(column), eager=True), "value": column})
        self.left = left.filter(pl.col("value") != "")
        self.has_time = False

    def accept(self, rows: pl.Series, moments: pl.Series, has_time: bool) -> None:
        """Keep what was read of the rows; dates before the year 1000 are misreadings such as 1.2.20."""
        good = moments.dt.year().is_between(1000, 9999).fill_null(False)
        rows, moments = rows.filter(good), moments.filter(good)
        if len(rows):
            self.moments[rows.to_numpy()] = moments.to_numpy()
            self.left = self.left.filter(~pl.col("row").is_in(rows.implode()))
            self.has_time |= has_time

    def shaped(self, shape: str) -> pl.DataFrame:
        return self.left.filter(pl.col("value").str.contains(shape))


def _read_strings(column: pl.Series, order: str | None) -> Dates:
    reading = _Reading(column)
    for shape, ending, pattern in FORMATS:
        if (fits := reading.shaped(shape)).height:
            reading.accept(fits["row"], _parsed(fits["value"] + ending, pattern), "%M" in pattern)
    slashed = _read_slashed(reading, order) if reading.left.height else Slashed()
    if reading.left.height:
        _read_epochs(reading)
    if reading.left.height:
        _read_mail_dates(reading)
    dates = pl.Series(column.name, reading.moments)
    dates = dates if reading.has_time else dates.cast(pl.Date)
    return Dates(dates, reading.left.height, slashed.remark, slashed)


def _parsed(values: pl.Series, pattern: str) -> pl.Series:
    moments = values.str.to_datetime(pattern, strict=False, time_unit="us")
    return moments.dt.replace_time_zone(None)


def _read_slashed(reading: _Reading, order: str | None) -> Slashed:
    """Read 01/31/2020 or 31/01/2020, whichever suits the column."""
    fits = reading.shaped(SLASHED)
    if not fits.height:
        return Slashed()
    values = fits["value"].str.replace_all("-", "/", literal=True)
    both: dict[str, list[tuple[pl.Series, bool]]] = {}
    for either in ORDERS:
        clocks = ["", *(f" {clock}" for clock in CLOCKS)]
        both[either] = [(_parsed(values, either + clock), bool(clock)) for clock in clocks]
    month_first, day_first = (sum(int(p.count()) for p, _ in parsed) for parsed in both.values())
    slashed = Slashed(month_first, day_first, fits["value"][0])
    for parsed, has_time in both[order or slashed.order]:
        reading.accept(fits["row"], parsed, has_time)
    return slashed


def _read_epochs(reading: _Reading) -> None:
    fits = reading.shaped(EPOCH)
    if not fits.height:
        return
    since = fits["value"].cast(pl.Float64).to_numpy()
    size = np.abs(since)
    unit = np.select([size < 1e11, size < 1e14, size < 1e17], [1e6, 1e3, 1.0], 1e-3)  # in microseconds
    moments = pl.Series((since * unit).astype(np.int64)).cast(pl.Datetime("us"))
    reading.accept(fits["row"], moments, True)


def _read_mail_dates(reading: _Reading) -> None:
    """Read RFC 2822, which has too many variants for a list of formats, value by value."""
    fits = reading.shaped(MONTH)
    known = {value: _mail_date(value) for value in fits["value"].unique()}
    moments = pl.Series([known[value] for value in fits["value"]], dtype=pl.Datetime("us"))
    reading.accept(fits["row"], moments, True)


def _mail_date(value: str) -> Any:
    try:
        moment = parsedate_to_datetime(value)
        return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
