"""Whose topic is which, and what a topic is about: labels, shares, keywords, typical documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def assign(W: NDArray[Any], H: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return each document's topic (−1 for none) and its shares in all topics (rows sum to 1).

    (WD, D⁻¹H) is as good a factorization as (W, H), so the topics are brought to unit length first
    (xu2003 §3.2).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import assign
    >>> labels, shares = assign(np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 9.0]]))
    >>> labels.tolist(), shares.tolist()
    ([1, -1], [[0.25, 0.75], [0.5, 0.5]])
    """
    lengths = np.sqrt(np.einsum("td,td->t", H, H, dtype=np.float64))
    weights = W * (lengths / max(lengths.max(), np.finfo(np.float64).tiny)).astype(W.dtype)
    totals = weights.sum(axis=1, keepdims=True)
    empty = totals[:, 0] == 0
    weights[empty], totals[empty] = 1, W.shape[1]
    weights /= totals
    labels = weights.argmax(axis=1)
    labels[empty] = -1
    return labels, weights


def keywords(H: NDArray[Any], vocabulary: Sequence[str], n: int = 8) -> list[list[str]]:
    """Return the ``n`` heaviest terms of every topic.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import keywords
    >>> keywords(np.array([[1.0, 3.0, 0.0]]), ["moon", "orbit", "goal"], 2)
    [['orbit', 'moon']]
    """
    return [[vocabulary[j] for j in np.argsort(-row, kind="stable")[:n] if row[j] > 0] for row in H]


def typical_documents(W: NDArray[Any], shares: NDArray[Any]) -> NDArray[np.intp]:
    """Return, per topic, the document that is both much and mostly about it: largest weight × share.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import typical_documents
    >>> typical_documents(np.array([[9.0, 9.0], [8.0, 1.0]]), np.array([[0.5, 0.5], [0.9, 0.1]])).tolist()
    [1, 0]
    """
    return np.asarray(np.argmax(W * shares, axis=0))
