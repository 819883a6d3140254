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

from quire.backends.kernels.compiled import load as load_kernels
from quire.corpus import cut
from quire.corpus.corpus import Corpus
from quire.messages import Update
from quire.places.parts import Blocks
from quire.places.place import Handle
from quire.text import repeated
from quire.text.counts import Counts
from quire.text.document_languages import Spoken, every_so_many, language_votes, only_used
from quire.text.tokens import KERNELS
from quire.text.trimming import Tally, columns_joined
from quire.text.vocabulary import as_bytes, as_strings
from quire.text.weight import Weight

VALUES = 1 << 23  # of a block of X: long documents make small parts, and a fit wants large ones
Counted = tuple[sp.csr_array, pl.Series]
"""What is kept of a part: its counts, and the terms by column, as bytes."""
_Told = tuple[pl.DataFrame, int]
Vocabulary = pl.DataFrame
"""``term`` (bytes), ``total``, ``df``: how often, and in how many documents."""


def fit_counts(
    counts: Counts, corpus: Corpus, update: Update = lambda done, total: None
) -> tuple[Blocks, NDArray[np.float64], NDArray[np.int8] | None]:
    """Learn the vocabulary of a corpus and count it.

    Returns documents × terms, how often each term occurs, and the language of each document where there are several.
    """
    counts.begin()
    load_kernels(*KERNELS)
    _learn_first(counts, corpus)
    place, n = corpus.place, len(corpus.parts)
    handles, vocabularies = place.sweep(
        counted_part, corpus.parts, args=(counts,), merge=merged,
        update=lambda done, total: update(done, 2 * n),
    )  # fmt: skip
    handles, vocabulary, spoken = _of_own_language(counts, in_order(vocabularies), handles, corpus)
    columns, totals = _kept_columns(counts, vocabulary, handles, corpus)
    args = (columns, len(totals), counts.binary)
    rows = place.sweep(placed, handles, args=args, update=lambda done, total: update(n + done, 2 * n))[0]
    return Blocks.of(place, rows), totals, spoken


def grow_counts(counts: Counts, corpus: Corpus) -> tuple[Counts, Blocks, NDArray[np.int8] | None]:
    """Count a corpus by what was learnt from a part of it; terms that are new get columns behind those known.

    Returns what counts so, documents × terms, and the language of each document where there are several.
    """
    place, spoken = corpus.place, None
    handles, vocabularies = place.sweep(counted_part, corpus.parts, args=(counts,), merge=merged)
    if counts.spoken_ is not None:
        handles, left = place.sweep(without_stops, handles, args=(counts.spoken_,), merge=_both_merged)
        vocabularies, spoken = left[0], np.concatenate(left[1])
    vocabulary = in_order(vocabularies)
    terms = strings_of(vocabulary)

    def joined(columns: NDArray[Any], width: int) -> Tally:
        args = (_columns(vocabulary, columns), width, counts.binary)
        kept, totals = columns >= 0, vocabulary["total"].to_numpy()
        df = place.sweep(document_frequencies, handles, args=args)[1]
        sums = df if counts.binary else np.bincount(columns[kept], totals[kept], width).astype(np.int64)
        return Tally(len(corpus), lambda: sums, lambda: df)

    grown = counts.grown(terms, tally_of(vocabulary, len(corpus)), joined)
    args = (_columns(vocabulary, grown._columns(terms)), len(grown.terms_), counts.binary)
    return grown, Blocks.of(place, place.sweep(placed, handles, args=args)[0]), spoken


def _learn_first(counts: Counts, corpus: Corpus) -> None:
    """Learn what must be known before terms can be counted."""
    if not counts.keep_repeated:
        counts.repeated_, counts.quoting_ = repeated_lines(corpus)
    if counts.tokens == "subword":
        counts.learn_pieces(counts.own(_texts(corpus)))
    if counts.words_first:
        vocabulary = in_order(corpus.place.sweep(words_of_part, corpus.parts, args=(counts,), merge=merged)[1])
        counts.learn_words(strings_of(vocabulary), tally_of(vocabulary, len(corpus)))


def _of_own_language(
    counts: Counts, vocabulary: Vocabulary, handles: list[Handle], corpus: Corpus
) -> tuple[list[Handle], Vocabulary, NDArray[np.int8] | None]:
    """Rid each document of the stop words of its language, where there are several: by one decision over all parts."""
    place, step = corpus.place, every_so_many(len(corpus))

    def votes() -> NDArray[np.int64]:
        first = [place.put(np.array([-start % step])) for start in np.cumsum(corpus.sizes) - corpus.sizes]
        return np.asarray(place.sweep(votes_of_part, handles, first, args=(step,))[1])

    spoken = counts.languages_of(votes)
    if spoken is None:
        return handles, vocabulary, None
    learnt = counts.learn_languages(spoken, place.sweep(_occurrences, handles, args=(spoken,))[1])
    handles, (left, languages) = place.sweep(without_stops, handles, args=(learnt,), merge=_both_merged)
    used = in_order(left)
    counts._stopped = vocabulary.height - used.height
    return handles, used, np.concatenate(languages)


def repeated_lines(corpus: Corpus) -> tuple[repeated.Repeated | None, int]:
    """Find the lines that come again in many documents of a corpus, or None; and say how many documents quote."""
    place, parts, n = corpus.place, corpus.parts, len(corpus)
    told, quoting = place.sweep(_told_of_lines, parts, merge=_told_together)[1] or (None, 0)
    full = repeated.full_buckets(told, n)
    if full is None:
        return None, quoting
    table = place.sweep(_counted_keys, parts, args=(full,), merge=repeated.added_keys)[1]
    found = repeated.Repeated.of(table, n)
    examples = (repeated.example_in(_several_lines(place.fetch(one)), found) for one in parts if found)
    return found and found.with_example(examples), quoting


def _told_of_lines(documents: pl.DataFrame) -> tuple[None, _Told | None]:
    texts = _several_lines(documents)
    return None, (repeated.told_buckets(texts), sum("\n>" in text for text in texts)) if texts else None


def _told_together(one: _Told, other: _Told) -> _Told:
    return repeated.added_buckets(one[0], other[0]), one[1] + other[1]


def _counted_keys(documents: pl.DataFrame, full: pl.Series) -> tuple[None, pl.DataFrame]:
    return None, repeated.counted_keys(_several_lines(documents), full)


def _several_lines(documents: pl.DataFrame) -> list[str]:
    """Return the texts of more than one line: where there are none, as among tweets, nothing else is done."""
    text = documents["text"]
    return text.filter(text.str.contains("\n", literal=True)).to_list()


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
    texts = documents["text"]
    matrix, terms = counts.count(texts if counts.repeated_ is None else texts.to_list())
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
    return pl.DataFrame({"term": as_bytes(terms), "total": totals, "df": df})


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
    return as_strings(vocabulary["term"])


def tally_of(vocabulary: Vocabulary, n: int) -> Tally:
    """Return how often the terms occur in n documents."""
    return Tally(n, vocabulary["total"].to_numpy, vocabulary["df"].to_numpy)


def votes_of_part(part: Counted, first: NDArray[np.int64], step: int) -> tuple[None, NDArray[np.int64]]:
    """Tell which languages some documents of a part are in: every so many, over all parts."""
    return None, language_votes(sp.csr_array(part[0][int(first[0]) :: step]), part[1])


def without_stops(part: Counted, spoken: Spoken) -> tuple[Counted, tuple[list[Vocabulary], list[NDArray[np.int8]]]]:
    """Rid the documents of a part of the stop words of their languages; tell what is left, and the languages."""
    terms = as_strings(part[1])
    matrix, languages = spoken.without_stops(part[0], terms)
    matrix, terms = only_used(matrix, terms)
    vocabulary = vocabulary_of(matrix, terms)
    return (matrix, vocabulary["term"]), ([vocabulary], [languages])


def _occurrences(part: Counted, spoken: Spoken) -> tuple[None, NDArray[np.int64]]:
    return None, spoken.occurrences(part[0], as_strings(part[1]))


def _both_merged(earlier: Any, later: Any) -> tuple[list[Vocabulary], list[NDArray[np.int8]]]:
    return merged(earlier[0], later[0]), earlier[1] + later[1]


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


def fit_weight(weight: Weight, counts: Blocks, apart: int | None = None) -> list[Blocks]:
    """Learn a weighting from counts and return them weighed by it: all, or the first parts apart from the rest."""
    place = counts.place
    weight.check_parameters()
    weight.learn_columns(place.sweep(_column_sums, counts.handles, args=(weight,))[1], counts.shape[0])
    if weight.needs_degrees:
        weight.learn_degrees(place.sweep(_degrees, counts.handles, args=(weight,))[1])
    handles, rows = place.sweep(_weighed, counts.handles, args=(weight,))
    weight.row_scale_ = np.concatenate(rows)
    some = [handles] if apart is None else [handles[:apart], handles[apart:]]
    Xs = [Blocks.of(place, one).joined(cut.ROWS, VALUES) for one in some]
    if counts.nnz and not any(X.nnz for X in Xs):
        raise ValueError(
            f"The weighting {weight.scheme!r} leaves nothing: every term occurs in every document; use a "
            "recipe that does not weigh by rarity, such as --recipe default."
        )
    return Xs


def _column_sums(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.column_sums(counts)


def _degrees(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.degrees(counts)


def _weighed(counts: sp.csr_array, weight: Weight) -> tuple[sp.csr_array, list[Any]]:
    X, rows = weight.weigh(counts)
    return X, [rows]
