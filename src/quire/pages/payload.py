"""What the page shows of a run: one schema, whether it goes into a file or over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import Update, short
from quire.pages.about import about
from quire.pages.beside import address_of, columns_beside
from quire.pages.edits import edits_of
from quire.pages.encoding import json_bytes, json_lists, json_numbers, json_string
from quire.pages.explain import Explainer
from quire.pages.layout import positions_of
from quire.pages.parts import parts_of
from quire.pages.periods import sparks, time_of
from quire.pages.points import label_names, packed_points
from quire.pages.sections.by import value_columns
from quire.pages.sections.registry import sections_of
from quire.pages.sections.section import Asked
from quire.pages.sections.tree import node_column
from quire.pages.topic_facts import term_table, topic_facts
from quire.places.machine import side_by_side
from quire.runs.contributions import MOST_TERMS, can_weigh
from quire.runs.diff import term_shares
from quire.runs.ranks import typicality_ranks
from quire.runs.run import Run

SCHEMA = 1
_SNIPPET, _TITLE, _LONGEST = 240, 500, 1_000_000  # characters
_LEAST_SHARE = 0.005
_WHOLE = (
    '{"row":%d,"id":%s,"title":%s,"text":%s,"length":%d,"label":%s,"date":%s,"memberships":%s,"why":%s,'
    '"beside":%s,"url":%s}'
)


@dataclass(frozen=True, eq=False, repr=False)
class Payload:
    """What the page shows of a run; ``web/src/payload.ts`` says what each part holds."""

    head: dict[str, Any]  # what the first view needs
    terms: dict[str, Any]  # the vocabulary
    points: bytes  # a few numbers for every document, in columns as ``head["columns"]`` says
    rank: NDArray[np.int64]  # of each document in its topic, the most typical first
    run: Run
    folder: str = ""  # where the run is, where that is known
    others: dict[int, Callable[[], Payload]] = field(default_factory=dict)  # of the run's other cuts
    again: Callable[[Run], Payload] | None = None  # the same of the run once it was edited

    def at(self, n_topics: int) -> Payload:
        """Return the same of another cut of the run (``head["cuts"]``), made when it is first asked for."""
        return self if n_topics == len(self.run.H) else self.others[n_topics]()

    @cached_property
    def time(self) -> dict[str, Any] | None:
        """Topics over time, with their words in each period; None where no dates are known."""
        return time_of(self.run)

    def listed(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return documents as lists show them."""
        few = ({name: values[int(row)] for name, values in self._beginnings.items()} for row in rows)
        return [
            {"row": int(row), "id": _cut(one["id"]), "title": _title(one), "snippet": _snippet(one.get("text"))}
            for row, one in zip(rows, few)
        ]

    def full(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return documents with all that their table says of them, as they are taken along."""
        table = self._read[np.array(rows, np.intp)]
        dates = [pl.col("date").dt.date().cast(pl.String)] * ("date" in table.columns)
        said = zip(self.listed(rows), table.with_columns(*dates).iter_rows(named=True),
                   columns_beside(self.run.documents, np.array(rows, np.intp)))  # fmt: skip
        return [
            one | {"text": None if row.get("text") is None else row["text"][:_LONGEST], "label": _cut(row.get("label")),
                   "date": row.get("date"), "beside": beside, "url": address_of(row.get("url"))}
            for one, row, beside in said
        ]  # fmt: skip

    def whole(self, row: int) -> dict[str, Any]:
        """Return a document as a whole, with what put it into its topic."""
        return self.whole_ones([row])[0]

    def whole_ones(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return documents as wholes: some together take hardly longer than one."""
        documents: list[dict[str, Any]] = [json.loads(one) for one in self.wholes(np.array(rows), _LONGEST)]
        return [document | {"snippet": _snippet(document["text"])} for document in documents]

    def wholes(self, rows: NDArray[Any], longest: int, most: int = MOST_TERMS) -> list[str]:
        """Return documents as wholes, without their snippets, as JSON."""
        table = self._read[rows]
        text = [pl.col("text").str.len_chars().alias("length"), pl.col("text").str.slice(0, longest)]
        date = [pl.col("date").dt.date().cast(pl.String)]
        table = table.with_columns(*(text * ("text" in table.columns) + date * ("date" in table.columns)))
        beside = (json_bytes(more).decode() for more in columns_beside(self.run.documents, rows))
        said = zip(rows.tolist(), table.iter_rows(named=True), *self._said(rows, most), beside)
        return [
            _WHOLE % (
                row, json_string(_cut(one["id"])), json_string(_title(one)), json_string(one.get("text")),
                one.get("length", 0), json_string(_cut(one.get("label"))), json_string(one.get("date")), *reasons,
                json_string(address_of(one.get("url"))),
            )
            for row, one, *reasons in said
        ]  # fmt: skip

    def reasons(self, rows: NDArray[Any], most: int = MOST_TERMS) -> list[str]:
        """Return what a cut says of documents, as JSON: their memberships, and what put each into its topic."""
        return [f"[{memberships},{why}]" for memberships, why in zip(*self._said(rows, most))]

    def _said(self, rows: NDArray[Any], most: int) -> tuple[list[str], list[str]]:
        why = self._explainer.as_json(rows, most) if self.head["has"]["words"] else ["null"] * len(rows)
        return _largest_shares(self.run, rows), why

    @cached_property
    def _read(self) -> pl.DataFrame:
        """What is shown of a document; a row of fewer columns is taken out sooner."""
        names = ("id", "title", "text", "label", "date", "url")
        return self.run.documents.select(name for name in names if name in self.run.documents.columns)

    @cached_property
    def _beginnings(self) -> dict[str, pl.Series]:
        """What lists show: the beginnings of texts point into these. A few values are sooner got than a few rows."""
        texts = pl.col("text").str.slice(0, 2 * _SNIPPET)
        shown = self._read.with_columns(*[texts] * ("text" in self._read.columns))
        return {name: shown[name] for name in ("id", "title", "text") if name in shown.columns}

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.run)


def payload_of(
    run: Run,
    folder: str | Path = "",
    *,
    title: str | None = None,
    choice: str | Path | None = None,
    other: str | Path | dict[str, Any] | None = None,
    layout: str = "topics",
    served: bool = False,
    update: Update = lambda done, total: None,
) -> Payload:
    """Gather what the page shows of a run, and of what it is asked to show beside it."""
    if title is None:
        title = Path(folder).resolve().name if folder else ""
    rank, shares, labels = side_by_side(
        lambda: typicality_ranks(run), lambda: term_shares(run), lambda: label_names(run.documents)
    )
    update(1, 4)
    positions, sections, spark, terms, parts = side_by_side(
        lambda: positions_of(run, rank, layout), lambda: sections_of(run, Asked(title, choice, other)),
        lambda: sparks(run), lambda: term_table(run, shares), lambda: parts_of(run),
    )  # fmt: skip
    update(2, 4)
    topics, (points, columns) = side_by_side(
        lambda: topic_facts(run, shares, positions.topics),
        lambda: packed_points(
            run, positions, rank, labels, parts, chain(value_columns(run, sections["by"]), node_column(run))
        ),
    )
    for topic in topics if spark else []:
        topic["spark"] = spark[2][topic["topic"]] if spark else None
    update(3, 4)
    head = {
        "schema": SCHEMA, "title": title or _source_name(run), "n": len(run.documents),
        "unassigned": int((run.labels < 0).sum()), "topics": topics,
        "labels": None if labels is None else [short(name) for name in labels],
        "spark": {"bin": spark[0], "starts": spark[1]} if spark else None,
        **sections, "about": about(run, layout),
        "columns": columns, "has": _has(run, served), "left": None, "cuts": run.cuts, "edits": edits_of(run),
        "parts": parts and parts.named,
    }  # fmt: skip
    update(4, 4)
    compared = None if isinstance(other, dict) else other  # a comparison is that of one cut
    how: dict[str, Any] = {
        "title": title, "choice": choice, "other": compared, "layout": layout, "served": served
    }  # fmt: skip
    payload = Payload(
        head, terms, points, rank, run, str(folder), again=lambda edited: payload_of(edited, folder, **how)
    )
    payload.others.update({k: cache(partial(_payload_at, run, k, folder, how)) for k in run.others})
    return payload


def _payload_at(run: Run, n_topics: int, folder: str | Path, how: dict[str, Any]) -> Payload:
    return payload_of(run.at(n_topics), folder, **how)


def _has(run: Run, served: bool) -> dict[str, bool]:
    text = "text" in run.documents.columns
    return {"text": text, "words": can_weigh(run), "confidence": run.info.get("runs") is not None,
            "search": served and text, "rename": served, "edit": served and text}  # fmt: skip


def _largest_shares(run: Run, rows: NDArray[Any]) -> list[str]:
    """Return each document's memberships worth telling, largest first, as JSON; none where it has no topic."""
    shares = run.memberships_of(rows).astype(np.float64)
    shares[run.silent(rows)] = 0
    row, topic = np.nonzero(shares >= _LEAST_SHARE)
    order = np.lexsort((-shares[row, topic], row))
    row, topic = row[order], topic[order]
    pairs = [f"[{t},{share}]" for t, share in zip(topic.tolist(), json_numbers(np.round(shares[row, topic], 4)))]
    return json_lists(pairs, np.bincount(row, minlength=len(rows)))


def _source_name(run: Run) -> str:
    source = str(run.info["corpus"].get("source") or "")
    return PurePath(source).name or source or "Topics"


def _title(row: dict[str, Any]) -> str | None:
    title = row.get("title")
    return None if title is None else str(title)[:_TITLE]


def _cut(text: str | None) -> str | None:
    return None if text is None else short(text)


def _snippet(text: str | None) -> str | None:
    return None if text is None else " ".join(text[: 2 * _SNIPPET].split())[:_SNIPPET]
