"""What is in the topics of a factorization: the tables that a run keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.keywords import N_KEYWORDS
from quire.sureness import confidence, stability, votes
from quire.topics import (
    abstained,
    best_two,
    borderline_documents,
    largest,
    relevance,
    topic_names,
    typical_documents,
)

N_TYPICAL, N_BORDERLINE = 10, 5


def document_table(
    corpus: pl.DataFrame,
    labels: NDArray[Any],
    shares: NDArray[Any],
    runs: NDArray[Any] | None = None,
    abstain: float | None = None,
) -> pl.DataFrame:
    """Return the documents with their topic, runner-up and shares; −1 where there is none.

    Parameters
    ----------
    corpus : DataFrame
        The documents.
    labels, shares : arrays
        As from :func:`quire.topics.assign`.
    runs : array of shape (m, n), optional
        The documents' topics in several runs, for ``confidence`` and ``else_topic``; both are null otherwise.
    abstain : float, optional
        Documents with a smaller share in their topic have none: it is their runner-up then.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from quire.describe import document_table
    >>> document_table(pl.DataFrame({"id": ["a"]}), np.array([1]), np.array([[0.2, 0.8]])).row(0)
    ('a', 1, 0.8, 0, 0.2, None, None)
    """
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
    """Return what was found out about some documents: their topic, runner-up, shares and confidence.

    Parameters
    ----------
    labels, shares, abstain
        As for :func:`document_table`.
    said : array of shape (n, k), optional
        The votes of several runs (:func:`quire.sureness.votes`).
    n_runs : int
        How many runs.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.describe import found_columns
    >>> found_columns(np.array([1]), np.array([[0.2, 0.8]]), np.array([[1, 3]]), 4)["confidence"].to_list()
    [0.75]
    """
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
    """Put what was found out beside the documents; their text comes last, the widest column.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.describe import beside
    >>> beside(pl.DataFrame({"id": ["a"], "text": ["moon"]}), pl.DataFrame({"topic": [0]})).columns
    ['id', 'topic', 'text']
    """
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
    """Return a row per topic: size, share, name, keywords, the heaviest words, documents to read.

    Parameters
    ----------
    W : array of shape (n, k)
        Documents' weights.
    H : array of shape (k, d)
        Topics, in the scale of counts.
    labels, shares : arrays
        As from :func:`quire.topics.assign`.
    words : sequence of str
        The terms, as they are shown.
    totals : array of shape (d,)
        How often each term occurs.
    ids : sequence of str
        The documents' names.
    runs : array of shape (m, n), optional
        The documents' topics in several runs, for ``stability``, which is null otherwise.
    keywords : sequence of sequences of str, optional
        As from :func:`quire.keywords.topic_keywords`, most telling first; by relevance where not given.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.describe import topic_table
    >>> W, one = np.array([[1.0], [2.0]]), np.ones(1)
    >>> topic_table(W, np.eye(1), np.zeros(2, int), W / W, ["moon"], one, ["a", "b"])["typical"].to_list()
    [['b', 'a']]
    """
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
    """Return a row per topic, once it is known which documents to read.

    Parameters
    ----------
    H, labels, words, totals, runs, keywords
        As for :func:`topic_table`.
    typical, borderline : sequences of sequences of str
        The names of these documents, of each topic.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.describe import topic_rows
    >>> one = np.ones(1)
    >>> topic_rows(np.eye(1), np.zeros(2, int), ["moon"], one, [["b", "a"]], [[]])["name"].to_list()
    ['moon']
    """
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
