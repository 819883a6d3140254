"""Topics over time, for every calendar bin, with the words of each topic in each period."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import short
from quire.pages.encoding import digits
from quire.pages.explain import can_weigh, weighted
from quire.runs.run import Run
from quire.runs.tables import BINS, fitting_bin, over_time

MOST_BINS, N_WORDS = 400, 12


def sparks(run: Run) -> tuple[str, list[str], list[list[int]]] | None:
    """Return the bin that fits, its first days, and the documents of each topic in each; None if undated."""
    if not _has_dates(run):
        return None
    bin = fitting_bin(run.documents["date"])
    starts, counts = _counts(run, bin)
    return bin, [str(day) for day in starts], counts.tolist()


def time_of(run: Run) -> dict[str, Any] | None:
    """Return what the page shows of time; None where no document with a topic has a date."""
    if not _has_dates(run):
        return None
    dates, labels = run.documents["date"].cast(pl.Date), run.labels
    columns = _word_columns(run) if can_weigh(run) else [[] for _ in run.H]
    needed = np.unique(np.concatenate([np.asarray(row, np.int64) for row in columns]))
    X = weighted(run, columns=needed).astype(np.float64) if len(needed) else None
    bins = {}
    for bin in _bins(dates):
        starts, counts = _counts(run, bin)
        words: list[list[Any]] = [[] for _ in columns]
        if X is not None:
            period = dates.dt.truncate(BINS[bin][0]).replace_strict(starts, np.arange(len(starts)), default=-1)
            words = _words(run, X, needed, columns, period.to_numpy(), len(starts))
        bins[bin] = {"starts": [str(day) for day in starts], "counts": counts.tolist(), "words": words}
    undated = int(((labels >= 0) & dates.is_null().to_numpy()).sum())
    return {"bin": fitting_bin(dates), "undated": undated, "bins": bins}


def _has_dates(run: Run) -> bool:
    if "date" not in run.documents.columns:
        return False
    return bool((run.documents["date"].is_not_null() & (run.documents["topic"] >= 0)).any())


def _bins(dates: pl.Series) -> list[str]:
    """Return the bins that do not cut time into too many pieces, and the one that fits in any case."""
    days = (dates.max() - dates.min()).days  # type: ignore[operator,union-attr]
    fine = [bin for bin, (_, length) in BINS.items() if days / length + 2 <= MOST_BINS]
    return fine or [fitting_bin(dates)]


def _counts(run: Run, bin: str) -> tuple[list[Any], NDArray[np.int64]]:
    _, table = over_time(run.labels, run.documents["date"], len(run.H), bin)
    starts = table["start"].unique(maintain_order=True).to_list()
    return starts, table["documents"].to_numpy().reshape(len(run.H), len(starts))


def _word_columns(run: Run) -> list[list[int]]:
    """Return the terms of each topic: its keywords that are terms, then its heaviest."""
    column = {word: j for j, word in reversed(list(enumerate(run.words)))}
    telling = zip(run.topics["keywords"].to_list(), run.topics["heaviest"].to_list())
    columns = [[column[w] for w in dict.fromkeys([*first, *then]) if w in column] for first, then in telling]
    return [row[:N_WORDS] for row in columns]


def _words(
    run: Run,
    X: sp.csr_array,
    needed: NDArray[np.int64],
    columns: list[list[int]],
    period: NDArray[np.int64],
    n_bins: int,
) -> list[list[Any]]:
    """Return, topic by topic, its words with their weights, Σ x_ij over its documents of each period."""
    labels = run.labels
    own = np.flatnonzero((labels >= 0) & (period >= 0))
    group = labels[own] * n_bins + period[own]
    gather = sp.csr_array((np.ones(len(own)), (group, own)), (len(columns) * n_bins, len(labels)))
    sums = sp.csr_array(gather @ X)
    by_topic = []
    for t, row in enumerate(columns):
        weights = sums[t * n_bins : (t + 1) * n_bins][:, np.searchsorted(needed, row)].toarray().T
        order = np.argsort(-weights.sum(axis=1), kind="stable")
        shown = zip([short(run.words[row[j]]) for j in order], digits(weights[order], 3).tolist())
        by_topic.append([(word, [(b, w) for b, w in enumerate(line) if w]) for word, line in shown if any(line)])
    return by_topic
