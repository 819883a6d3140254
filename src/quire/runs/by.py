"""Topics by the values of a column: how many documents, how many were to be expected, and what stands out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.answers import names_in
from quire.corpus.corpus import Corpus
from quire.messages import counted, meant, were
from quire.runs.bins import Binned, binned
from quire.runs.independence import independent_share
from quire.runs.write import FOUND

FALSE_DISCOVERIES = 0.05  # of what is said to stand out, at most so much is chance
_RARE = 5  # documents expected, below which counts are not normal (Cochran's rule)
_SIDES = {1: "more", -1: "less", 0: None}
_NO_VALUES = frozenset({*FOUND, "text", "id", "weight", "passage", "length"})


@dataclass(frozen=True)
class ByColumn:
    """Topics × values of one column."""

    column: str
    kind: str  # values, numbers (in bins) or time (in bins)
    values: list[str]  # in order
    table: pl.DataFrame  # as Run.by returns it
    notes: list[str]
    asked: str  # the column and its bins, as in age:4

    def matrix(self, name: str) -> NDArray[Any]:
        """Return a column of the table as topics × values."""
        return self.table[name].to_numpy().reshape(-1, len(self.values))

    def outstanding(self) -> pl.DataFrame:
        """Return what stands out, the farthest from what was to be expected first."""
        return self.table.drop_nulls("stands_out").sort(pl.col("residual").abs(), descending=True, maintain_order=True)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, ready for JSON."""
        rows = self.table.to_dicts()
        return {"column": self.column, "kind": self.kind, "values": self.values, "notes": self.notes, "table": rows}


def by_column(documents: pl.DataFrame, n_topics: int, asked: str, columns: Mapping[str, str]) -> ByColumn:
    """Count the documents of every topic with every value of a column, and say where that is no chance.

    ``columns`` are the names that columns with a role had in their table.
    """
    name, values = values_of(documents, asked, columns)
    m, topic = len(values.names), documents["topic"].to_numpy().astype(np.int64)
    known = (topic >= 0) & (values.codes >= 0)
    if not known.any():
        raise ValueError(f"No document with a topic has a value in column {asked!r}: name another column.")
    cell, weight = topic[known] * m + values.codes[known], weights_of(documents)[known]
    if not weight.any():
        raise ValueError(f"All documents with a value in column {asked!r} have the weight 0: leave --weight out.")
    counts = np.bincount(cell, minlength=n_topics * m).reshape(-1, m)
    weighted = np.bincount(cell, weight, n_topics * m).reshape(-1, m) * (known.sum() / weight.sum())
    whole = documents["document"].filter(pl.Series(known)) if "document" in documents.columns else None
    table = _table(counts, weighted, independent_share(topic[known], n_topics, weight, whole), values.names)
    if "weight" not in documents.columns:
        table = table.drop("weighted")
    notes = [*([values.note] if values.note else []), *_left_out(topic, values.codes)]
    return ByColumn(name, values.kind, values.names, table, notes, asked)


def values_of(documents: pl.DataFrame, asked: str, columns: Mapping[str, str]) -> tuple[str, Binned]:
    """Return the name of a column that was asked for, as in ``age:4``, and which of its values each document has."""
    column, how = column_of(documents, asked, columns)
    name = asked.removesuffix(f":{how}")
    return name, binned(documents[column].alias(name), how)


def check_by(corpus: Corpus, asked: str) -> None:
    """Refuse columns that topics cannot be compared by before anything is computed."""
    first = corpus.place.fetch(corpus.parts[0])
    names = columns_named(first, asked, corpus.notes.columns)
    needed = {name: column_of(first, name, corpus.notes.columns)[0] for name in names}
    some = corpus.place.sweep(_selected, corpus.parts, args=(sorted(set(needed.values())),))[1]
    for name in names:
        values_of(pl.concat(some), name, corpus.notes.columns)


def _selected(documents: pl.DataFrame, columns: list[str]) -> tuple[None, list[pl.DataFrame]]:
    return None, [documents.select(columns)]


def columns_named(documents: pl.DataFrame, asked: str, columns: Mapping[str, str]) -> list[str]:
    """Return the columns that a list such as ``age_group,region`` names; refuse those that are not there."""
    there = comparable(documents, columns)
    names = names_in(asked, lambda name: name in there or re.sub(":[^:,]*$", "", name) in there)
    if not names:
        raise ValueError("No column is named: write --by age_group, or several as in --by age_group,region.")
    for name in names:
        column_of(documents, name, columns)
    return list(names)


def comparable(documents: pl.DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that topics can be compared by, by their own names and those that they had in their table."""
    own = {name: name for name in documents.columns if name not in _NO_VALUES}
    return {name: role for role, name in columns.items() if role in own} | own


def column_of(documents: pl.DataFrame, asked: str, columns: Mapping[str, str]) -> tuple[str, str | None]:
    """Return which column is meant, and in which bins, if these are named as in ``age:4`` or ``date:year``."""
    there = comparable(documents, columns)
    name, _, how = asked.rpartition(":")
    if asked in there:
        return there[asked], None
    if name in there:
        return there[name], how
    shown = f"its columns are {', '.join(map(repr, list(there)[:20]))}" if there else "it has none beside the texts"
    raise ValueError(f"The run has no column {asked!r} to compare topics by{meant(asked, there)}; {shown}.")


def weights_of(documents: pl.DataFrame) -> NDArray[np.float64]:
    """Return how much each document counts: 1, where no weights were named."""
    if "weight" not in documents.columns:
        return np.ones(documents.height)
    return documents["weight"].to_numpy().astype(np.float64)


def _table(documents: NDArray[Any], counts: NDArray[Any], independent: NDArray[Any], values: list[str]) -> pl.DataFrame:
    expected, residual, q = residuals(counts, independent)
    sides = np.where(q > FALSE_DISCOVERIES, 0, np.sign(residual)).ravel()
    of_value, of_topic = (counts / np.maximum(counts.sum(axis, keepdims=True), 1e-300) for axis in (0, 1))
    k, m = counts.shape
    columns: dict[str, Any] = {
        "topic": np.repeat(np.arange(k), m), "value": values * k, "documents": documents.ravel(),
        "weighted": counts.ravel(), "share": of_value.ravel(), "of_topic": of_topic.ravel(),
        "expected": expected.ravel(), "residual": residual.ravel(), "q": q.ravel(),
        "stands_out": pl.Series([_SIDES[side] for side in sides], dtype=pl.String),
    }  # fmt: skip
    return pl.DataFrame(columns).with_columns(pl.col("topic").cast(pl.Int32), pl.col("documents").cast(pl.Int64))


def residuals(
    counts: NDArray[Any], independent: NDArray[Any] | float = 1.0
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return expected counts, adjusted standardised residuals, and p-values after Benjamini and Hochberg.

    A residual is (n − e) / √(e (1 − r) (1 − c)), r and c being the shares of its row and column (Haberman 1973): about
    standard normal where rows and columns are independent. Where few are expected, p is a Poisson tail instead.
    """
    from scipy.special import gammainc, gammaincc, ndtr
    from scipy.stats import false_discovery_control

    n = counts.sum()
    rows, columns = counts.sum(1, keepdims=True) / n, counts.sum(0, keepdims=True) / n
    expected = rows * columns * n
    spread = np.sqrt(expected * (1 - rows) * (1 - columns) / independent)
    varies = spread > 1e-12 * n
    residual = np.where(varies, (counts - expected) / np.where(varies, spread, 1), 0.0)
    found, rate = counts * independent, expected * independent
    with np.errstate(invalid="ignore"):
        tail = np.where(found > rate, gammainc(np.maximum(found, 1e-300), rate), gammaincc(found + 1, rate))
    p = np.where(rate < _RARE, tail, ndtr(-np.abs(residual)))
    p = np.where(varies, np.minimum(2 * p, 1), 1)
    return expected, residual, false_discovery_control(p.ravel()).reshape(p.shape)


def _left_out(topic: NDArray[Any], codes: NDArray[np.int64]) -> Iterator[str]:
    silent, unassigned = int((codes < 0).sum()), int(((topic < 0) & (codes >= 0)).sum())
    for n, lacking in ((silent, "a value"), (unassigned, "a topic")):
        if n:
            yield f"{counted(n, 'document')} without {lacking} {were(n)} left out."
