"""What the page tells of topics and terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import short
from quire.methods.assignment import largest
from quire.pages.layout import cosines
from quire.places.machine import allowed_threads, in_order
from quire.runs.digits import digits
from quire.runs.run import Run
from quire.runs.topics import relevance
from quire.text.phrases import count_phrases

_BALANCES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_RELEVANT, _OFTEN = 25, 5  # terms for each balance; how often a term must occur
_NEAREST = 5
_COUNTED = 300  # documents of a topic in which a phrase is counted
MOST_TERMS = 20_000
CLEAR = 0.5  # of a document explained by its topic: then its place is clear (`web/src/clear.ts`)


def topic_facts(run: Run, shares: NDArray[np.float64], centres: NDArray[Any]) -> list[dict[str, Any]]:
    """Return what is known of each topic."""
    column = _columns_of(run)
    relevant, nearest, means = _relevant_terms(run, shares), _nearest(run.H), _means(run)
    rows = _rows_of(run)
    facts = []
    for t, topic in enumerate(run.topics.iter_rows(named=True)):
        x, y = (float(value) for value in np.round(centres[t], 5))
        facts.append(
            {
                "topic": t, "name": short(topic["name"]), "note": run.notes.get(t), "size": topic["size"],
                "share": float(digits(topic["share"])), "stability": _number(topic["stability"]), **means[t],
                "keywords": _keywords(run, t, shares[t], column),
                "terms": relevant[t], "nearest": nearest[t],
                "typical": [rows[id] for id in topic["typical"]],
                "borderline": [rows[id] for id in topic["borderline"]],
                "passage": None if topic["passage"] is None else short(topic["passage"]), "x": x, "y": y, "spark": None,
            }
        )  # fmt: skip
    return facts


def term_table(run: Run, shares: NDArray[np.float64]) -> dict[str, Any]:
    """Return the vocabulary, most frequent first, with the topics that each term is most telling for."""
    column = _columns_of(run)
    kept = largest(np.asarray(run.totals, np.float64), MOST_TERMS)
    named = {column[w] for words in run.topics["keywords"].to_list() for w in words if w in column}
    kept = np.concatenate([kept, np.array(sorted(named - set(kept.tolist())), np.intp)])
    joint = shares[:, kept] * run.topics["size"].to_numpy()[:, None]
    totals = joint.sum(axis=0)
    percent = np.rint(100 * np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0)).astype(int)
    first = np.argsort(-percent, axis=0, kind="stable")[:3].T
    topics = [
        [(t, p) for t, p in zip(most, values) if p >= 1]
        for most, values in zip(first.tolist(), np.take_along_axis(percent.T, first, axis=1).tolist())
    ]
    return {
        "words": [short(run.words[j]) for j in kept],
        "totals": _whole_where_whole(run.totals[kept]),
        "topics": topics,
        "left": len(run.words) - len(kept),
    }


def _columns_of(run: Run) -> dict[str, int]:
    return {word: j for j, word in reversed(list(enumerate(run.words)))}


def _keywords(run: Run, t: int, shares: NDArray[np.float64], column: dict[str, int]) -> list[tuple[str, float]]:
    """Return the keywords with p(word | topic); of a phrase, that of its rarest word that was not cut."""
    words, share = run.topics["keywords"][t].to_list(), {}
    for word in words:
        parts = [word] if word in column else word.split(" ")
        share[word] = float(min((shares[column[part]] for part in parts if part in column), default=0.0))
    share |= _counted_shares(run, t, [word for word in words if not share[word] and word.count(" ") == 1])
    return [(short(word), float(digits(share[word]))) for word in words]


def _counted_shares(run: Run, t: int, phrases: list[str]) -> dict[str, float]:
    """Return p(phrase | topic) of phrases whose words were all cut, counted in some of its documents."""
    rows = np.flatnonzero(run.labels == t)[:_COUNTED]
    if not phrases or not len(rows) or run.counts is None or callable(run.counts.tokens):
        return {}
    terms = run.recount(rows).sum()
    times = count_phrases(run.documents["text"][rows].to_list(), phrases, run.counts).sum(axis=0)
    return {phrase: float(n / max(terms, 1)) for phrase, n in zip(phrases, np.asarray(times).ravel())}


def _relevant_terms(run: Run, shares: NDArray[np.float64]) -> list[list[tuple[str, float, float]]]:
    """Return the keywords and the terms that any place of the slider shows; rare ones would fill its end."""
    totals = np.asarray(run.totals, np.float64)
    often = totals >= _OFTEN if (totals >= _OFTEN).sum() >= _RELEVANT else np.ones(len(totals), bool)
    columns = np.flatnonzero(often)
    by_lift, by_weight = (relevance(shares[:, columns], totals[columns], end) for end in (0.0, 1.0))
    overall = digits(totals / max(float(totals.sum()), 1.0))
    column, keywords = _columns_of(run), run.topics["keywords"].to_list()

    def of_topic(t: int) -> list[tuple[str, float, float]]:
        row = digits(shares[t])
        chosen = {column[word] for word in keywords[t] if word in column}
        inside = np.flatnonzero(np.isfinite(by_weight[t]))
        for balance in _BALANCES:
            score = balance * by_weight[t, inside] + (1 - balance) * by_lift[t, inside]
            chosen.update(columns[inside[largest(score, _RELEVANT)]].tolist())
        terms = sorted(chosen, key=lambda j: (-row[j], j))
        return [(short(run.words[j]), float(row[j]), float(overall[j])) for j in terms]

    return list(in_order(of_topic, ((t,) for t in range(len(shares))), allowed_threads()))


def _nearest(H: NDArray[Any]) -> list[list[tuple[int, float]]]:
    likeness = cosines(H)
    np.fill_diagonal(likeness, -np.inf)
    order = np.argsort(-likeness, axis=1, kind="stable")[:, : min(_NEAREST, len(H) - 1)]
    return [[(int(s), round(float(likeness[t, s]), 3)) for s in row] for t, row in enumerate(order)]


def _means(run: Run) -> list[dict[str, Any]]:
    """Return the mean membership and confidence of each topic's documents, and how many it explains half of or more."""
    own = run.documents.filter(pl.col("topic") >= 0).group_by("topic")
    table = own.agg(
        pl.col("membership").mean(),
        pl.col("confidence").fill_nan(None).mean(),
        (pl.col("membership") >= CLEAR).sum().alias("clear"),
    )
    by_topic = {row["topic"]: row for row in table.iter_rows(named=True)}
    means = []
    for t in range(len(run.H)):
        row = by_topic.get(t, {"membership": 0.0, "confidence": None, "clear": 0})
        shares = {"confidence": _number(row["confidence"]), "membership": _number(row["membership"]) or 0.0}
        means.append(shares | {"clear": row["clear"]})
    return means


def _rows_of(run: Run) -> dict[str, int]:
    """Return the rows of the documents that topics name."""
    wanted = pl.concat([run.topics["typical"].explode(), run.topics["borderline"].explode()]).drop_nulls()
    ids = run.documents["id"]
    rows = ids.is_in(wanted.unique().implode()).arg_true()
    return dict(zip(ids.gather(rows).to_list(), rows.to_list()))


def _whole_where_whole(values: NDArray[Any]) -> list[float]:
    whole = np.rint(values)
    return [int(a) if a == b else float(b) for a, b in zip(whole, digits(values, 9))]


def _number(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(digits(value))
