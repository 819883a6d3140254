"""What an edited run says: of topics that were touched anew, of the others what the first run said."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.places.memory import row_view
from quire.places.parts import Blocks, KeptRows
from quire.runs import tongues
from quire.runs.edits.draft import Draft
from quire.runs.hearing import heard_sample, learnt_novelty
from quire.runs.history import renumbered
from quire.runs.names import with_names
from quire.runs.seeding import retold
from quire.runs.tables import Described, described, time_and_scores
from quire.runs.terms import Terms
from quire.runs.words import Spoken, sample_of
from quire.runs.write import FOUND

_OF_RUNS = ("confidence", "else_topic")


def described_draft(draft: Draft) -> dict[str, Any]:
    """Return all parts of a run that follow from a draft; those that people gave names and notes to, too."""
    first, words = draft.first, draft.first.words
    corpus = Corpus.of(first.documents.drop(FOUND))
    terms = Terms(_in_parts(first.recounted[0], corpus), words, first.totals, first.counts)
    estimator, (labels, shares) = draft.estimator, draft.assigned()
    estimator.labels_, estimator.memberships_ = labels, KeptRows.split(shares, corpus.place, corpus.sizes)  # type: ignore[assignment]
    spoken = Spoken({words[j]: topic for j, topic in draft.pins.items()}, {words[j] for j in draft.bans})
    abstain = first.info["options"].get("abstain")
    told = described(corpus, sample_of(corpus, terms), terms, first.weight, estimator, None, abstain, spoken=spoken)
    timeline, outcome = time_and_scores(told, len(draft), bool(abstain))
    columns = pl.concat([corpus.place.fetch(part) for part in told.columns])
    same = _untouched(draft, told.labels)
    topics = _topics(first.topics, told.topics, same, spoken)
    estimator.memberships_ = shares
    info = _info(draft, told, same) | outcome
    if info.get("seeds"):
        info["seeds"] = retold(info["seeds"], draft.now, first.labels, told, corpus, terms)
    return {
        "documents": first.documents.with_columns(_columns(first.documents, columns, same)),
        "topics": with_names(topics, {t: name for t, name in enumerate(draft.names) if name}),
        "timeline": timeline, "W": draft.W.astype(first.W.dtype), "H": estimator.components_,
        "estimator": estimator, "info": info, "X": draft.X, "others": {},
        "novelty": learnt_novelty(heard_sample(corpus, terms), terms.matrix, labels, len(draft)),
    } | {"own": topics["name"].to_list()}  # fmt: skip


def _info(draft: Draft, told: Described, same: dict[int, int]) -> dict[str, Any]:
    """Return what ``run.json`` says; what it says of single topics, by the numbers that they have now."""
    first = draft.first.info
    info = {name: value for name, value in first.items() if name not in ("cuts", "chosen")}
    info |= {"n_topics": len(draft), "also": None, "terms": first["terms"] | {"left_out": told.notes}}
    sentences = tongues.renumbered(first["corpus"].get("sentences", ()), {old: new for new, old in same.items()})
    info["corpus"] = first["corpus"] | {"sentences": sentences}
    if info.get("history"):
        info["history"] = renumbered(info["history"], draft.now)
    return info


def _in_parts(counts: sp.csr_array, corpus: Corpus) -> Blocks:
    """Return the counts cut as the documents are."""
    ends, place = np.cumsum(corpus.sizes).tolist(), corpus.place
    return Blocks.of(place, [place.put(row_view(counts, a, b)) for a, b in zip([0, *ends], ends)])


def _untouched(draft: Draft, labels: NDArray[Any]) -> dict[int, int]:
    """Return the topics that have the documents and the words that they had, and the number they had."""
    before, words = draft.first.labels, draft.first.words
    said = {words[j] for j in (*draft.pins, *draft.bans)}
    keywords = draft.first.topics["keywords"].to_list()
    return {
        topic: old
        for topic, old in enumerate(draft.origin)
        if old >= 0
        and np.array_equal(labels == topic, before == old)
        and not any(part in said for word in keywords[old] for part in (word, *word.split(" ")))
    }


def _topics(first: pl.DataFrame, now: pl.DataFrame, same: dict[int, int], spoken: Spoken) -> pl.DataFrame:
    """Return the table of topics: rows of the first run for those that are as they were."""
    rows, old = now.to_dicts(), first.to_dicts()
    for row in rows:
        topic = row["topic"]
        if topic in same:
            row |= old[same[topic]] | {"topic": topic, "share": row["share"]}
        else:
            row["heaviest"] = [word for word in row["heaviest"] if word not in spoken.banned]
    taken: set[str] = {row["name"] for row in rows if row["topic"] in same}
    for row in rows:
        if row["topic"] not in same:
            row["name"] = row["name"] if row["name"] not in taken else f"{row['name']} ({row['topic']})"
            taken.add(row["name"])
    return pl.DataFrame(rows, schema=now.schema)


def _columns(first: pl.DataFrame, now: pl.DataFrame, same: dict[int, int]) -> pl.DataFrame:
    """Return what is said of documents; what runs said of one is known only where its topic is as it was."""
    new = {old: topic for topic, old in same.items()}
    known = now["topic"].is_in(list(same)) & first["confidence"].is_not_null()
    other = first["else_topic"].replace_strict(new, default=-1, return_dtype=pl.Int32)
    of_runs = pl.DataFrame({"confidence": first["confidence"], "else_topic": other})
    return now.with_columns(of_runs.select(pl.when(known).then(pl.all())).get_columns())
