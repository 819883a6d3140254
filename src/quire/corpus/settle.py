"""What all parts of a table tell together: which guesses hold, and how its values are read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from quire.corpus.columns import noted
from quire.corpus.dates import Slashed
from quire.corpus.holds import are_dates, are_labels, no_date, no_id, no_rows, same_id
from quire.corpus.notes import Notes
from quire.corpus.part_tables import Facts, Hashes, Seen, Settled
from quire.corpus.roles import Roles

Value = Callable[[int, str, bool | None], str]
"""Reads one value: of a row, of a column, whole numbers or not."""


def settle(
    facts: list[Facts], rows: int, roles: Roles, where: str, notes: Notes, value: Value
) -> tuple[Settled, Notes]:
    """Decide as :func:`quire.corpus.columns.documents_of` does, from what the parts told."""
    if not rows:
        raise no_rows(where)
    whole: dict[str, bool] = {}
    for told in facts:
        whole |= {name: whole.get(name, True) and is_whole for name, is_whole in told.whole.items()}
    if "label" in roles.guessed:
        distinct = pl.Series(np.concatenate([told.labels for told in facts])).n_unique()
        roles = roles if are_labels(distinct, rows) else roles.without("label")
    order, has_time = None, False
    if "date" in roles.columns:
        roles, notes, order, has_time = _settle_dates(facts, roles, whole, where, notes)
    if "id" in roles.columns:
        roles = _settle_ids(facts, roles, whole, where, value)
    return Settled(roles.columns, whole, order, has_time), noted(roles, notes)


def _settle_dates(
    facts: list[Facts], roles: Roles, whole: dict[str, bool], where: str, notes: Notes
) -> tuple[Roles, Notes, str | None, bool]:
    column, slashed, seen = roles.columns["date"], Slashed(), Seen()
    for told in facts:
        slashed = slashed.joined(told.slashed)
    for told in facts:
        seen += told.dates[whole.get(column, False), slashed.order]
    if "date" in roles.guessed and not are_dates(seen.read, seen.unparsed):
        return roles.without("date"), notes, None, False
    if seen.read == 0 and seen.unparsed:
        row, value = next(told.some_date for told in facts if told.some_date is not None)
        raise no_date(column, where, row, value)
    notes = notes.with_(unparsed_dates=seen.unparsed)
    notes = notes if slashed.remark is None else notes.remark(slashed.remark)
    return roles, notes, slashed.order, seen.has_time


def _settle_ids(facts: list[Facts], roles: Roles, whole: dict[str, bool], where: str, value: Value) -> Roles:
    column, guessed = roles.columns["id"], "id" in roles.guessed
    whose = f"Column {column!r} of {where}"
    missing = next((told.no_id for told in facts if told.no_id is not None), None)
    if missing is not None:
        if guessed:
            return roles.without("id")
        raise no_id(whose, missing)
    hashes = np.concatenate([told.ids for told in facts if told.ids is not None])
    for first, second in _repeated(hashes):
        ids = [value(row, column, whole.get(column)) for row in (first, second)]
        if ids[0] == ids[1]:  # else two ids have one hash: rare, but possible
            if guessed:
                return roles.without("id")
            raise same_id(whose, ids[0], first, second)
    return roles


def _repeated(hashes: Hashes) -> list[tuple[int, int]]:
    """Return the first rows whose hash came before, each with the first row that has it."""
    column = pl.Series(hashes)
    if column.n_unique() == len(column):
        return []
    again = np.flatnonzero(~column.is_first_distinct().to_numpy())[:1000]
    return [(int((hashes == hashes[row]).argmax()), int(row)) for row in again]
