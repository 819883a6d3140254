"""What an update did to the topics of a run: new, grown, shrunk, faded; which words came and which went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import counted, listed

NEW, GROWN, SHRUNK, FADED, SAME = "new", "grown", "shrunk", "faded", "same"
_SURE = 2.58  # standard errors by which shares must differ: one in a hundred does by chance
_FADED = 0.2  # of its share that a topic may have left, to have faded
_DRIFTED = 3  # of its ten first keywords that must be others
_WORDS = 10
_NAMED = 5  # topics in a sentence


def entry_of(
    before: pl.DataFrame, after: pl.DataFrame, earlier: NDArray[Any], came: NDArray[Any], about: dict[str, Any]
) -> dict[str, Any]:
    """Return the entry of an update, from the tables of topics and the topics of documents, earlier ones and new."""
    k = after.height
    counts = [np.bincount(topics[topics >= 0], minlength=k) for topics in (earlier, came)]
    totals = [max(int(count.sum()), 1) for count in counts]
    rows = []
    for topic, (name, words) in enumerate(after.select("name", "keywords").iter_rows()):
        had, got = (int(count[topic]) for count in counts)
        known = topic < before.height
        old = before["keywords"][topic].to_list()[:_WORDS] if known else []
        new = list(words)[:_WORDS]
        rows.append(
            {
                "topic": topic, "name": name, "change": _change(had, got, totals) if known else NEW,
                "documents": had, "added": got, "share": had / totals[0], "share_added": got / totals[1],
                "came": [word for word in new if word not in old] if known else [],
                "went": [word for word in old if word not in new],
            }
        )  # fmt: skip
    return {**about, "topics": rows}


def renumbered(history: Sequence[dict[str, Any]], now: Mapping[int, int]) -> list[dict[str, Any]]:
    """Return what updates did to topics that have other numbers now; of those that are gone nothing is told."""
    told = []
    for entry in history:
        rows = [row | {"topic": now[row["topic"]]} for row in entry["topics"] if row["topic"] in now]
        told.append(entry | {"topics": rows, "sentences": sentences_of(entry | {"topics": rows})})
    return told


def _change(had: int, got: int, totals: Sequence[int]) -> str:
    """Say how the share of a topic among documents that came differs from that among earlier ones."""
    share, now = had / totals[0], got / totals[1]
    both = (had + got) / sum(totals)
    error = float(np.sqrt(both * (1 - both) * sum(1 / total for total in totals)))
    if abs(now - share) <= _SURE * error:
        return SAME
    if now > share:
        return GROWN
    return FADED if now <= _FADED * share else SHRUNK


def drifted(row: dict[str, Any]) -> bool:
    """Say whether the words of a topic are others than before."""
    return row["change"] != NEW and len(row["went"]) >= _DRIFTED


def sentences_of(entry: dict[str, Any]) -> list[str]:
    """Say what an update did, in words."""
    source = f" from {entry['source']}" if entry["source"] else ""
    sentences = [f"{counted(entry['added'], 'document')} came{source} to {counted(entry['documents'], 'document')}."]
    verbs = {NEW: ("is new", "are new"), GROWN: ("grew", "grew"), SHRUNK: ("shrank", "shrank"),
             FADED: ("faded", "faded")}  # fmt: skip
    for change, (one, several) in verbs.items():
        topics = [row for row in entry["topics"] if row["change"] == change]
        if topics:
            verb = one if len(topics) == 1 else several
            sentences.append(f"{_named(topics)} {verb}.")
    for row in [row for row in entry["topics"] if drifted(row)][:_NAMED]:
        went, came = ", ".join(row["went"]), ", ".join(row["came"])
        sentences.append(f"The words of topic {row['topic']} ({row['name']}) moved: {came} came, {went} went.")
    if all(row["change"] == SAME for row in entry["topics"]):
        sentences.append("No topic is new, and none grew or shrank by more than chance.")
    return sentences


def _named(rows: list[dict[str, Any]]) -> str:
    shown = [f"{row['topic']} ({row['name']})" for row in rows[:_NAMED]]
    more = [f"{len(rows) - _NAMED} others"] if len(rows) > _NAMED else []
    return f"{'Topic' if len(rows) == 1 else 'Topics'} {listed([*shown, *more])}"
