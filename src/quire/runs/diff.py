"""Two topics held against each other: the words that tell them apart, and the documents between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import short
from quire.methods.assignment import largest
from quire.runs.asked import Asked
from quire.runs.digits import digits
from quire.runs.why import check_topic

_WORDS, _BORDER = 15, 10


@dataclass(frozen=True, eq=False)
class TopicDiff:
    """What tells two topics apart.

    Attributes
    ----------
    topics : DataFrame
        Both: ``topic``, ``name``, ``size`` and ``share`` of the documents.
    distance : float
        How different their words are: the Jensen–Shannon divergence in bits, 0 for the same words, 1 for no word
        in common.
    words : DataFrame
        The words that make most of it, those of the first topic first: ``word``, ``topic`` that it speaks for, its
        share of each topic's words (``first``, ``second``), and ``bits``, its part of the distance.
    border : DataFrame
        Documents of either topic whose runner-up is the other one, the closest first: ``id``, ``topic``,
        ``membership``, ``runner_up_membership``.
    n_border : int
        How many such documents there are.
    """

    topics: pl.DataFrame
    distance: float
    words: pl.DataFrame
    border: pl.DataFrame
    n_border: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        tables = {"topics": self.topics.to_dicts(), "distance": self.distance, "words": self.words.to_dicts()}
        return {**tables, "border": self.border.to_dicts(), "n_border": self.n_border}


def term_shares(run: Asked) -> NDArray[np.float64]:
    """Return p(term | topic), in the scale of counts; zeros for a topic without terms."""
    H = np.asarray(run.weight.unscaled_topics(np.maximum(run.H, 0)), np.float64)
    totals = H.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(H, totals, out=np.zeros_like(H), where=totals > 0))


def diff_of(run: Asked, first: int, second: int) -> TopicDiff:
    """Say what tells two topics apart."""
    for topic in (first, second):
        check_topic(topic, len(run.H))
    if first == second:
        raise ValueError(f"Topic {first} does not differ from itself: name two topics.")
    shares = term_shares(run)[[first, second]]
    bits = _bits(shares)
    words = pl.concat([_words(run, topic, shares, bits, place) for place, topic in enumerate((first, second))])
    between = run.documents.filter(
        ((pl.col("topic") == first) & (pl.col("runner_up") == second))
        | ((pl.col("topic") == second) & (pl.col("runner_up") == first))
    )
    closest = between.with_columns(gap=pl.col("membership") - pl.col("runner_up_membership"))
    border = closest.sort("gap", maintain_order=True).head(_BORDER)
    return TopicDiff(
        run.topics.select("topic", "name", "size", "share")[[first, second]],
        float(digits(bits.sum())),
        words,
        border.select("id", "topic", "membership", "runner_up_membership"),
        between.height,
    )


def _bits(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each word's part of the Jensen–Shannon divergence of two topics."""
    mean = shares.mean(axis=0)
    logs = np.log2(np.divide(shares, mean, out=np.ones_like(shares), where=shares > 0))
    return np.asarray((shares * logs).sum(axis=0) / 2)


def _words(run: Asked, topic: int, shares: NDArray[np.float64], bits: NDArray[np.float64], place: int) -> pl.DataFrame:
    """Return the words that speak for one of the topics, the most telling first."""
    own = np.where(shares[place] > shares[1 - place], bits, 0.0)
    columns = [j for j in largest(own, _WORDS).tolist() if own[j] > 0]
    table = {
        "word": pl.Series([short(run.words[j]) for j in columns], dtype=pl.String),
        "topic": pl.Series([topic] * len(columns), dtype=pl.Int32),
        "first": digits(shares[0, columns]), "second": digits(shares[1, columns]), "bits": digits(bits[columns]),
    }  # fmt: skip
    return pl.DataFrame(table)
