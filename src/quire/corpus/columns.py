"""From the columns of a table to documents: roles, checks, dates and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from quire.corpus.dates import read_dates
from quire.corpus.holds import are_dates, are_labels, no_date, no_group, no_id, no_rows, same_id
from quire.corpus.notes import Notes
from quire.corpus.roles import Roles, choose
from quire.corpus.strings import as_strings, blank_to_null

SAMPLE = 1000  # rows from which roles are guessed


@dataclass(frozen=True)
class Table:
    """A table that has been opened: its first rows, and a way to read some columns in full."""

    name: str
    sample: pl.DataFrame
    take: Callable[[list[str]], pl.DataFrame]
    batches: Callable[[list[str], int], Iterator[pl.DataFrame]] | None = None
    """The same, so many rows at a time, where not all rows need to be in memory for it."""


def documents_of(table: Table, named: dict[str, str], notes: Notes) -> tuple[pl.DataFrame, Notes]:
    r"""Return the documents of a table: id, text and, where known, label, date and title.

    Only the columns that play a role are read. A column that the user named must hold what it should; a guess
    that does not hold is dropped.
    """
    roles = roles_of(table, named)
    frame = table.take(list(dict.fromkeys(roles.columns.values())))
    if frame.height == 0:
        raise no_rows(table.name)
    # Each step either adds its column or drops a guess.
    parts = {"text": as_strings(frame[roles.columns["text"]]).fill_null("")}
    for role, step in {"label": _labels, "date": _dates}.items():
        if role in roles.columns:
            roles, notes = step(frame, roles, table.name, parts, notes)
    if "title" in roles.columns:
        parts["title"] = as_strings(frame[roles.columns["title"]])
    if "group" in roles.columns:
        documents, notes = _grouped(as_strings(frame[roles.columns["group"]]), parts, notes)
    else:
        roles = _ids(frame, roles, table.name, parts)
        documents = pl.DataFrame({"id": parts.pop("id"), **parts})
    return documents, noted(roles, notes)


def roles_of(table: Table, named: dict[str, str]) -> Roles:
    """Return which column of a table plays which role."""
    if "group" in named and "id" in named:
        raise ValueError("A group is a document and its value is the id: name a group or an id, not both.")
    return choose(table.sample, named, table.name)


def noted(roles: Roles, notes: Notes) -> Notes:
    """Return the notes with the columns that were used, and which of them were guessed."""
    guessed = tuple(role for role in roles.columns if role in roles.guessed)
    return notes.with_(columns=roles.columns, guessed=guessed)


def row_numbers(n: int) -> pl.Series:
    """Return the ids of documents that have none: "1", "2", …."""
    return pl.int_range(1, n + 1, eager=True).cast(pl.String)


def check_ids(ids: pl.Series, whose: str) -> None:
    """Refuse ids that are missing or not unique."""
    if ids.null_count():
        raise no_id(whose, int(ids.is_null().arg_max() or 0))
    repeated = ids.is_first_distinct().not_()
    if repeated.any():
        second = int(repeated.arg_max() or 0)
        first = int((ids == ids[second]).arg_max() or 0)
        raise same_id(whose, ids[second], first, second)


def _ids(frame: pl.DataFrame, roles: Roles, where: str, parts: dict[str, pl.Series]) -> Roles:
    if "id" in roles.columns:
        ids = blank_to_null(as_strings(frame[roles.columns["id"]]))
        if "id" not in roles.guessed:
            check_ids(ids, f"Column {roles.columns['id']!r} of {where}")
        if ids.null_count() == 0 and ids.n_unique() == len(ids):
            parts["id"] = ids
            return roles
    parts["id"] = row_numbers(frame.height)
    return roles.without("id")


def _labels(
    frame: pl.DataFrame, roles: Roles, where: str, parts: dict[str, pl.Series], notes: Notes
) -> tuple[Roles, Notes]:
    labels = blank_to_null(as_strings(frame[roles.columns["label"]]))
    distinct = labels.drop_nulls().n_unique()
    if "label" in roles.guessed and not are_labels(distinct, frame.height):
        return roles.without("label"), notes
    parts["label"] = labels
    return roles, notes


def _dates(
    frame: pl.DataFrame, roles: Roles, where: str, parts: dict[str, pl.Series], notes: Notes
) -> tuple[Roles, Notes]:
    column = frame[roles.columns["date"]]
    dates = read_dates(column)
    read = int(dates.values.count())
    if "date" in roles.guessed and not are_dates(read, dates.unparsed):
        return roles.without("date"), notes
    if read == 0 and dates.unparsed:
        row = int((blank_to_null(as_strings(column)).is_not_null()).arg_max() or 0)
        raise no_date(column.name, where, row, str(column[row]))
    parts["date"] = dates.values
    notes = notes.with_(unparsed_dates=dates.unparsed)
    return roles, notes if dates.remark is None else notes.remark(dates.remark)


def _grouped(group: pl.Series, parts: dict[str, pl.Series], notes: Notes) -> tuple[pl.DataFrame, Notes]:
    parts.pop("title", None)
    frame = pl.DataFrame({"id": blank_to_null(group), **parts})
    named = frame.drop_nulls("id")
    if named.height == 0:
        raise no_group(group.name)
    notes = notes.with_(grouped_from=named.height, n_ungrouped=frame.height - named.height)
    return joined_rows(named), notes


def joined_rows(named: pl.DataFrame) -> pl.DataFrame:
    r"""Join the rows of each group: texts in order, the most frequent label, the earliest date."""
    joined = [pl.col("text").str.join("\n")]
    if "date" in named.columns:
        joined.append(pl.col("date").min())
    documents = named.group_by("id", maintain_order=True).agg(joined)
    if "label" in named.columns:
        # Order is kept throughout, and the sort is stable: of two labels as frequent, the first seen wins.
        seen = named.drop_nulls("label").group_by("id", "label", maintain_order=True).len()
        most = seen.sort("len", descending=True, maintain_order=True).unique("id", keep="first")
        documents = documents.join(most.drop("len"), on="id", how="left", maintain_order="left")
    return documents
