"""Texts in parts → counts in parts: each part counts its own terms, and the vocabularies are added up.

A part tells its vocabulary; once it is known which of all terms stay, each part gives them their columns. The
same whoever keeps the parts, and whatever their number.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus import cut
from quire.corpus.corpus import Corpus
from quire.messages import Update
from quire.places.parts import Blocks
from quire.places.place import Handle
from quire.text.counts import Counts
from quire.text.trimming import Tally, columns_joined
from quire.text.vocabulary import CODEC
from quire.text.weight import Weight

VALUES = 1 << 23  # of a block of X: long documents make small parts, and a fit wants large ones
Counted = tuple[sp.csr_array, pl.Series]
"""What is kept of a part: its counts, and the terms by column, as bytes."""
Vocabulary = pl.DataFrame
"""``term`` (bytes), ``total``, ``df``: how often, and in how many documents."""


def fit_counts(
    counts: Counts, corpus: Corpus, update: Update = lambda done, total: None
) -> tuple[Blocks, NDArray[np.float64]]:
    """Learn the vocabulary of a corpus and count it: documents × terms, and how often each term occurs."""
    counts.begin()
    _learn_first(counts, corpus)
    place, n = corpus.place, len(corpus.parts)
    handles, vocabularies = place.sweep(
        counted_part, corpus.parts, args=(counts,), merge=merged,
        update=lambda done, total: update(done, 2 * n),
    )  # fmt: skip
    columns, totals = _kept_columns(counts, in_order(vocabularies), handles, corpus)
    args = (columns, len(totals), counts.binary)
    rows = place.sweep(placed, handles, args=args, update=lambda done, total: update(n + done, 2 * n))[0]
    return Blocks.of(place, rows), totals


def _learn_first(counts: Counts, corpus: Corpus) -> None:
    """Learn what must be known before terms can be counted."""
    if counts.tokens == "subword":
        counts.learn_pieces(_texts(corpus))
    if counts.words_first:
        vocabulary = in_order(corpus.place.sweep(words_of_part, corpus.parts, args=(counts,), merge=merged)[1])
        counts.learn_words(strings_of(vocabulary), tally_of(vocabulary, len(corpus)))


def _kept_columns(
    counts: Counts, vocabulary: pl.DataFrame, handles: list[Handle], corpus: Corpus
) -> tuple[pl.DataFrame, NDArray[np.float64]]:
    """Decide which terms stay; return the column of each that does, and how often each column occurs."""
    column, totals = np.arange(vocabulary.height), vocabulary["total"].to_numpy()

    def joined(columns: NDArray[Any], width: int) -> Tally:
        nonlocal column, totals
        column, kept = columns, columns >= 0
        totals = np.bincount(columns[kept], totals[kept], width).astype(np.int64)
        args = (_columns(vocabulary, columns), width, counts.binary)
        df = corpus.place.sweep(document_frequencies, handles, args=args)[1]
        totals = df if counts.binary else totals
        return Tally(len(corpus), lambda: totals, lambda: df)

    kept = counts.settle(strings_of(vocabulary), tally_of(vocabulary, len(corpus)), joined)
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    final = np.where(column >= 0, number[column], -1)
    return _columns(vocabulary, final), totals[kept].astype(np.float64)


def _columns(vocabulary: pl.DataFrame, column: NDArray[Any]) -> pl.DataFrame:
    numbered = vocabulary.select("term").with_columns(column=pl.Series(column, dtype=pl.Int32))
    return numbered.filter(pl.col("column") >= 0)


def _texts(corpus: Corpus) -> Iterator[str]:
    for handle in corpus.parts:
        yield from corpus.place.fetch(handle)["text"].to_list()


def counted_part(documents: pl.DataFrame, counts: Counts) -> tuple[Counted, list[Vocabulary]]:
    """Count all terms of a part's texts."""
    matrix, terms = counts.count(documents["text"].to_list())
    matrix = sp.csr_array((matrix.data.astype(np.int32), matrix.indices, matrix.indptr), matrix.shape)
    vocabulary = vocabulary_of(matrix, terms)
    return (matrix, vocabulary["term"]), [vocabulary]


def words_of_part(documents: pl.DataFrame, counts: Counts) -> tuple[None, list[Vocabulary]]:
    """Count the single words of a part, of which only the vocabulary is wanted."""
    return None, [vocabulary_of(*counts.count_words(documents["text"].to_list()))]


def vocabulary_of(matrix: sp.csr_array, terms: list[str]) -> Vocabulary:
    """Return the terms of counts, and how often each occurs."""
    totals = np.bincount(matrix.indices, matrix.data, len(terms)).astype(np.int64)
    df = np.bincount(matrix.indices, minlength=len(terms)).astype(np.int64)
    try:
        column = pl.Series(terms, dtype=pl.String).cast(pl.Binary)
    except UnicodeEncodeError:  # half of a surrogate pair, which a function for tokens may make
        column = pl.Series([term.encode("utf-8", CODEC) for term in terms], dtype=pl.Binary)
    return pl.DataFrame({"term": column, "total": totals, "df": df})


def merged(earlier: list[Vocabulary], later: list[Vocabulary]) -> list[Vocabulary]:
    """Join vocabularies; a large one waits until others have grown to its size, which is less work."""
    waiting = [*earlier, *later]
    while len(waiting) > 1 and waiting[-2].height <= 2 * waiting[-1].height:
        waiting[-2:] = [_added(waiting[-2], waiting[-1])]
    return waiting


def in_order(vocabularies: list[Vocabulary] | None) -> Vocabulary:
    """Return all vocabularies as one, sorted."""
    if not vocabularies:
        return vocabulary_of(sp.csr_array((0, 0), dtype=np.int32), [])
    return functools.reduce(_added, reversed(vocabularies)).sort("term")


def strings_of(vocabulary: Vocabulary) -> list[str]:
    """Return the terms as strings."""
    try:
        return vocabulary["term"].cast(pl.String).to_list()
    except pl.exceptions.PolarsError:
        return [str(term, "utf-8", CODEC) for term in vocabulary["term"].to_list()]


def tally_of(vocabulary: Vocabulary, n: int) -> Tally:
    """Return how often the terms occur in n documents."""
    return Tally(n, vocabulary["total"].to_numpy, vocabulary["df"].to_numpy)


def placed(part: Counted, columns: pl.DataFrame, width: int, binary: bool) -> tuple[sp.csr_array, None]:
    """Give a part's counts the columns that all parts share."""
    matrix, terms = part
    joined = terms.to_frame("term").join(columns, on="term", how="left", maintain_order="left")
    return columns_joined(matrix, joined["column"].fill_null(-1).to_numpy(), width, binary), None


def document_frequencies(part: Counted, columns: pl.DataFrame, width: int, binary: bool) -> tuple[None, NDArray[Any]]:
    """Return in how many documents of a part each column occurs."""
    return None, np.bincount(placed(part, columns, width, binary)[0].indices, minlength=width)


def _added(one: Vocabulary, other: Vocabulary) -> Vocabulary:
    return pl.concat([one, other]).group_by("term").agg(pl.col("total", "df").sum())


def fit_weight(weight: Weight, counts: Blocks) -> Blocks:
    """Learn a weighting from counts and return them weighed by it."""
    place = counts.place
    weight.check_parameters()
    weight.learn_columns(place.sweep(_column_sums, counts.handles, args=(weight,))[1], counts.shape[0])
    if weight.needs_degrees:
        weight.learn_degrees(place.sweep(_degrees, counts.handles, args=(weight,))[1])
    handles, rows = place.sweep(_weighed, counts.handles, args=(weight,))
    weight.row_scale_ = np.concatenate(rows)
    X = Blocks.of(place, handles).joined(cut.ROWS, VALUES)
    if counts.nnz and not X.nnz:
        raise ValueError(
            f"The weighting {weight.scheme!r} leaves nothing: every term occurs in every document; use a "
            "recipe that does not weigh by rarity, such as --recipe default."
        )
    return X


def _column_sums(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.column_sums(counts)


def _degrees(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.degrees(counts)


def _weighed(counts: sp.csr_array, weight: Weight) -> tuple[sp.csr_array, list[Any]]:
    X, rows = weight.weigh(counts)
    return X, [rows]
