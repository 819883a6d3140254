"""What is in the topics of a factorization whose documents are in blocks: sums and leaders of all blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.blocks.matrix import KeptRows
from quire.blocks.place import Handle, Place
from quire.counts import Counts
from quire.describe import N_BORDERLINE, N_TYPICAL, found_columns
from quire.phrases import Phrases, may_have_phrases, phrases_among, sample_step, sampled_texts
from quire.stages import Update
from quire.sureness import counted_votes, partners
from quire.topics import Ranks, abstained, borderline_ranks, joined_ranks, typical_ranks


@dataclass(frozen=True)
class Described:
    """What was found out about documents in blocks.

    Attributes
    ----------
    columns : list of handles
        The columns that go beside each block of documents.
    topics : array of shape (n,)
        The topic of each document, −1 for none, or for none that is sure.
    typical, borderline : lists of lists of str
        The documents to read of each topic, by id.
    labels, dates : Series or None
        Known classes and dates, where there are any.
    n_bytes : int
        Of all texts; −1 where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.blocks.describe import Described
    >>> Described([], np.zeros(0, np.int32), [["a"]], [[]], None, None, 4).typical
    [['a']]
    """

    columns: list[Handle]
    topics: NDArray[np.int32]
    typical: list[list[str]]
    borderline: list[list[str]]
    labels: pl.Series | None
    dates: pl.Series | None
    n_bytes: int


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
    """Find out about each document, and which to read of each topic, in one sweep.

    Parameters
    ----------
    documents : handles
        Of the documents' tables, by block.
    W : KeptRows
        Their weights.
    labels, shares
        As from :func:`quire.blocks.assign.assign_kept`.
    runs : array of shape (m, n), optional
        The documents' topics in several runs.
    abstain : float, optional
        As for :func:`quire.describe.document_table`.
    update : callable, optional
        Is told how many blocks are done.

    Examples
    --------
    >>> import tempfile, numpy as np, polars as pl
    >>> from quire.blocks.describe import described_documents
    >>> from quire.blocks.disk import DiskPlace
    >>> from quire.blocks.matrix import KeptRows
    >>> with DiskPlace(tempfile.mkdtemp()) as place:
    ...     W = KeptRows.split(np.array([[2.0, 0.0], [0.0, 1.0]]), place, np.array([1, 1]))
    ...     tables = [place.put(pl.DataFrame({"id": [name], "text": ["moon"]})) for name in "ab"]
    ...     described_documents(tables, W, np.array([0, 1]), W).typical
    [['a'], ['b']]
    """
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
    """Find the phrases of texts in blocks: of the same sample that :func:`quire.phrases.find_phrases` takes.

    Parameters
    ----------
    documents : handles
        Of the documents' tables, by block.
    sizes : array of int
        Documents in each.
    place : Place
        Who keeps them.
    n_bytes : int
        Of all texts; below 0 where there are none.
    counts : Counts or None
        How their terms were counted.
    update : callable, optional
        Is told how many blocks are done.

    Examples
    --------
    >>> import tempfile, numpy as np, polars as pl
    >>> from quire import Counts
    >>> from quire.blocks.describe import phrases_in_blocks
    >>> from quire.blocks.disk import DiskPlace
    >>> texts = ["hong kong wins", "in Hong Kong now", "the Hong-Kong team", "we met, team by team"]
    >>> with DiskPlace(tempfile.mkdtemp()) as place:
    ...     tables = [place.put(pl.DataFrame({"text": part})) for part in (texts[:3], texts[3:])]
    ...     phrases_in_blocks(tables, np.array([3, 1]), place, 64, Counts().fit(texts)).words
    ['hong kong']
    """
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


def abstained_rows(labels: NDArray[Any], shares: Any, least: float | None) -> NDArray[Any]:
    """Return what :func:`quire.topics.abstained` does, also for shares in blocks.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from quire.blocks.describe import abstained_rows
    >>> from quire.blocks.disk import DiskPlace
    >>> from quire.blocks.matrix import KeptRows
    >>> with DiskPlace(tempfile.mkdtemp()) as place:
    ...     shares = KeptRows.split(np.array([[0.2, 0.8], [0.55, 0.45]]), place, np.array([1, 1]))
    ...     abstained_rows(np.array([1, 0]), shares, 0.6).tolist()
    [1, -1]
    """
    if least is None or not isinstance(shares, KeptRows):
        return abstained(labels, shares, least)
    rows = KeptRows.split(labels[:, None], shares.place, shares.sizes)
    return np.concatenate(shares.map(_sure, rows.handles, args=(least,))[1])


def _sure(shares: NDArray[Any], labels: NDArray[Any], least: float) -> tuple[None, list[NDArray[Any]]]:
    return None, [abstained(labels[:, 0], shares, least)]
