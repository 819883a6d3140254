"""What is in the topics of a factorization: the tables that a run keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.topics import (
    best_two,
    borderline_documents,
    largest,
    relevance,
    topic_names,
    typical_documents,
)

N_KEYWORDS, N_TYPICAL, N_BORDERLINE = 12, 10, 5


def document_table(corpus: pl.DataFrame, labels: NDArray[Any], shares: NDArray[Any]) -> pl.DataFrame:
    """Return the documents with their topic, runner-up and shares; −1 where there is none.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from quire.describe import document_table
    >>> document_table(pl.DataFrame({"id": ["a"]}), np.array([1]), np.array([[0.2, 0.8]])).row(0)
    ('a', 1, 0.8, 0, 0.2)
    """
    share, second, second_share = best_two(labels, shares)
    found = pl.DataFrame(
        {
            "topic": labels.astype(np.int32),
            "membership": share,
            "runner_up": second.astype(np.int32),
            "runner_up_membership": second_share,
        }
    )
    text = [corpus["text"]] if "text" in corpus.columns else []  # last: the widest column
    return pl.DataFrame([s for s in corpus.get_columns() if s.name != "text"] + found.get_columns() + text)


def topic_table(
    W: NDArray[Any],
    H: NDArray[Any],
    labels: NDArray[Any],
    shares: NDArray[Any],
    words: Sequence[str],
    totals: NDArray[Any],
    ids: Sequence[str],
) -> pl.DataFrame:
    """Return a row per topic: size, share, name, keywords by relevance and by weight, documents to read.

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

    Examples
    --------
    >>> import numpy as np
    >>> from quire.describe import topic_table
    >>> W, one = np.array([[1.0], [2.0]]), np.ones(1)
    >>> topic_table(W, np.eye(1), np.zeros(2, int), W / W, ["moon"], one, ["a", "b"])["typical"].to_list()
    [['b', 'a']]
    """
    k = len(H)
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    telling = _ranked(relevance(H, totals), -np.inf, words)
    typical, borderline = (
        typical_documents(W, shares, N_TYPICAL),
        borderline_documents(labels, shares, N_BORDERLINE),
    )
    lists = pl.List(pl.String)
    columns = {
        "topic": pl.Series(np.arange(k, dtype=np.int32)),
        "name": pl.Series(topic_names(telling), dtype=pl.String),
        "size": pl.Series(sizes.astype(np.int64)),
        "share": pl.Series(sizes / max(len(labels), 1)),
        "keywords": pl.Series(telling, dtype=lists),
        "heaviest": pl.Series(_ranked(np.asarray(H, np.float64), 0.0, words), dtype=lists),
        "typical": pl.Series([[ids[i] for i in row] for row in typical], dtype=lists),
        "borderline": pl.Series([[ids[i] for i in row] for row in borderline], dtype=lists),
    }
    return pl.DataFrame(columns)


def _ranked(values: NDArray[np.float64], above: float, words: Sequence[str]) -> list[list[str]]:
    return [[words[j] for j in largest(row, N_KEYWORDS) if row[j] > above] for row in values]
