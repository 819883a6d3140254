"""What topics part into on the map where no tree was grown: topics of the finest cut that share their documents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.messages import short
from quire.runs.run import Run

_FEWEST = 3  # documents of a part
_LEAST, _MINE = 0.1, 0.25  # of the topic's documents, and of those that the finer topic has
_NAMING = 3  # keywords that a topic's name is made of: they tell none of its parts from the others
_MOST = 65_535


class Parts(NamedTuple):
    """The part of each document (−1: in none), and of each part its topic and its words."""

    codes: NDArray[np.int64]
    named: list[dict[str, Any]]


def parts_of(run: Run) -> Parts | None:
    """Return the parts of all topics that have two or more; None where a tree says it, or there is no finer cut."""
    finest, k = max(run.cuts, default=0), len(run.H)
    if run.hierarchy is not None or finest <= k:
        return None
    finer = run.at(finest)
    both = (run.labels >= 0) & (finer.labels >= 0)
    pairs = np.bincount(run.labels[both] * finest + finer.labels[both], minlength=k * finest).reshape(k, finest)
    least = np.maximum(np.maximum(_LEAST * pairs.sum(axis=1, keepdims=True), _MINE * pairs.sum(axis=0)), _FEWEST)
    found = pairs >= least
    found[found.sum(axis=1) < 2] = False
    topics, others = np.nonzero(found)
    if not 0 < len(topics) < _MOST:
        return None
    code = np.full((k, finest), -1)
    code[found] = np.arange(len(topics))
    own, words = run.topics["keywords"].to_list(), finer.topics["keywords"].to_list()
    named = [
        {"topic": int(t), "keywords": [short(word) for word in words[o] if word not in own[t][:_NAMING]]}
        for t, o in zip(topics, others)
    ]
    return Parts(np.where(both, code[run.labels, finer.labels], -1), named)
