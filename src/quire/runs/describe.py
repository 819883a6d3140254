"""What is in the topics of a factorization: the tables that a run keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.methods.assignment import abstained, best_two, largest
from quire.methods.ensemble.votes import confidence, stability, votes
from quire.runs.keywords import N_KEYWORDS
from quire.runs.topics import borderline_documents, relevance, topic_names, typical_documents

N_TYPICAL, N_BORDERLINE = 10, 5


def document_table(
    corpus: pl.DataFrame,
    labels: NDArray[Any],
    shares: NDArray[Any],
    runs: NDArray[Any] | None = None,
    abstain: float | None = None,
) -> pl.DataFrame:
    """Return the documents with their topic, runner-up and shares; −1 where there is none."""
    k = shares.shape[1]
    said = None if runs is None else votes(runs, labels, k)
    return beside(corpus, found_columns(labels, shares, said, 0 if runs is None else len(runs), abstain))


def found_columns(
    labels: NDArray[Any],
    shares: NDArray[Any],
    said: NDArray[Any] | None = None,
    n_runs: int = 0,
    abstain: float | None = None,
) -> pl.DataFrame:
    """Return what was found out about some documents: their topic, runner-up, shares and confidence."""
    share, second, second_share = best_two(labels, shares)
    kept = abstained(labels, shares, abstain)
    unsure = kept != labels
    return pl.DataFrame(
        {
            "topic": kept.astype(np.int32),
            "membership": np.where(unsure, 0, share),
            "runner_up": np.where(unsure, labels, second).astype(np.int32),
            "runner_up_membership": np.where(unsure, share, second_share),
            **_confidence(labels, said, n_runs),
        }
    )


def beside(corpus: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Put what was found out beside the documents; their text comes last, the widest column."""
    text = [corpus["text"]] if "text" in corpus.columns else []
    return pl.DataFrame([s for s in corpus.get_columns() if s.name != "text"] + found.get_columns() + text)


def _confidence(labels: NDArray[Any], said: NDArray[Any] | None, n_runs: int) -> dict[str, pl.Series]:
    """Return what the runs say of documents that have a topic; null for all others."""
    none = np.ones(len(labels), bool) if said is None else labels < 0
    own, other = np.zeros(len(labels)), np.full(len(labels), -1)
    if said is not None:
        own, other, _ = confidence(said, labels, n_runs)
    known = pl.DataFrame({"confidence": own, "else_topic": other.astype(np.int32)})
    return known.select(pl.when(pl.Series(~none)).then(pl.all())).to_dict()


def topic_table(
    W: NDArray[Any],
    H: NDArray[Any],
    labels: NDArray[Any],
    shares: NDArray[Any],
    words: Sequence[str],
    totals: NDArray[Any],
    ids: Sequence[str],
    runs: NDArray[Any] | None = None,
    keywords: Sequence[Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Return a row per topic: size, share, name, keywords, the heaviest words, documents to read."""
    typical = typical_documents(W, shares, N_TYPICAL)
    borderline = borderline_documents(labels, shares, N_BORDERLINE)
    to_read, close = ([[ids[i] for i in row] for row in rows] for rows in (typical, borderline))
    return topic_rows(H, labels, words, totals, to_read, close, runs, keywords)


def topic_rows(
    H: NDArray[Any],
    labels: NDArray[Any],
    words: Sequence[str],
    totals: NDArray[Any],
    typical: Sequence[Sequence[str]],
    borderline: Sequence[Sequence[str]],
    runs: NDArray[Any] | None = None,
    keywords: Sequence[Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Return a row per topic, once it is known which documents to read."""
    k = len(H)
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    telling = _ranked(relevance(H, totals), -np.inf, words) if keywords is None else keywords
    lists = pl.List(pl.String)
    columns = {
        "topic": pl.Series(np.arange(k, dtype=np.int32)),
        "name": pl.Series(topic_names(telling), dtype=pl.String),
        "size": pl.Series(sizes.astype(np.int64)),
        "share": pl.Series(sizes / max(len(labels), 1)),
        "stability": _stability(runs, labels, k),
        "keywords": pl.Series(telling, dtype=lists),
        "heaviest": pl.Series(_ranked(np.asarray(H, np.float64), 0.0, words), dtype=lists),
        "typical": pl.Series(typical, dtype=lists),
        "borderline": pl.Series(borderline, dtype=lists),
    }
    return pl.DataFrame(columns)


def _stability(runs: NDArray[Any] | None, labels: NDArray[Any], k: int) -> pl.Series:
    found = pl.Series([None] * k if runs is None else stability(runs, labels, k), dtype=pl.Float64)
    return found.fill_nan(None)  # of a topic without documents


def _ranked(values: NDArray[np.float64], above: float, words: Sequence[str]) -> list[list[str]]:
    return [[words[j] for j in largest(row, N_KEYWORDS) if row[j] > above] for row in values]
