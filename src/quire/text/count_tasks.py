"""The terms of blocks: each block counts its own, and their vocabularies are added up."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.text.counts import Counts
from quire.text.tokens import count_texts
from quire.text.trimming import Tally, columns_joined
from quire.text.vocabulary import CODEC

Counted = tuple[sp.csr_array, pl.Series]
"""What is kept of a block: its counts, and the terms by column, as bytes."""
Vocabulary = pl.DataFrame
"""``term`` (bytes), ``total``, ``df``: how often, and in how many documents."""


def counted_block(documents: pl.DataFrame, counts: Counts) -> tuple[Counted, list[Vocabulary]]:
    """Count all terms of a block's texts."""
    matrix, terms = counts.count(documents["text"].to_list())
    matrix = sp.csr_array((matrix.data.astype(np.int32), matrix.indices, matrix.indptr), matrix.shape)
    vocabulary = vocabulary_of(matrix, terms)
    return (matrix, vocabulary["term"]), [vocabulary]


def words_of_block(documents: pl.DataFrame, n_jobs: int) -> tuple[None, list[Vocabulary]]:
    """Count the single words of a block, of which only the vocabulary is wanted."""
    return None, [vocabulary_of(*count_texts(documents["text"].to_list(), n_jobs))]


def vocabulary_of(matrix: sp.csr_array, terms: list[str]) -> Vocabulary:
    """Return the terms of counts, and how often each occurs."""
    totals = np.bincount(matrix.indices, matrix.data, len(terms)).astype(np.int64)
    df = np.bincount(matrix.indices, minlength=len(terms)).astype(np.int64)
    column = pl.Series([term.encode("utf-8", CODEC) for term in terms], dtype=pl.Binary)
    return pl.DataFrame({"term": column, "total": totals, "df": df})


def merged(earlier: list[Vocabulary], later: list[Vocabulary]) -> list[Vocabulary]:
    """Join vocabularies; a large one waits until others have grown to its size, which is less work."""
    waiting = [*earlier, *later]
    while len(waiting) > 1 and waiting[-2].height <= 2 * waiting[-1].height:
        waiting[-2:] = [_added(waiting[-2], waiting[-1])]
    return waiting


def in_order(told: list[Vocabulary] | None) -> Vocabulary:
    """Return all vocabularies as one, sorted."""
    if not told:
        return vocabulary_of(sp.csr_array((0, 0), dtype=np.int32), [])
    return functools.reduce(_added, reversed(told)).sort("term")


def strings_of(vocabulary: Vocabulary) -> list[str]:
    """Return the terms as strings."""
    return [str(term, "utf-8", CODEC) for term in vocabulary["term"].to_list()]


def tally_of(vocabulary: Vocabulary, n: int) -> Tally:
    """Return how often the terms occur in n documents."""
    return Tally(n, vocabulary["total"].to_numpy, vocabulary["df"].to_numpy)


def placed(block: Counted, columns: pl.DataFrame, width: int) -> tuple[sp.csr_array, None]:
    """Give a block's counts the columns that all blocks share."""
    matrix, terms = block
    found = terms.to_frame("term").join(columns, on="term", how="left", maintain_order="left")
    return columns_joined(matrix, found["column"].fill_null(-1).to_numpy(), width), None


def seen_in(block: Counted, columns: pl.DataFrame, width: int) -> tuple[None, NDArray[Any]]:
    """Return in how many documents of a block each column occurs."""
    return None, np.bincount(placed(block, columns, width)[0].indices, minlength=width)


def _added(one: Vocabulary, other: Vocabulary) -> Vocabulary:
    return pl.concat([one, other]).group_by("term").agg(pl.col("total", "df").sum())
