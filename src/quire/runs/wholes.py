"""Whole documents of a run whose passages were gathered: what their passages say of them together."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.assignment import best_two
from quire.runs.write import FOUND

_OF_PASSAGES = {*FOUND, "id", "text", "document", "passage", "length", "question", "copy_of"}


def whole_documents(documents: pl.DataFrame, memberships: NDArray[Any], silent: NDArray[np.bool_]) -> pl.DataFrame:
    """Return a row per whole document; its memberships are the mean of its passages', weighted by their length.

    Passages that no topic fits count nothing; a document of such passages alone has topic −1.
    """
    if "document" not in documents.columns:
        raise ValueError("The documents of this run are whole: passages are made with --split.")
    row = documents["document"].rank("dense").to_numpy().astype(np.int64) - 1
    first = np.unique(row, return_index=True)[1]
    order = np.argsort(first, kind="stable")  # as they were read
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    row, first = place[row], first[order]
    length = np.where(silent, 0, np.maximum(documents["length"].to_numpy(), 1)).astype(np.float64)
    total = np.bincount(row, length, len(first))
    mean = sp.csr_array(
        (length / np.where(total > 0, total, 1)[row], (row, np.arange(len(row)))), (len(first), len(row))
    )
    shares = np.where(total[:, None] > 0, mean @ np.asarray(memberships, np.float64), 0)
    topic = np.where(total > 0, shares.argmax(axis=1), -1)
    share, second, second_share = best_two(topic, shares)
    own = [name for name in documents.columns if name not in _OF_PASSAGES]
    wholes: pl.DataFrame = documents.select(pl.col("document").alias("id"), *own)[first]
    return wholes.with_columns(
        passages=pl.Series(np.bincount(row)), length=pl.Series(np.bincount(row, documents["length"]).astype(np.int64)),
        topic=pl.Series(topic.astype(np.int32)), membership=pl.Series(share),
        runner_up=pl.Series(second.astype(np.int32)), runner_up_membership=pl.Series(second_share),
        memberships=pl.Series(shares.tolist(), dtype=pl.List(pl.Float64)),
    )  # fmt: skip
