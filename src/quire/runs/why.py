"""One document explained: what its words add, typical documents that share them, and what would tip it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import short
from quire.runs.asked import Asked
from quire.runs.contributions import Contributions, Reasons, topics_of, weighted

_ALIKE = 3  # typical documents of each topic
_MOST = 50  # words that are taken out, or put in, at most


class Tip(NamedTuple):
    """Words which, taken out of a document or put into it, bring it to another topic."""

    change: str  # "without" or "with"
    words: list[str]
    topic: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        return self._asdict()


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a document is in its topic and not in another one.

    Attributes
    ----------
    id : str
        The document.
    topic, other : int
        Its topic (of an unsure document: the nearest one), and the one it is held against; −1 where there is none.
    score, other_score : float
        What its terms add up to for each.
    terms : DataFrame
        The most telling terms: ``term``, ``forms`` (how it stands in the text), ``weight`` in X, what it adds to
        the score of the topic (``mine``) and of the other (``others``), and the ``evidence`` for the one against
        the other, null where the recipe makes no mixture.
    rest : dict
        How many other ``terms`` there are, and what they add: terms and rest sum to the scores.
    alike : DataFrame
        Typical documents of both topics (``topic``, ``id``) and which of the ``words`` that speak for it they share.
    tips : list of Tip
        What would have to change: words without which it would be in another topic, and words of the other topic
        with which it would be there; none where no few words would do.
    """

    id: str
    topic: int
    other: int
    score: float
    other_score: float
    terms: pl.DataFrame
    rest: dict[str, float | int | None]
    alike: pl.DataFrame
    tips: list[Tip]

    def as_dict(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        head = {name: getattr(self, name) for name in ("id", "topic", "other", "score", "other_score")}
        tables = {"terms": self.terms.to_dicts(), "rest": self.rest, "alike": self.alike.to_dicts()}
        return {**head, **tables, "tips": [tip.as_dict() for tip in self.tips]}


def explanation_of(run: Asked, id: str, against: int | None = None) -> Explanation:
    """Explain the document with this id, held against its runner-up or the topic that is named."""
    rows = np.array([row_of(run.documents, id)])
    topic = int(topics_of(run, rows)[0][0])
    if topic < 0:
        raise ValueError(f"Document {id!r} has no topic, as none of its terms is in one: there is nothing to explain.")
    if against is not None:
        check_topic(against, len(run.H))
        if against == topic:
            raise ValueError(f"Document {id!r} is in topic {topic} itself: name another one to hold it against.")
    contributions = Contributions(run)
    why = contributions.reasons(rows, against=against)
    forms = contributions.forms(rows, why.row, why.column)
    terms = _terms(run, why, forms)
    told = why.weighed[0]
    rest = {"terms": int(why.unlisted[0]), "mine": float(why.left[0, 0]), "others": float(why.left[1, 0])}
    return Explanation(
        id, topic, int(why.other[0]), float(why.sums[0, 0]), float(why.sums[1, 0]), terms,
        {**rest, "evidence": float(why.left[2, 0]) if told else None},
        _alike(run, why, run.documents["id"][int(rows[0])]), _tips(run, rows, why),
    )  # fmt: skip


def row_of(documents: pl.DataFrame, id: str) -> int:
    """Return the row of a document; refuse an id that is not there."""
    id = str(id).encode("utf-8", "replace").decode()
    found = (documents["id"] == id).arg_true()
    if len(found):
        return int(found[0])
    if "document" in documents.columns and (passages := documents.filter(pl.col("document") == id)["id"]).len():
        raise ValueError(f"{id!r} was cut into {len(passages):,} passages: name one of these, such as {passages[0]!r}.")
    raise no_document(documents, id)


def no_document(documents: pl.DataFrame, id: str) -> ValueError:
    """Return the sentence that there is no such document."""
    first = documents["id"][0]
    return ValueError(
        f"The run has no document {id!r}: its ids, of which {first!r} is the first, are in documents.parquet."
    )


def check_topic(topic: int, k: int) -> None:
    """Refuse the number of a topic that is not there."""
    if type(topic) is bool or not hasattr(topic, "__index__") or not 0 <= topic < k:
        raise ValueError(f"There is no topic {topic}: the run's topics have numbers from 0 to {k - 1}.")


def _terms(run: Asked, why: Reasons, forms: list[list[str]]) -> pl.DataFrame:
    weight, mine, others, evidence = why.told
    columns = {
        "term": pl.Series([short(run.words[j]) for j in why.column.tolist()], dtype=pl.String),
        "forms": pl.Series(forms, dtype=pl.List(pl.String)),
        "weight": weight, "mine": mine, "others": others,
        "evidence": pl.Series(evidence.tolist() if why.weighed[0] else [None] * len(evidence), dtype=pl.Float64),
    }  # fmt: skip
    return pl.DataFrame(columns)


def _speaking(why: Reasons) -> NDArray[np.float64]:
    """Return how much each listed term speaks for the topic against the other one."""
    return np.asarray(why.told[3] if why.weighed[0] else why.told[1] - why.told[2])


def _alike(run: Asked, why: Reasons, explained: str) -> pl.DataFrame:
    """Return the typical documents of both topics, but for the one explained, that share most of what speaks for it."""
    found: list[tuple[int, str, list[str]]] = []
    for topic, speaking in ((int(why.topic[0]), _speaking(why)), (int(why.other[0]), -_speaking(why))):
        typical = [] if topic < 0 else run.topics["typical"][topic].to_list()
        ids = [id for id in typical if id != explained]
        own = why.column[speaking > 0]
        if not ids or not len(own):
            continue
        rows = np.array([row_of(run.documents, id) for id in ids])
        shared = weighted(run, rows)[:, own].toarray() > 0
        worth = shared.astype(np.float64) * speaking[speaking > 0]
        found += [
            (topic, ids[place], [run.words[j] for j in own[shared[place]].tolist()])
            for place in np.argsort(-worth.sum(axis=1), kind="stable")[:_ALIKE].tolist()
            if shared[place].any()
        ]
    schema: dict[str, Any] = {"topic": pl.Int32, "id": pl.String, "words": pl.List(pl.String)}
    return pl.DataFrame(found, schema=schema, orient="row")


def _tips(run: Asked, rows: NDArray[Any], why: Reasons) -> list[Tip]:
    """Find words that bring the document to another topic, by asking where it would be with and without them."""
    topic, other = int(why.topic[0]), int(why.other[0])
    # Of a matrix there are only the weighted counts, whose scale changes no topic.
    counts = run.recount(rows) if run.counts is not None else weighted(run, rows)
    speaking = _speaking(why)
    order = np.argsort(-speaking, kind="stable")
    against = why.column[order[speaking[order] > 0]][:_MOST]
    tips = [_tipping(run, "without", against, _without(counts, against), topic, None)]
    if other >= 0:
        column = {word: j for j, word in reversed(list(enumerate(run.words)))}
        listed = (*run.topics["keywords"][other], *run.topics["heaviest"][other])
        there = set(counts.indices.tolist())
        new = [j for j in dict.fromkeys(column[word] for word in listed if word in column) if j not in there]
        tips.append(_tipping(run, "with", new, _with(counts, new), topic, other))
    return [tip for tip in tips if tip is not None]


def _tipping(
    run: Asked, change: str, columns: Sequence[int] | NDArray[Any], counts: sp.csr_array, topic: int, to: int | None
) -> Tip | None:
    """Return the first words, of rows that each have one word more changed, that bring the document elsewhere."""
    if not counts.shape[0]:
        return None
    X = counts if run.counts is None else run.weight.csr(counts)
    there = run.nearest_topics(X)[0]
    moved = (there >= 0) & ((there != topic) if to is None else (there == to))
    if not moved.any():
        return None
    first = int(moved.argmax())
    return Tip(change, [run.words[j] for j in columns[: first + 1]], int(there[first]))


def _without(counts: sp.csr_array, columns: NDArray[Any]) -> sp.csr_array:
    """Return a document once without the first of some terms, once without the first two, and so on."""
    some = sp.csr_array(sp.vstack([counts] * len(columns), "csr")) if len(columns) else counts[:0]
    place = np.full(counts.shape[1], len(columns))
    place[columns] = np.arange(len(columns))
    row = np.repeat(np.arange(some.shape[0]), np.diff(some.indptr))
    some.data[place[some.indices] <= row] = 0
    some.eliminate_zeros()
    return some


def _with(counts: sp.csr_array, columns: Sequence[int]) -> sp.csr_array:
    """Return a document once with the first of some terms, once with the first two, and so on."""
    n = len(columns)
    row, place = np.tril_indices(n)
    usual = counts.data.min(initial=1) if counts.nnz else 1  # once, in whatever unit
    values = np.full(len(row), usual, counts.dtype)
    more = sp.csr_array((values, (row, np.asarray(columns, np.intp)[place])), shape=(n, counts.shape[1]))
    return sp.csr_array(sp.vstack([counts] * n, "csr") + more) if n else counts[:0]
