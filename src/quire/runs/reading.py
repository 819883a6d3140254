"""Which documents of a topic to read: typical and borderline ones, of its usual length, none of them twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.assignment import best_two
from quire.runs.telling import Leading

N_TYPICAL, N_BORDERLINE = 10, 5
_CLOSE = 0.5  # the share of its topic's membership from which the other topic of a document is near
_FITS = 0.3  # the share of the usual length, or of its own, that a borderline document has
_LONGEST = 5000  # characters of a text that are kept, to look for a passage


class Guide(NamedTuple):
    """What the documents of each topic have in common."""

    telling: sp.csr_array  # topics × terms: how telling the leading terms are
    lengths: NDArray[np.float64]  # the median

    @classmethod
    def of(cls, leading: Sequence[Leading], labels: NDArray[Any], lengths: NDArray[Any], n_terms: int) -> Guide:
        """Return it for topics of these leading terms, out of which phrases are left."""
        topic = np.repeat(np.arange(len(leading)), [len(one.columns) for one in leading])
        columns, values = (np.concatenate([np.zeros(0), *(one[i] for one in leading)]) for i in (0, 2))
        words = columns < n_terms
        entries = values[words], (topic[words], columns[words].astype(np.intp))
        order = np.argsort(labels, kind="stable")  # once, rather than a look at all documents for each topic
        ends = np.searchsorted(labels[order], np.arange(len(leading) + 1))
        own = (lengths[order[first:end]] for first, end in pairwise(ends))
        medians = [float(np.median(one)) if len(one) else 0.0 for one in own]
        return cls(sp.csr_array(entries, shape=(len(leading), n_terms)), np.array(medians))


class ToRead(NamedTuple):
    """Typical and borderline documents: their topic, value, id and text, those that lead a topic first."""

    typical: pl.DataFrame
    borderline: pl.DataFrame

    def joined(self, others: ToRead) -> ToRead:
        """Return who leads among the documents of two groups, the first group's before others of equal value."""
        (first, second), (more, further) = self, others
        return ToRead(
            _leading(pl.concat([first, more]), N_TYPICAL), _leading(pl.concat([second, further]), N_BORDERLINE)
        )

    def of_each(self, k: int) -> tuple[list[list[str]], list[list[str]], list[list[str | None]]]:
        """Return the ids of each topic's typical documents, of its borderline ones, and the texts of the first."""
        typical, borderline = self
        return _lists(typical, "id", k), _lists(borderline, "id", k), _lists(typical, "text", k)


def documents_to_read(
    documents: pl.DataFrame, counts: sp.csr_array, labels: NDArray[Any], shares: NDArray[Any], guide: Guide
) -> ToRead:
    """Return the documents to read of each topic.

    Typical ones have a high membership, hold the topic's telling words (a cosine), and are about as long as
    its documents are; borderline ones are nearly as much about another topic, and as long.
    """
    known = np.flatnonzero(labels >= 0)
    topic = np.maximum(labels, 0)
    near = _telling_words(counts, topic, guide.telling) if guide.telling.nnz else np.ones(len(labels))
    cosine = near / np.sqrt(np.maximum(np.diff(counts.indptr), 1))
    length, usual = counts.sum(axis=1, dtype=np.float64), guide.lengths[topic]
    fit = np.minimum(length, usual) / np.maximum(np.maximum(length, usual), np.finfo(float).tiny)
    first, second, other = best_two(labels, shares)
    closeness = np.where(second >= 0, other / np.maximum(first, np.finfo(float).tiny), 0.0)
    text = pl.col("text") if "text" in documents.columns else pl.lit(None, pl.String).alias("text")
    table = documents.select("id", text)
    table = table.with_columns(topic=pl.Series(labels.astype(np.int32)), words=pl.Series(_word_sets(counts)))
    typical = table.with_columns(value=pl.Series(first * cosine * fit))[known]
    borderline = table.with_columns(
        value=pl.Series(np.where((closeness > _CLOSE) & (fit > _FITS), closeness * fit, 0.0))
    )[known]
    short = pl.col("text").str.slice(0, _LONGEST)
    return ToRead(_leading(typical, N_TYPICAL).with_columns(short), _leading(borderline, N_BORDERLINE).drop("text"))


def _telling_words(counts: sp.csr_array, topic: NDArray[Any], telling: sp.csr_array) -> NDArray[np.float64]:
    """Return how telling the words of each document are for its topic, in all."""
    order = np.argsort(topic, kind="stable")  # one topic after the other: only one's words are looked up at a time
    some = counts[order]
    ends = some.indptr[np.searchsorted(topic[order], np.arange(telling.shape[0] + 1))]
    value, weight = np.empty(some.nnz), np.zeros(telling.shape[1])
    for t in range(telling.shape[0]):
        own, part = slice(*telling.indptr[t : t + 2]), slice(*ends[t : t + 2])
        weight[telling.indices[own]] = telling.data[own]
        value[part] = weight[some.indices[part]]
        weight[telling.indices[own]] = 0
    near = np.empty(len(topic))
    near[order] = np.bincount(
        np.repeat(np.arange(len(topic)), np.diff(some.indptr)), value * (some.data > 0), len(topic)
    )
    return near


def _leading(table: pl.DataFrame, n: int) -> pl.DataFrame:
    """Return the rows of the largest values in each topic, the earlier of equal ones; of the same words one."""
    order = table.filter(pl.col("value") > 0).sort("value", descending=True, maintain_order=True)
    best = order.filter(pl.struct("topic", "words").is_first_distinct())
    return best.group_by("topic", maintain_order=True).head(n).sort("topic", maintain_order=True)


def _lists(table: pl.DataFrame, column: str, k: int) -> list[list[Any]]:
    lists: list[list[Any]] = [[] for _ in range(k)]
    for topic, value in table.select("topic", column).iter_rows():
        lists[topic].append(value)
    return lists


def column_hashes(n: int) -> NDArray[np.uint64]:
    """Return a number for each of n columns, with bits everywhere."""
    mixed = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return np.asarray((mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9))


def _word_sets(counts: sp.csr_array) -> NDArray[np.uint64]:
    """Return a number for each document that is the same where documents hold the same words."""
    mixed = column_hashes(counts.shape[1])
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed[counts.indices], dtype=np.uint64)])
    return np.asarray(sums[counts.indptr[1:]] - sums[counts.indptr[:-1]])
