"""Topics over time: documents counted in calendar bins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

# From fine to coarse: the name, what Polars truncates to, and the days it lasts.
BINS = {"day": ("1d", 1), "week": ("1w", 7), "month": ("1mo", 30.4), "quarter": ("1q", 91.3),
        "year": ("1y", 365.2), "decade": ("10y", 3652.4)}  # fmt: skip
_MOST_BINS = 40


def fitting_bin(dates: pl.Series) -> str:
    """Return the finest calendar bin that cuts the time covered into at most 40 bins."""
    known = dates.drop_nulls().cast(pl.Date)
    if not len(known):
        return "day"
    days = (known.max() - known.min()).days  # type: ignore[operator,union-attr]
    return next((name for name, (_, length) in BINS.items() if days / length <= _MOST_BINS), "decade")


class Binned(NamedTuple):
    """Documents with a topic and a date in calendar bins; those in which nothing happened are kept, too."""

    starts: pl.Series  # the first day of each bin
    place: NDArray[np.int64]  # of each document, −1 for none
    counts: NDArray[np.int64]  # topics × bins


def binned(labels: NDArray[Any], dates: pl.Series, n_topics: int, bin: str) -> Binned:
    """Count the documents of every topic in every bin, from the first one to the last one that holds any."""
    if bin not in BINS:
        raise ValueError(f"bin={bin!r} is no calendar bin: use {', '.join(BINS)}.")
    day = dates.cast(pl.Date).to_physical()  # since 1970
    known = np.flatnonzero((np.asarray(labels) >= 0) & day.is_not_null().to_numpy())
    days, topic = day.gather(known).to_numpy().astype(np.int64), np.asarray(labels, np.int64)[known]
    place = np.full(len(day), -1, np.int64)
    if not len(known):
        return Binned(pl.Series([], dtype=pl.Date), place, np.zeros((n_topics, 0), np.int64))
    # Days are few, documents are many: it is days that are put into bins.
    every_day = pl.select(pl.int_range(days.min(), days.max() + 1, dtype=pl.Int32)).to_series().cast(pl.Date)
    begins = every_day.dt.truncate(BINS[bin][0])
    place[known] = begins.rle_id().to_numpy().astype(np.int64)[days - days.min()]
    starts = begins.unique(maintain_order=True)
    counts = np.bincount(topic * len(starts) + place[known], minlength=n_topics * len(starts))
    return Binned(starts, place, counts.reshape(n_topics, len(starts)))


def over_time(
    labels: NDArray[Any], dates: pl.Series, n_topics: int, bin: str | None = None
) -> tuple[str, pl.DataFrame]:
    """Count the documents of every topic in every bin, and their share of the bin's documents.

    Documents without a date or without a topic are left out; bins in which nothing happened are kept, so that
    time is shown as it passed.
    """
    bin = fitting_bin(dates) if bin is None else bin
    starts, _, counts = binned(labels, dates, n_topics, bin)
    total = counts.sum(axis=0)
    columns = {
        "topic": pl.Series(np.repeat(np.arange(n_topics), len(starts)), dtype=pl.Int64),
        "start": pl.concat([starts] * n_topics) if n_topics else starts,
        "documents": pl.Series(counts.ravel(), dtype=pl.Int64),
        "share": pl.Series(np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0).ravel()),
    }
    return bin, pl.DataFrame(columns)
