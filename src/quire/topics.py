"""What a topic is about: its keywords and its most typical document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
