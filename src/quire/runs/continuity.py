"""What an updated run has of the one before: names of topics, how sure they and their documents are, its history."""

from __future__ import annotations

import datetime
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.places.place import Handle, Place
from quire.runs.asked import Asked
from quire.runs.assigning import confidence_curve
from quire.runs.cut import Cut
from quire.runs.history import entry_of, sentences_of
from quire.runs.write import FOUND


def as_before(run: Asked, cut: Cut, source: str, remembered: float) -> Cut:
    """Give topics the names they had, and documents the confidence; note what has changed."""
    described, k = cut.description, len(run.H)
    topics = described.topics
    for name in ("name", "stability"):
        topics = topics.with_columns(pl.concat([run.topics[name], topics[name][k:]]).alias(name))
    topics = topics.with_columns(name=_told_apart(topics["name"].to_list(), k))
    columns = _with_confidence(run, cut.W.place, described.columns, cut.W.sizes)
    n_before = len(run.documents)
    about = {
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "source": source,
        "documents": n_before, "added": len(described.labels) - n_before, "remembered": remembered,
    }  # fmt: skip
    earlier, came = described.labels[:n_before], described.labels[n_before:]
    entry = entry_of(run.topics, topics, earlier, came, about)
    entry["sentences"] = sentences_of(entry)
    info = cut.info | {"runs": run.info.get("runs"), "history": [*(run.info.get("history") or []), entry]}
    if run.given_names or run.notes:  # the edits stay with the run before, what people said goes on
        said = {"names": run.given_names, "notes": run.notes}
        info["given"] = {what: [said[what].get(topic, "") for topic in range(k)] for what in said}
    if run.info.get("seeds"):
        info["seeds"] = run.info["seeds"]
    return replace(cut, description=replace(described, topics=topics, columns=columns), info=info)


def _told_apart(names: list[str], known: int) -> pl.Series:
    """Return the names of topics; a new one that is called as an older one is gets its number behind it."""
    taken = set(names[:known])
    new = [f"{name} ({known + i})" if name in taken else name for i, name in enumerate(names[known:])]
    return pl.Series("name", [*names[:known], *new], dtype=pl.String)


def _with_confidence(run: Asked, place: Place, columns: list[Handle], sizes: NDArray[np.int64]) -> list[Handle]:
    """Let documents that stay in their topic keep their confidence; others have the usual one of their membership."""
    curve = confidence_curve(run)
    if curve is None:
        return columns
    known = run.documents.select(*FOUND)
    ends = np.cumsum(sizes).tolist()
    before = [place.put(known.slice(end - size, size)) for end, size in zip(ends, sizes.tolist())]
    return place.sweep(_confident, columns, before, args=curve)[0]


def _confident(
    columns: pl.DataFrame, before: pl.DataFrame, at: NDArray[np.float64], mean: NDArray[np.float64]
) -> tuple[pl.DataFrame, None]:
    topic, share = _nearest(columns)
    confidence, elsewhere = np.interp(share, at, mean), np.full(len(topic), -1, np.int32)
    there = np.arange(before.height)
    stayed = there[(_nearest(before)[0] == topic[there]) & before["confidence"].is_not_null().to_numpy()]
    confidence[stayed] = before["confidence"].to_numpy()[stayed]
    elsewhere[stayed] = before["else_topic"].fill_null(-1).to_numpy()[stayed]
    known = pl.DataFrame({"confidence": confidence, "else_topic": elsewhere})
    return columns.with_columns(known.select(pl.when(pl.Series(topic >= 0)).then(pl.all()))), None


def _nearest(columns: pl.DataFrame) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the topic of each document, however unsure, and its membership."""
    topic, share, second, second_share = (columns[name].to_numpy() for name in FOUND[:4])
    return np.where(topic >= 0, topic, second), np.where(topic >= 0, share, second_share).astype(np.float64)
