"""What a run says of other documents: their topics, how sure these are, and how unlike its own they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import read_corpus
from quire.corpus.formats.numbers import are_numbers
from quire.runs.asked import Asked
from quire.runs.likeness import Heard
from quire.runs.tables import document_columns

COLUMNS = ("id", "topic", "name", "membership", "runner_up", "runner_up_membership", "confidence", "novelty")
_GROUPS = 20  # of documents of like membership, whose mean confidence is looked at


def is_matrix(docs: Any) -> bool:
    """Say whether documents are given as numbers and not as texts."""
    return sp.issparse(docs) or are_numbers(docs)


def counts_in_columns(docs: Any, words: Sequence[str]) -> Any:
    """Return a matrix of numbers with a column for each word; columns that have names are looked up by them."""
    if sp.issparse(docs) or isinstance(docs, np.ndarray):
        return docs
    corpus = read_corpus(docs)
    counts: Any = corpus.counts
    if corpus.vocabulary is None:
        return counts
    places = {word: place for place, word in enumerate(corpus.vocabulary)}
    missing = [word for word in words if word not in places]
    if missing:
        more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        raise ValueError(f"The run's column {missing[0]!r}{more} is not in the table: give one with the run's columns.")
    return counts[:, [places[word] for word in words]]


def assigned_table(run: Asked, ids: Iterable[str], heard: Heard) -> pl.DataFrame:
    """Return a row per document, with the columns ``COLUMNS``."""
    ids = [str(one).encode("utf-8", "replace").decode() for one in ids]
    if len(ids) != len(heard.unknown):
        raise ValueError(f"There are {len(ids):,} ids for {len(heard.unknown):,} documents: give one for each.")
    labels, shares = np.zeros(0, np.intp), np.zeros((0, len(run.H)))
    if len(heard.unknown):
        labels, shares = run.nearest_topics(run.weight.csr(heard.counts))
    found = document_columns(labels, shares, abstain=run.info["options"].get("abstain"))
    names = run.topics.select("topic", "name")
    own = shares[np.arange(len(labels)), np.maximum(labels, 0)]
    confidence = np.where(labels < 0, np.nan, expected_confidence(run, own))
    unlike = np.full(len(labels), np.nan) if run.novelty is None else run.novelty.of(heard)
    table = found.with_columns(
        id=pl.Series(ids, dtype=pl.String),
        confidence=pl.Series(confidence, dtype=pl.Float64).fill_nan(None),
        novelty=pl.Series(unlike, dtype=pl.Float64).fill_nan(None),
    )
    shared = pl.col("membership", "runner_up_membership").cast(pl.Float64)
    return table.join(names, on="topic", how="left", maintain_order="left").with_columns(shared).select(COLUMNS)


def expected_confidence(run: Asked, memberships: NDArray[Any]) -> NDArray[np.float64]:
    """Return how sure a topic is that a document has this membership in: the mean of the run's own documents like it.

    NaN where the recipe makes one run only, so that there is no confidence.
    """
    curve = confidence_curve(run)
    return np.full(len(memberships), np.nan) if curve is None else np.asarray(np.interp(memberships, *curve))


def confidence_curve(run: Asked) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return memberships, and the mean confidence of the run's own documents near each; None where there is none."""
    known = run.documents.select("membership", "confidence").filter(
        (pl.col("membership") > 0) & pl.col("confidence").is_not_null() & pl.col("confidence").is_not_nan()
    )
    if run.info.get("runs") is None or not known.height:
        return None
    own = known.sort("membership", maintain_order=True).to_numpy().astype(np.float64)
    groups = np.array_split(own, min(_GROUPS, len(own)))
    at, mean = np.array([group.mean(axis=0) for group in groups]).T
    return at, mean
