"""The terms of blocks: each block counts its own, and their vocabularies are added up."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.counts import Counts
from quire.tokenise import count_texts
from quire.trim import Tally, columns_joined
from quire.vocabulary import CODEC

Counted = tuple[sp.csr_array, pl.Series]
"""What is kept of a block: its counts, and the terms by column, as bytes."""
Vocabulary = pl.DataFrame
"""``term`` (bytes), ``total``, ``df``: how often, and in how many documents."""


def counted_block(documents: pl.DataFrame, counts: Counts) -> tuple[Counted, list[Vocabulary]]:
    """Count all terms of a block's texts.

    Parameters
    ----------
    documents : polars.DataFrame
        With the column ``text``.
    counts : Counts
        Says what a term is.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.blocks.count_terms import counted_block
    >>> from quire.counts import Counts
    >>> counts = Counts()
    >>> counts.begin()
    >>> counted_block(pl.DataFrame({"text": ["a moon", "the moon moon"]}), counts)[1][0].rows()
    [(b'moon', 3, 2), (b'the', 1, 1)]
    """
    matrix, terms = counts.count(documents["text"].to_list())
    matrix = sp.csr_array((matrix.data.astype(np.int32), matrix.indices, matrix.indptr), matrix.shape)
    vocabulary = vocabulary_of(matrix, terms)
    return (matrix, vocabulary["term"]), [vocabulary]


def words_of_block(documents: pl.DataFrame, n_jobs: int) -> tuple[None, list[Vocabulary]]:
    """Count the single words of a block, of which only the vocabulary is wanted.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.blocks.count_terms import words_of_block
    >>> words_of_block(pl.DataFrame({"text": ["a moon"]}), 1)[1][0]["term"].to_list()
    [b'moon']
    """
    return None, [vocabulary_of(*count_texts(documents["text"].to_list(), n_jobs))]


def vocabulary_of(matrix: sp.csr_array, terms: list[str]) -> Vocabulary:
    """Return the terms of counts, and how often each occurs.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from quire.blocks.count_terms import vocabulary_of
    >>> vocabulary_of(sp.csr_array([[2], [1]]), ["moon"]).rows()
    [(b'moon', 3, 2)]
    """
    totals = np.bincount(matrix.indices, matrix.data, len(terms)).astype(np.int64)
    df = np.bincount(matrix.indices, minlength=len(terms)).astype(np.int64)
    column = pl.Series([term.encode("utf-8", CODEC) for term in terms], dtype=pl.Binary)
    return pl.DataFrame({"term": column, "total": totals, "df": df})


def merged(earlier: list[Vocabulary], later: list[Vocabulary]) -> list[Vocabulary]:
    """Join vocabularies; a large one waits until others have grown to its size, as that is less work in all.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.blocks.count_terms import merged
    >>> one = pl.DataFrame({"term": [b"moon"], "total": [2], "df": [1]})
    >>> merged([one], [one])[0].rows()
    [(b'moon', 4, 2)]
    """
    waiting = [*earlier, *later]
    while len(waiting) > 1 and waiting[-2].height <= 2 * waiting[-1].height:
        waiting[-2:] = [_added(waiting[-2], waiting[-1])]
    return waiting


def in_order(told: list[Vocabulary] | None) -> Vocabulary:
    """Return all vocabularies as one, sorted.

    Examples
    --------
    >>> from quire.blocks.count_terms import in_order
    >>> in_order(None).height
    0
    """
    if not told:
        return vocabulary_of(sp.csr_array((0, 0), dtype=np.int32), [])
    return functools.reduce(_added, reversed(told)).sort("term")


def strings_of(vocabulary: Vocabulary) -> list[str]:
    """Return the terms as strings.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.blocks.count_terms import strings_of
    >>> strings_of(pl.DataFrame({"term": [b"moon"]}))
    ['moon']
    """
    return [str(term, "utf-8", CODEC) for term in vocabulary["term"].to_list()]


def tally_of(vocabulary: Vocabulary, n: int) -> Tally:
    """Return how often the terms occur in n documents.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.blocks.count_terms import tally_of
    >>> tally_of(pl.DataFrame({"term": [b"moon"], "total": [4], "df": [2]}), 3).df().tolist()
    [2]
    """
    return Tally(n, vocabulary["total"].to_numpy, vocabulary["df"].to_numpy)


def placed(block: Counted, columns: pl.DataFrame, width: int) -> tuple[sp.csr_array, None]:
    """Give a block's counts the columns that all blocks share.

    Parameters
    ----------
    block : Counted
        As :func:`counted_block` keeps it.
    columns : polars.DataFrame
        ``term`` and ``column`` of the terms that have one.
    width : int
        How many columns there are.

    Examples
    --------
    >>> import polars as pl, scipy.sparse as sp
    >>> from quire.blocks.count_terms import placed
    >>> block = sp.csr_array([[1, 2]]), pl.Series("term", [b"moon", b"the"])
    >>> placed(block, pl.DataFrame({"term": [b"the"], "column": [1]}), 3)[0].toarray().tolist()
    [[0, 2, 0]]
    """
    matrix, terms = block
    found = terms.to_frame("term").join(columns, on="term", how="left", maintain_order="left")
    return columns_joined(matrix, found["column"].fill_null(-1).to_numpy(), width), None


def seen_in(block: Counted, columns: pl.DataFrame, width: int) -> tuple[None, NDArray[Any]]:
    """Return in how many documents of a block each column occurs.

    Examples
    --------
    >>> import polars as pl, scipy.sparse as sp
    >>> from quire.blocks.count_terms import seen_in
    >>> block = sp.csr_array([[1, 2]]), pl.Series("term", [b"moon", b"moons"])
    >>> seen_in(block, pl.DataFrame({"term": [b"moon", b"moons"], "column": [0, 0]}), 1)[1].tolist()
    [1]
    """
    return None, np.bincount(placed(block, columns, width)[0].indices, minlength=width)


def _added(one: Vocabulary, other: Vocabulary) -> Vocabulary:
    return pl.concat([one, other]).group_by("term").agg(pl.col("total", "df").sum())
