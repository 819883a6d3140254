"""Topics over time, for every calendar bin, with the words of each topic in each period."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import short
from quire.places.machine import allowed_threads, in_order
from quire.places.memory import row_view
from quire.runs.calendar import BINS, binned, fitting_bin
from quire.runs.contributions import can_weigh, weighted
from quire.runs.digits import digits
from quire.runs.run import Run

MOST_BINS, N_WORDS = 400, 12
_BLOCK = 1 << 15  # documents whose weights are looked at together
_IN_MANY = 4  # a word that is heavy in more than one topic of so many tells none of them
_DAYS = {name.lower() for names in (calendar.month_name, calendar.month_abbr, calendar.day_name) for name in names}
_NUMBER = re.compile(r"[\W\d_]+|\d+(st|nd|rd|th|s)")


def sparks(run: Run) -> tuple[str, list[str], list[list[int]]] | None:
    """Return the bin that fits, its first days, and the documents of each topic in each; None if undated."""
    if not _has_dates(run):
        return None
    bin = fitting_bin(run.documents["date"])
    starts, _, counts = binned(run.labels, run.documents["date"], len(run.H), bin)
    return bin, [str(day) for day in starts], counts.tolist()


def time_of(run: Run) -> dict[str, Any] | None:
    """Return what the page shows of time; None where no document with a topic has a date."""
    if not _has_dates(run):
        return None
    dates, labels = run.documents["date"].cast(pl.Date), run.labels
    columns = _word_columns(run) if can_weigh(run) else [[] for _ in run.H]
    undated = dates.is_null().to_numpy()
    entries = _entries(run, np.where(undated, -1, labels), columns)
    names = _bins(dates)
    made = in_order(_in_bins, ((run, dates, labels, entries, columns, bin) for bin in names), allowed_threads())
    return {
        "bin": fitting_bin(dates), "undated": int(((labels >= 0) & undated).sum()), "bins": dict(zip(names, made))
    }  # fmt: skip


def _in_bins(
    run: Run, dates: pl.Series, labels: NDArray[np.intp], entries: _Entries, columns: list[list[int]], bin: str
) -> dict[str, Any]:
    starts, place, counts = binned(labels, dates, len(run.H), bin)
    words = _words(run, entries, columns, place, len(starts))
    return {"starts": [str(day) for day in starts], "counts": counts.tolist(), "words": words}


def _has_dates(run: Run) -> bool:
    if "date" not in run.documents.columns:
        return False
    return bool((run.documents["date"].is_not_null() & (run.documents["topic"] >= 0)).any())


def _bins(dates: pl.Series) -> list[str]:
    """Return the bins that do not cut time into too many pieces, and the one that fits in any case."""
    days = (dates.max() - dates.min()).days  # type: ignore[operator,union-attr]
    fine = [bin for bin, (_, length) in BINS.items() if days / length + 2 <= MOST_BINS]
    return fine or [fitting_bin(dates)]


def _word_columns(run: Run) -> list[list[int]]:
    """Return the terms of each topic: its keywords that are terms, then its heaviest; no dates, nor what all have."""
    column = {word: j for j, word in reversed(list(enumerate(run.words)))}
    heaviest = run.topics["heaviest"].to_list()
    topics_of = Counter(word for words in heaviest for word in set(words))
    everywhere = {word for word, n in topics_of.items() if n > max(2, len(heaviest) / _IN_MANY)}
    telling = (
        dict.fromkeys([*own, *(word for word in heavy if word not in everywhere)])
        for own, heavy in zip(run.topics["keywords"].to_list(), heaviest)
    )
    return [[column[w] for w in words if w in column and is_word(w)][:N_WORDS] for words in telling]


def is_word(term: str) -> bool:
    """Say whether a term is more than a number or a date: on a calendar ``22``, ``1st`` and ``march`` say nothing."""
    parts = term.casefold().split()
    return any(part not in _DAYS and not _NUMBER.fullmatch(part) for part in parts)


class _Entries(NamedTuple):
    """The weights of terms in dated documents whose topic shows the term."""

    row: NDArray[np.int64]
    topic: NDArray[np.int32]
    place: NDArray[np.int8]  # among the terms that the topic shows
    weight: NDArray[Any]


def _entries(run: Run, labels: NDArray[np.intp], columns: list[list[int]]) -> _Entries:
    """Return what words in periods are sums of: few of all weights."""
    shown = np.full((len(columns) + 1, len(run.words)), -1, np.int8)  # the last line: of documents without a topic
    for topic, own in enumerate(columns):
        shown[topic, own] = np.arange(len(own))
    starts = range(0, len(run.documents), _BLOCK) if any(columns) else []
    jobs = ((run, labels[start : start + _BLOCK], shown, start) for start in starts)
    parts = list(in_order(_entries_of, jobs, allowed_threads()))
    none = _Entries(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros(0))
    return _Entries(*map(np.concatenate, zip(*parts or [none])))


def _entries_of(run: Run, labels: NDArray[np.intp], shown: NDArray[np.int8], start: int) -> _Entries:
    stop = min(start + _BLOCK, len(run.documents))
    X = weighted(run, slice(start, stop)) if run.X is None else row_view(run.X, start, stop)
    row = np.repeat(np.arange(X.shape[0], dtype=np.int32), np.diff(X.indptr))
    place = shown[labels.astype(np.int32)[row], X.indices]
    kept = np.flatnonzero(place >= 0)
    row = row[kept]
    return _Entries(row.astype(np.int64) + start, labels[row].astype(np.int32), place[kept], X.data[kept])


def _words(
    run: Run, entries: _Entries, columns: list[list[int]], period: NDArray[np.int64], n_bins: int
) -> list[list[Any]]:
    """Return, topic by topic, its words with their weights, Σ x_ij over its documents of each period."""
    row, topic, place, weight = entries
    cells = (topic * np.int64(n_bins) + period[row]) * N_WORDS + place
    sums = np.bincount(cells, weight, len(columns) * n_bins * N_WORDS).reshape(len(columns), n_bins, N_WORDS)
    by_topic = []
    for own, of_topic in zip(columns, sums):
        weights = of_topic[:, : len(own)].T
        order = np.argsort(-weights.sum(axis=1), kind="stable")
        shown = zip([short(run.words[own[j]]) for j in order], digits(weights[order], 3).tolist())
        by_topic.append([(word, [(b, w) for b, w in enumerate(line) if w]) for word, line in shown if any(line)])
    return by_topic
