"""What is in the topics of a factorization whose documents are in blocks: sums and leaders of all blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import Update
from quire.methods.ensemble.votes import counted_votes, partners
from quire.places.parts import KeptRows
from quire.places.place import Handle, Place
from quire.runs.describe import N_BORDERLINE, N_TYPICAL, found_columns
from quire.runs.topics import Ranks, borderline_ranks, joined_ranks, typical_ranks
from quire.text.counts import Counts
from quire.text.phrases import Phrases, may_have_phrases, phrases_among, sample_step, sampled_texts


@dataclass(frozen=True)
class Described:
    """What was found out about documents in blocks."""

    columns: list[Handle]  # the columns that go beside each block of documents
    topics: NDArray[np.int32]  # the topic of each document, −1 for none, or for none that is sure
    typical: list[list[str]]  # the documents to read of each topic, by id
    borderline: list[list[str]]  # the documents to read of each topic, by id
    labels: pl.Series | None  # known classes and dates, where there are any
    dates: pl.Series | None  # known classes and dates, where there are any
    n_bytes: int  # of all texts; −1 where there are none


class _Told(NamedTuple):
    """Of some blocks: documents that lead, by id; small columns, a Series a block; bytes of text."""

    typical: Ranks
    borderline: Ranks
    columns: dict[str, list[pl.Series]]
    n_bytes: int


def described_documents(
    documents: Sequence[Handle],
    W: KeptRows,
    labels: NDArray[Any],
    shares: KeptRows,
    runs: NDArray[Any] | None = None,
    abstain: float | None = None,
    update: Update | None = None,
) -> Described:
    """Find out about each document, and which to read of each topic, in one sweep."""
    stands = None if runs is None else partners(runs, labels, W.shape[1])
    ends = np.cumsum(W.sizes)
    rows = [
        W.place.put(_beside(labels[end - size : end], None if runs is None else runs[:, end - size : end]))
        for end, size in zip(ends, W.sizes)
    ]
    lists = documents, W.handles, shares.handles, rows
    columns, told = W.place.sweep(_describe, *lists, args=(stands, abstain), merge=_joined, update=update)
    small = {name: pl.concat(parts) for name, parts in told.columns.items()}
    typical, borderline = ([list(names) for names, _ in ranks] for ranks in (told.typical, told.borderline))
    found = small.get("label"), small.get("date"), told.n_bytes
    return Described(columns, small["topic"].to_numpy(), typical, borderline, *found)


def _beside(labels: NDArray[Any], runs: NDArray[Any] | None) -> NDArray[np.int32]:
    """Put the documents' topics and those in all runs into one array, a row per document."""
    return np.column_stack([labels] if runs is None else [labels, runs.T]).astype(np.int32)


def _describe(
    frame: pl.DataFrame,
    W: NDArray[Any],
    shares: NDArray[Any],
    rows: NDArray[np.int32],
    stands: list[NDArray[np.intp]] | None,
    abstain: float | None,
) -> tuple[pl.DataFrame, _Told]:
    """Find out about the documents of one block."""
    labels, runs = rows[:, 0].astype(np.intp), rows[:, 1:].T
    said = None if stands is None else counted_votes(runs, stands, W.shape[1])
    found = found_columns(labels, shares, said, len(runs), abstain)
    topics = found["topic"].to_numpy()
    weights = W if abstain is None else np.where(topics[:, None] < 0, 0, W)
    small = [found["topic"], *(frame[name] for name in ("label", "date") if name in frame.columns)]
    return found, _Told(
        _named(typical_ranks(weights, shares, N_TYPICAL), frame["id"]),
        _named(borderline_ranks(topics, shares, N_BORDERLINE), frame["id"]),
        {column.name: [column] for column in small},
        int(frame["text"].str.len_bytes().sum()) if "text" in frame.columns else -1,
    )


def _named(ranks: Ranks, ids: pl.Series) -> Ranks:
    return [(ids.gather(rows).to_numpy(), values) for rows, values in ranks]


def _joined(first: _Told, second: _Told) -> _Told:
    return _Told(
        joined_ranks(first.typical, second.typical, N_TYPICAL),
        joined_ranks(first.borderline, second.borderline, N_BORDERLINE),
        {name: parts + second.columns[name] for name, parts in first.columns.items()},
        first.n_bytes + second.n_bytes,
    )


def phrases_in_blocks(
    documents: Sequence[Handle],
    sizes: NDArray[np.int64],
    place: Place,
    n_bytes: int,
    counts: Counts | None,
    update: Update | None = None,
) -> Phrases:
    """Find the phrases of texts in blocks: of the sample that ``find_phrases`` takes."""
    if n_bytes < 0 or not may_have_phrases(counts):
        return Phrases.none()
    n = int(sizes.sum())
    step = sample_step(n, n_bytes)
    starts = np.cumsum(sizes) - sizes
    first = [place.put(np.array([-start % step])) for start in starts]
    sample = place.sweep(_sampled, documents, first, args=(step,), update=update)[1]
    return phrases_among(sample, np.arange(0, n, step), counts)


def _sampled(frame: pl.DataFrame, first: NDArray[np.int64], step: int) -> tuple[None, list[str]]:
    return None, sampled_texts(frame["text"], step, int(first[0]))
