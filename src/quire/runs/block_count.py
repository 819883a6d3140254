"""Documents in parts → counts in blocks, with the vocabulary that all of them together have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import Update
from quire.places.parts import Blocks
from quire.places.place import Handle
from quire.places.threads import allowed_threads
from quire.runs.options import Options
from quire.runs.prepare import refuse_text_options
from quire.runs.recipe import Recipe
from quire.text.count_tasks import (
    counted_block,
    in_order,
    merged,
    placed,
    seen_in,
    strings_of,
    tally_of,
    words_of_block,
)
from quire.text.counts import Counts
from quire.text.trimming import Tally


@dataclass(frozen=True, eq=False)
class PartedTerms:
    """The counts of a corpus in blocks, and what they are counts of: as :class:`quire.runs.prepare.Terms`."""

    counts: Blocks  # documents × terms
    words: list[str]  # the terms by column, to be read
    totals: NDArray[np.float64] = field(repr=False)  # how often each occurs
    transformer: Counts | None  # counts new documents alike; None for a matrix


def counted_parts(
    parted: Corpus,
    chosen: Recipe,
    options: Options,
    tokens: Callable[[str], list[str]] | None = None,
    update: Update = lambda done, total: None,
) -> PartedTerms:
    """Count the terms of documents in parts, as ``counted_terms`` counts those of a corpus.

    Each block counts all its terms and tells its vocabulary; once it is known which of all terms stay, each
    block gives them their columns.
    """
    if parted.matrix is not None:
        refuse_text_options(options)
        words = parted.vocabulary or [f"#{j}" for j in range(parted.matrix.shape[1])]
        return PartedTerms(parted.matrix, words, parted.matrix.sum(axis=0), None)
    counts = chosen.make_counts(options.threads)
    if tokens is not None:
        counts.tokens = tokens
    counts.begin()
    _learn_first(counts, parted)
    place, n = parted.place, len(parted.parts)
    handles, told = place.sweep(
        counted_block, parted.parts, args=(counts,), merge=merged,
        update=lambda done, total: update(done, 2 * n),
    )  # fmt: skip
    columns, totals = _settled(counts, in_order(told), handles, parted)
    args = (columns, len(totals))
    rows = place.sweep(placed, handles, args=args, update=lambda done, total: update(n + done, 2 * n))[0]
    return PartedTerms(Blocks.of(place, rows), counts.shown_, totals, counts)


def _learn_first(counts: Counts, parted: Corpus) -> None:
    """Learn what must be known before terms can be counted."""
    if counts.tokens == "subword":
        counts.learn_pieces(_texts(parted))
    if counts.words_first:
        args = (allowed_threads(counts.n_jobs),)
        told = parted.place.sweep(words_of_block, parted.parts, args=args, merge=merged)[1]
        vocabulary = in_order(told)
        counts.learn_words(strings_of(vocabulary), tally_of(vocabulary, len(parted)))


def _settled(
    counts: Counts, vocabulary: pl.DataFrame, handles: list[Handle], parted: Corpus
) -> tuple[pl.DataFrame, NDArray[np.float64]]:
    """Decide which terms stay; return the column of each that does, and how often each column occurs."""
    column, totals = np.arange(vocabulary.height), vocabulary["total"].to_numpy()

    def joined(columns: NDArray[Any], width: int) -> Tally:
        nonlocal column, totals
        column, kept = columns, columns >= 0
        totals = np.bincount(columns[kept], totals[kept], width).astype(np.int64)
        args = (_columns(vocabulary, columns), width)
        df = parted.place.sweep(seen_in, handles, args=args)[1]
        return Tally(len(parted), lambda: totals, lambda: df)

    kept = counts.settle(strings_of(vocabulary), tally_of(vocabulary, len(parted)), joined)
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    final = np.where(column >= 0, number[column], -1)
    return _columns(vocabulary, final), totals[kept].astype(np.float64)


def _columns(vocabulary: pl.DataFrame, column: NDArray[Any]) -> pl.DataFrame:
    found = vocabulary.select("term").with_columns(column=pl.Series(column, dtype=pl.Int32))
    return found.filter(pl.col("column") >= 0)


def _texts(parted: Corpus) -> Iterator[str]:
    for handle in parted.parts:
        yield from parted.place.fetch(handle)["text"].to_list()
