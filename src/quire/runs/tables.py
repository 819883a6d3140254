"""The tables that a run keeps: what is known of its documents and topics, from sums over all parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import Update
from quire.methods.assignment import abstained, best_two, largest
from quire.methods.ensemble.votes import confidence, counted_votes, partners, stability
from quire.methods.estimator import TopicEstimator
from quire.places.parts import Blocks, KeptRows
from quire.places.place import Handle
from quire.runs.boilerplate import sentences
from quire.runs.calendar import over_time
from quire.runs.keywords import N_KEYWORDS, Keywords
from quire.runs.passage import passage_of
from quire.runs.reading import Guide, ToRead, documents_to_read
from quire.runs.terms import Terms
from quire.runs.topics import topic_names
from quire.runs.words import NOTHING_SAID, Sample, Spoken, keywords_of, text_bytes
from quire.scores.registry import class_scores
from quire.text.weight import Weight


@dataclass(frozen=True)
class Described:
    """What is known of the documents and topics of a factorization."""

    columns: list[Handle]  # what goes beside each part's documents
    labels: NDArray[np.int32]  # the topic of each document, −1 for none, or for none that is sure
    classes: pl.Series | None  # known classes
    dates: pl.Series | None
    n_bytes: int  # of all texts
    topics: pl.DataFrame
    notes: list[str]  # what was left out of the keywords
    held: sp.csr_array  # how many documents of each topic hold each word


def described(
    corpus: Corpus,
    sample: Sample,
    terms: Terms,
    weight: Weight,
    estimator: TopicEstimator,
    runs: NDArray[Any] | None,
    abstain: float | None,
    update: Update = lambda done, total: None,
    spoken: Spoken = NOTHING_SAID,
) -> Described:
    """Find out what each topic is about, and then about each document."""
    shares, H = cast(KeptRows, estimator.memberships_), weight.unscaled_topics(np.maximum(estimator.components_, 0))
    topics = abstained(estimator.labels_, shares, abstain).astype(np.int32)
    keywords = keywords_of(sample, terms, topics, H, spoken)
    guide = Guide.of(keywords.leading, topics, terms.matrix.row_sums, len(terms.words))
    columns, facts = _document_columns(
        corpus.parts, terms.matrix, estimator.labels_, shares, runs, abstain, guide, update
    )
    small = {name: pl.concat(series) for name, series in facts.columns.items()}
    table = topic_table(H, topics, terms, keywords, facts.to_read, runs, small.get("weight"))
    notes = sentences(keywords.blocks, keywords.words)
    return Described(
        columns, topics, small.get("label"), small.get("date"), facts.n_bytes, table, notes, keywords.held.words
    )


def time_and_scores(description: Described, k: int, covered_only: bool) -> tuple[pl.DataFrame | None, dict[str, Any]]:
    """Return the topics over time, None without dates, and for ``run.json`` the scores and the bin."""
    bin, timeline = None, None
    if description.dates is not None and description.dates.count():
        bin, timeline = over_time(description.labels, description.dates, k)
    scored: dict[str, float] = {}
    if description.classes is not None:
        scored = class_scores(description.classes, description.labels, covered_only=covered_only, in_every_run=True)
    return timeline, {"scores": scored, "bin": bin}


class _Facts(NamedTuple):
    """Of some parts: documents that lead; small columns, a Series a part; bytes of text."""

    to_read: ToRead
    columns: dict[str, list[pl.Series]]
    n_bytes: int


def _document_columns(
    documents: Sequence[Handle],
    counts: Blocks,
    labels: NDArray[Any],
    shares: KeptRows,
    runs: NDArray[Any] | None,
    abstain: float | None,
    guide: Guide,
    update: Update | None,
) -> tuple[list[Handle], _Facts]:
    """Keep what goes beside each part's documents; tell which to read of each topic."""
    stands = None if runs is None else partners(runs, labels, shares.shape[1])
    ends, place = np.cumsum(shares.sizes), shares.place
    rows = [
        place.put(_beside(labels[end - size : end], None if runs is None else runs[:, end - size : end]))
        for end, size in zip(ends, shares.sizes)
    ]
    lists = documents, counts.handles, shares.handles, rows
    return place.sweep(_describe, *lists, args=(stands, abstain, guide), merge=_joined, update=update)


def _beside(labels: NDArray[Any], runs: NDArray[Any] | None) -> NDArray[np.int32]:
    """Put the documents' topics and those in all runs into one array, a row per document."""
    return np.column_stack([labels] if runs is None else [labels, runs.T]).astype(np.int32)


def _describe(
    frame: pl.DataFrame,
    counts: sp.csr_array,
    shares: NDArray[Any],
    rows: NDArray[np.int32],
    stands: list[NDArray[np.intp]] | None,
    abstain: float | None,
    guide: Guide,
) -> tuple[pl.DataFrame, _Facts]:
    """Find out about the documents of one block."""
    labels, runs = rows[:, 0].astype(np.intp), rows[:, 1:].T
    votes = None if stands is None else counted_votes(runs, stands, shares.shape[1])
    columns = document_columns(labels, shares, votes, len(runs), abstain)
    small = [columns["topic"], *(frame[name] for name in ("label", "date", "weight") if name in frame.columns)]
    return columns, _Facts(
        documents_to_read(frame, counts, columns["topic"].to_numpy(), shares, guide),
        {column.name: [column] for column in small},
        text_bytes(frame)[1] if "text" in frame.columns else 0,
    )


def _joined(first: _Facts, second: _Facts) -> _Facts:
    return _Facts(
        first.to_read.joined(second.to_read),
        {name: parts + second.columns[name] for name, parts in first.columns.items()},
        first.n_bytes + second.n_bytes,
    )


def document_columns(
    labels: NDArray[Any],
    shares: NDArray[Any],
    votes: NDArray[Any] | None = None,
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
            **_confidence(labels, votes, n_runs),
        }
    )


def beside(corpus: pl.DataFrame, columns: pl.DataFrame) -> pl.DataFrame:
    """Put what was found out beside the documents; their text comes last, the widest column."""
    text = [corpus["text"]] if "text" in corpus.columns else []
    return pl.DataFrame([s for s in corpus.get_columns() if s.name != "text"] + columns.get_columns() + text)


def _confidence(labels: NDArray[Any], votes: NDArray[Any] | None, n_runs: int) -> dict[str, pl.Series]:
    """Return what the runs say of documents that have a topic; null for all others."""
    none = np.ones(len(labels), bool) if votes is None else labels < 0
    own, other = np.zeros(len(labels)), np.full(len(labels), -1)
    if votes is not None:
        own, other, _ = confidence(votes, labels, n_runs)
    known = pl.DataFrame({"confidence": own, "else_topic": other.astype(np.int32)})
    return known.select(pl.when(pl.Series(~none)).then(pl.all())).to_dict()


def topic_table(
    H: NDArray[Any],
    labels: NDArray[Any],
    terms: Terms,
    keywords: Keywords,
    to_read: ToRead,
    runs: NDArray[Any] | None = None,
    weights: pl.Series | None = None,
) -> pl.DataFrame:
    """Return a row per topic, once it is known which documents to read; shares are by weight, where there are any."""
    k, lists = len(H), pl.List(pl.String)
    known, weight = labels >= 0, None if weights is None else weights.to_numpy()
    sizes = np.bincount(labels[known], minlength=k)
    of_all = sizes if weight is None else np.bincount(labels[known], weight[known], k)
    typical, borderline, texts = to_read.of_each(k)
    passages = [passage_of(own, telling, terms.spelling) for own, telling in zip(texts, keywords.words)]
    columns = {
        "topic": pl.Series(np.arange(k, dtype=np.int32)),
        "name": pl.Series(topic_names(keywords.words, forms=keywords.forms), dtype=pl.String),
        "size": pl.Series(sizes.astype(np.int64)),
        "share": pl.Series(of_all / (max(len(labels), 1) if weight is None else weight.sum())),
        "stability": _stability(runs, labels, k),
        "keywords": pl.Series(keywords.words, dtype=lists),
        "heaviest": pl.Series(_ranked(np.asarray(H, np.float64), terms.words), dtype=lists),
        "typical": pl.Series(typical, dtype=lists),
        "borderline": pl.Series(borderline, dtype=lists),
        "passage": pl.Series(passages, dtype=pl.String),
    }
    return pl.DataFrame(columns)


def _stability(runs: NDArray[Any] | None, labels: NDArray[Any], k: int) -> pl.Series:
    values = pl.Series([None] * k if runs is None else stability(runs, labels, k), dtype=pl.Float64)
    return values.fill_nan(None)  # of a topic without documents


def _ranked(values: NDArray[np.float64], words: Sequence[str]) -> list[list[str]]:
    return [[words[j] for j in largest(row, N_KEYWORDS) if row[j] > 0] for row in values]
