"""One topic of a run, as ``run.topic(3)`` returns it: what it is about, and what to read of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from quire.messages import counted
from quire.runs.html import bar, heading, line, rows_of, words_of

_LONGEST = 300  # characters of a document that are shown


@dataclass(frozen=True, eq=False, repr=False)
class TopicView:
    """A topic: its number, name, size, share, stability, words, a passage to quote, and documents to read."""

    number: int
    name: str
    size: int
    share: float
    stability: float | None
    keywords: list[str]
    heaviest: list[str]
    passage: str | None
    note: str | None
    typical: pl.DataFrame
    borderline: pl.DataFrame

    @classmethod
    def of(cls, run: Any, number: int) -> TopicView:
        """Look a topic up; refuse one that is not there."""
        row = run.topics.row(checked_topic(run, number), named=True)
        known = {name: row[name] for name in ("name", "size", "share", "stability", "keywords", "heaviest", "passage")}
        typical, borderline = (_documents(run, row[name]) for name in ("typical", "borderline"))
        return cls(
            number=row["topic"], note=run.notes.get(row["topic"]), typical=typical, borderline=borderline, **known
        )

    def __repr__(self) -> str:
        return f"<Topic {self.number}: {self.name} ({counted(self.size, 'document')}, {self.share:.1%})>"

    def _repr_html_(self) -> str:
        stable = "" if self.stability is None else f", stable {self.stability:.0%}"
        facts = f"{counted(self.size, 'document')}, {self.share:.1%} of all{stable}"
        parts = [heading(f"Topic {self.number}: {self.name}"), line(facts), bar(self.share)]
        parts += [line(self.note)] if self.note else []
        parts += [line(words_of(self.keywords))]
        parts += [line(f"“{self.passage}”", quoted=True)] if self.passage else []
        shown = [[id, said] for id, said in zip(self.typical["id"], beginnings(self.typical))]
        return f"<div>{''.join(parts)}{rows_of(('Typical document', ''), shown)}</div>"


def checked_topic(run: Any, number: Any) -> int:
    """Return the number of a topic; refuse what is none."""
    k = len(run.topics)
    if isinstance(number, bool) or not hasattr(number, "__index__") or not 0 <= number < k:
        there = "only topic 0" if k == 1 else f"topics 0 to {k - 1}"
        raise ValueError(f"The run has no topic {number!r}: it has {there}; run.topics lists them.")
    return int(number)


def beginnings(documents: pl.DataFrame) -> list[str]:
    """Return how to tell documents apart at a glance: by title, else by how they begin."""
    texts = documents["text"].to_list() if "text" in documents.columns else [None] * len(documents)
    titles = documents["title"].to_list() if "title" in documents.columns else [None] * len(documents)
    return [title or " ".join((text or "")[:_LONGEST].split()) for title, text in zip(titles, texts)]


def _documents(run: Any, ids: list[str]) -> pl.DataFrame:
    """Return documents by their ids, in this order."""
    wanted = pl.DataFrame({"id": ids}, schema={"id": pl.String})
    return wanted.join(run.documents.filter(pl.col("id").is_in(ids)), on="id", how="inner", maintain_order="left")
