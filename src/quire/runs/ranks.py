"""The order in which the documents of a topic are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


def typicality_ranks(run: Any) -> NDArray[np.int64]:
    """Return the place of each document in its topic: the run's typical ones first, then by membership, then by row.

    Documents without a topic are ranked among themselves.
    """
    labels = run.labels
    typical = run.topics.select("typical").explode("typical").drop_nulls().with_row_index("place")
    place = run.documents.select(typical="id").join(typical, on="typical", how="left", maintain_order="left")["place"]
    named = place.cast(pl.Float64).fill_null(len(typical)).to_numpy()
    behind = np.where(named < len(typical), named - len(typical) - 1, -run.documents["membership"].to_numpy())
    small = (
        labels.astype(np.int16) if len(run.H) < 1 << 15 else labels
    )  # of which the sort takes a fraction of the time
    order = np.lexsort((behind, small))
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels + 1, minlength=len(run.H) + 1))])
    rank = np.empty(len(labels), np.int64)
    rank[order] = np.arange(len(labels)) - starts[labels[order] + 1]
    return rank
