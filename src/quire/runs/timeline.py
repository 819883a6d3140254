"""Topics over time: how many documents of each topic fall into each calendar bin."""

from __future__ import annotations

from typing import Any

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


def over_time(
    labels: NDArray[Any], dates: pl.Series, n_topics: int, bin: str | None = None
) -> tuple[str, pl.DataFrame]:
    """Count the documents of every topic in every bin, and their share of the bin's documents.

    Documents without a date or without a topic are left out; bins in which nothing happened are kept, so that
    time is shown as it passed.
    """
    bin = fitting_bin(dates) if bin is None else bin
    if bin not in BINS:
        raise ValueError(f"bin={bin!r} is no calendar bin: use {', '.join(BINS)}.")
    every = BINS[bin][0]
    starts = pl.DataFrame({"start": dates.cast(pl.Date)}).select(pl.col("start").dt.truncate(every))["start"]
    frame = pl.DataFrame({"topic": np.asarray(labels, np.int64), "start": starts})
    frame = frame.filter(pl.col("start").is_not_null() & (pl.col("topic") >= 0))
    if not len(frame):
        empty = {"topic": pl.Int64, "start": pl.Date, "documents": pl.Int64, "share": pl.Float64}
        return bin, pl.DataFrame(schema=empty)
    first, last = frame["start"].min(), frame["start"].max()
    bins = pl.select(pl.date_range(first, last, every).alias("start"))  # type: ignore[arg-type]
    grid = pl.DataFrame({"topic": np.arange(n_topics)}).join(bins, how="cross")
    counted = frame.group_by("topic", "start").agg(pl.len().cast(pl.Int64).alias("documents"))
    table = grid.join(counted, on=["topic", "start"], how="left").with_columns(
        pl.col("documents").fill_null(0)
    )
    total = pl.col("documents").sum().over("start")
    share = pl.when(total > 0).then(pl.col("documents") / total).otherwise(0.0).alias("share")
    return bin, table.with_columns(share).sort("topic", "start")
