"""From the rows of a table to documents at a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from quire.corpus.answers import answer_columns, joined_answers
from quire.corpus.cut import cut_frames, rows_at_once
from quire.corpus.decision import decide
from quire.corpus.facts import Decision, Facts, columns_by_role, documents_of
from quire.corpus.formats.format import Reading
from quire.corpus.groups import grouped_parts
from quire.corpus.notes import Notes
from quire.corpus.others import sentence_of_left
from quire.corpus.request import Progress, Request
from quire.corpus.roles import Roles, choose, sentence_of_texts
from quire.corpus.strings import as_strings
from quire.places.codec import storable
from quire.places.place import Handle, Place, Update

SAMPLE = 1000  # rows from which roles are guessed


@storable
@dataclass(frozen=True)
class Rows:
    """The rows of a part, their columns named by role."""

    first: int  # the row number of its first row
    frame: pl.DataFrame

    def by_role(self, roles: Roles) -> pl.DataFrame:
        """Return the columns of some roles, named by these."""
        return self.frame


class RowParts(NamedTuple):
    """The rows of a table in parts at a place, and what they tell."""

    handles: list[Handle]
    firsts: list[int]  # row numbers
    facts: list[Facts]


@dataclass(frozen=True)
class Table:
    """A table that has been opened."""

    name: str
    sample: pl.DataFrame  # its first rows
    batches: Callable[[list[str], int], Iterable[pl.DataFrame]]  # some columns, about so many rows at a time
    noted: Callable[[Notes], Notes] = lambda notes: notes  # adds what reading the batches met

    def put_rows(self, roles: Roles, place: Place, progress: Progress | None) -> RowParts:
        """Read the columns, a part at a time, and put them down by their roles."""
        parts, rows, text = RowParts([], [], []), 0, roles.columns["text"]
        for frame in cut_frames(self.batches(roles.read, rows_at_once(self.sample[text])), text):
            by_role, facts = columns_by_role(frame, roles, rows)
            parts.handles.append(place.put(Rows(rows, by_role)))
            parts.firsts.append(rows)
            parts.facts.append(facts)
            rows += frame.height
            if progress is not None:
                progress("reading", len(parts.handles), None)
        return parts


def read_table(table: Table, request: Request, notes: Notes, place: Place) -> Reading:
    """Return the documents of a table: id, text, where known label, date and title, then all other columns."""
    answers = answer_columns(request.columns.get("text", ""), request.each, table.sample.columns, table.name)
    table, notes = with_answers(table, request.columns, request.each), notes.with_(answers=answers)
    roles = roles_of(table, request.columns)
    left = sentence_of_left(table.sample, roles.columns.values())
    for sentence in filter(None, (left, sentence_of_texts(table.sample, roles))):
        notes = notes.remark(sentence)
    parts = table.put_rows(roles, place, request.progress)

    def id_of(row: int, whole: bool | None) -> str:
        number = int(np.searchsorted(parts.firsts, row, "right")) - 1
        rows = place.fetch(parts.handles[number])
        ids = rows.by_role(Roles({"id": roles.columns["id"]}, set()))["id"]
        return str(as_strings(ids, whole)[row - parts.firsts[number]])

    decision, notes = decide(parts.facts, roles, table.name, table.noted(notes), id_of)
    update = halves(request.progress, 1)
    documents = place.sweep(_documents, parts.handles, args=(decision,), update=update)[0]
    if "group" not in decision.roles.columns:
        return Reading(documents, notes)
    return Reading(*grouped_parts(documents, decision.roles.columns["group"], notes, place))


def with_answers(table: Table, named: dict[str, str], each: bool) -> Table:
    """Return a table in which several columns of texts are one, under the list of their names."""
    asked = named.get("text", "")
    names = answer_columns(asked, each, table.sample.columns, table.name)
    if not names:
        return table

    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        others = [name for name in columns if name != asked]
        for frame in table.batches([*others, *names], rows):
            yield joined_answers(frame, names, each, asked).select(columns)

    return Table(table.name, joined_answers(table.sample, names, each, asked), batches, table.noted)


def roles_of(table: Table, named: dict[str, str]) -> Roles:
    """Return which column of a table plays which role."""
    if "group" in named and "id" in named:
        raise ValueError("A group is a document and its value is the id: name a group or an id, not both.")
    for role in ("title", "url", "weight"):
        if "group" in named and role in named:
            raise ValueError(f"Rows of a group are one document without a {role} of its own: name a group or a {role}.")
    if "group" in named and "embeddings" in named:
        raise ValueError("Rows of a group are one document, but their vectors are not: name a group or embeddings.")
    return choose(table.sample, named, table.name)


def halves(progress: Progress | None, past: int) -> Update | None:
    """Return what follows the first of two sweeps, or the second."""
    if progress is None:
        return None
    return lambda done, total: progress("reading", past * (total or 0) + done, 2 * (total or 0))


def _documents(rows: Rows, decision: Decision) -> tuple[pl.DataFrame, None]:
    return documents_of(rows.by_role(decision.roles), rows.first, decision), None
