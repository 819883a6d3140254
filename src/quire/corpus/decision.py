"""What all rows of a table tell together: which guesses hold, and how its values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from quire.corpus.dates import Slashed
from quire.corpus.facts import DateCounts, Decision, Facts, Hashes
from quire.corpus.notes import Notes
from quire.corpus.others import NOTHING, kept_names
from quire.corpus.roles import Roles

_FEW_CLASSES = 10  # that a guess may have however few the rows are
MOSTLY = 0.9  # of a guessed column's dates must be readable
IdOf = Callable[[int, bool | None], str]
"""Reads the id of a row, whole numbers or not."""


def decide(facts: list[Facts], roles: Roles, where: str, notes: Notes, id_of: IdOf) -> tuple[Decision, Notes]:
    """Return how rows become documents; a column that was named must hold what it should."""
    rows, whole = sum(some.rows for some in facts), dict[str, bool]()
    if not rows:
        raise ValueError(f"{where} has no rows: there is nothing to read.")
    for some in facts:
        whole |= {role: whole.get(role, True) and is_whole for role, is_whole in some.whole.items()}
    if "label" in roles.guessed:
        distinct = pl.Series(np.concatenate([some.labels for some in facts])).n_unique()
        roles = roles if _may_be_classes(distinct, rows) else roles.without("label")
    order, has_time = None, False
    if "date" in roles.columns:
        roles, notes, order, has_time = _decide_dates(facts, roles, whole, where, notes)
    if "id" in roles.columns:
        roles = _decide_ids(facts, roles, whole, where, id_of)
    if "weight" in roles.columns:
        notes = _decide_weights(facts, roles.columns["weight"], where, notes)
    guessed = tuple(role for role in roles.columns if role in roles.guessed)
    kinds = {name: max(some.kinds.get(name, NOTHING) for some in facts) for name in roles.others}
    renamed = kept_names(name for name in roles.others if name not in roles.columns.values())
    for name, kept in renamed.items():
        if kept != name:
            notes = notes.remark(f"Column {name!r} is kept as {kept!r}: a run has one of that name.")
    return Decision(roles, whole, order, has_time, kinds), notes.with_(columns=roles.columns, guessed=guessed)


def _may_be_classes(distinct: int, rows: int) -> bool:
    """Say whether a column that nobody named may hold known classes: accounts, authors and titles have many values."""
    return 0 < distinct <= rows / 2 and (distinct <= _FEW_CLASSES or distinct < rows / 5)


def _decide_dates(
    facts: list[Facts], roles: Roles, whole: dict[str, bool], where: str, notes: Notes
) -> tuple[Roles, Notes, str | None, bool]:
    slashed, counts = Slashed(), DateCounts()
    for some in facts:
        slashed = slashed.joined(some.slashed)
    for some in facts:
        counts += some.dates[whole.get("date", False), slashed.order]
    holds = counts.read > 0 and counts.read >= MOSTLY * (counts.read + counts.unparsed)
    if "date" in roles.guessed and not holds:
        return roles.without("date"), notes, None, False
    if counts.read == 0 and counts.unparsed:
        row, value = next(some.some_date for some in facts if some.some_date is not None)
        raise ValueError(
            f"Column {roles.columns['date']!r} of {where} holds no date that could be read (row {row + 1:,}: "
            f"{value[:40]!r}): write dates as YYYY-MM-DD, or name another column."
        )
    notes = notes.with_(unparsed_dates=counts.unparsed)
    notes = notes if slashed.remark is None else notes.remark(slashed.remark)
    return roles, notes, slashed.order, counts.has_time


def _decide_weights(facts: list[Facts], column: str, where: str, notes: Notes) -> Notes:
    wrong = next((some.no_weight for some in facts if some.no_weight is not None), None)
    if wrong is not None:
        row, value = wrong
        raise ValueError(
            f"Column {column!r} of {where} holds no weight in row {row + 1:,} ({value[:40]!r}): write a number there, "
            "0 or more, or leave the row out."
        )
    if not sum(some.weight for some in facts):
        raise ValueError(f"Column {column!r} of {where} gives every document the weight 0: name another column.")
    return notes.remark(f"Shares count documents by column {column!r}; topics are found without weights.")


def _decide_ids(facts: list[Facts], roles: Roles, whole: dict[str, bool], where: str, id_of: IdOf) -> Roles:
    guessed, whose = "id" in roles.guessed, f"Column {roles.columns['id']!r} of {where}"
    missing = next((some.no_id for some in facts if some.no_id is not None), None)
    if missing is not None:
        if guessed:
            return roles.without("id")
        raise no_id(whose, missing)
    for first, second in repeated_rows(np.concatenate([some.ids for some in facts if some.ids is not None])):
        ids = [id_of(row, whole.get("id")) for row in (first, second)]
        if ids[0] == ids[1]:  # else two ids have one hash: rare, but possible
            if guessed:
                return roles.without("id")
            raise same_id(whose, ids[0], first, second)
    return roles


def repeated_rows(hashes: Hashes) -> Iterator[tuple[int, int]]:
    """Yield the rows whose hash came before, each with the first row that has it: one scan for each."""
    column = pl.Series(hashes)
    if column.n_unique() == len(column):
        return
    for row in np.flatnonzero(~column.is_first_distinct().to_numpy()):
        yield int((hashes == hashes[row]).argmax()), int(row)


def check_ids(ids: pl.Series, whose: str) -> None:
    """Refuse ids that are missing or not unique."""
    if ids.null_count():
        raise no_id(whose, int(ids.is_null().arg_max() or 0))
    repeated = ids.is_first_distinct().not_()
    if repeated.any():
        second = int(repeated.arg_max() or 0)
        first = int((ids == ids[second]).arg_max() or 0)
        raise same_id(whose, ids[second], first, second)


def no_id(whose: str, row: int) -> ValueError:
    """Return the error for a row without an id."""
    return ValueError(f"{whose} holds no id in row {row + 1:,}: choose another id, or leave it out.")


def same_id(whose: str, id: str, first: int, second: int) -> ValueError:
    """Return the error for two rows with one id."""
    return ValueError(
        f"{whose} holds the id {id!r} twice, in rows {first + 1:,} and {second + 1:,}: "
        "choose another id, or leave it out."
    )
