"""Several sources as one corpus: each document says which it is from, and ids stay unique."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.formats.format import Reading, put_documents
from quire.corpus.notes import NAMED_AT_MOST, SHOWN_AT_MOST, Notes
from quire.messages import listed
from quire.places.place import Place

LOOSE = ""  # the name of files that are documents: their ids say which
_FIRST, SOURCE = ("id", "text", "label", "date", "title"), "source"
_SUMS = ("n_skipped", "replaced_characters", "replaced_in", "malformed", "unparsed_dates", "n_ungrouped", "n_files")


def united(readings: Mapping[str, Reading], notes: Notes, place: Place) -> Reading:
    """Return one reading of several, by the names of their sources; a single one stays as it is."""
    for name, reading in readings.items():
        if reading.matrix is not None:
            raise ValueError(f"{name} is a matrix, which cannot be read with other files: name it alone.")
    if len(readings) == 1:
        (reading,) = readings.values()
        own = reading.notes
        together = own.with_(source=notes.source, unread=notes.unread | own.unread, n_files=notes.n_files)
        return Reading(reading.parts, together)
    schema = _common([place.fetch(reading.parts[0]).schema for reading in readings.values() if reading.parts])
    ids = [place.sweep(_ids, reading.parts)[1] or [] for reading in readings.values()]
    hashes = np.concatenate([one for some in ids for one in some])
    apart = pl.Series(hashes).n_unique() < len(hashes)

    def frames() -> Iterator[pl.DataFrame]:
        for name, reading in readings.items():
            for part in reading.parts:
                yield _as_one(place.fetch(part), name, schema, apart)

    return Reading(put_documents(frames(), place), _together(readings, notes, apart))


def _as_one(documents: pl.DataFrame, name: str, schema: Mapping[str, Any], apart: bool) -> pl.DataFrame:
    """Return documents with the columns of all sources, and where they are from."""
    here = [
        pl.col(column).cast(dtype, strict=False) if column in documents.columns else pl.lit(None, dtype).alias(column)
        for column, dtype in schema.items()
    ]
    if name == LOOSE:
        return documents.select(*here, pl.col("id").str.replace(r"#\d+$", "").alias(SOURCE))
    made = documents.select(*here, pl.lit(name).alias(SOURCE))
    return made.with_columns(id=pl.lit(f"{name}:") + pl.col("id")) if apart else made


def _common(schemas: list[pl.Schema]) -> dict[str, Any]:
    """Return the columns of all sources, those with a role first, in types that hold the values of each."""
    types: dict[str, Any] = {}
    for schema in schemas:
        for name, dtype in schema.items():
            before = types.setdefault(name, dtype)
            if before != dtype:
                times = {type(before), type(dtype)} <= {pl.Date, pl.Datetime}
                types[name] = pl.Datetime("us") if times else pl.String
    types.pop(SOURCE, None)
    ordered = [*(name for name in _FIRST if name in types), *(name for name in types if name not in _FIRST)]
    return {name: types[name] for name in ordered}


def _together(readings: Mapping[str, Reading], notes: Notes, apart: bool) -> Notes:
    """Return what reading each of them found, as that of one."""
    every = [reading.notes for reading in readings.values()]
    sums: dict[str, Any] = {name: sum(getattr(one, name) for one in [notes, *every]) for name in _SUMS}
    columns: dict[str, str] = {}
    for one in every:
        columns = one.columns | columns
    for sentence in _said(readings, columns):
        notes = notes.remark(sentence)
    unread = dict(notes.unread)
    for one in every:
        unread |= {ending: unread.get(ending, 0) + n for ending, n in one.unread.items()}
    if apart:
        notes = notes.remark("Ids begin with the file that they are from, as some are in several.")
    grouped = [one.grouped_from for one in every if one.grouped_from is not None]
    return notes.with_(
        columns=columns, guessed=tuple(dict.fromkeys(role for one in every for role in one.guessed)), unread=unread,
        answers=max((one.answers for one in every), key=len),
        skipped=tuple(pair for one in every for pair in one.skipped)[:NAMED_AT_MOST],
        encoding=next((one.encoding for one in every if one.encoding), None),
        malformed_lines=every[0].malformed_lines if sums["malformed"] == every[0].malformed else (),
        grouped_from=sum(grouped) if grouped else None, **sums,
    )  # fmt: skip


def _said(readings: Mapping[str, Reading], columns: Mapping[str, str]) -> Iterator[str]:
    """Yield what is to be said of some sources only, under their names; each sentence once."""
    whose: dict[str, list[str]] = {}
    for name, one in ((name, reading.notes) for name, reading in readings.items()):
        remarks = list(one.remarks)
        if any(columns[role] != column for role, column in one.columns.items()):
            remarks = [*replace(Notes(), columns=one.columns, guessed=one.guessed).sentences(), *remarks]
        for remark in remarks:
            whose.setdefault(remark, []).append(name)
    for remark, names in whose.items():
        shown = [*names[:SHOWN_AT_MOST], *[f"{len(names) - SHOWN_AT_MOST:,} others"] * (len(names) > SHOWN_AT_MOST)]
        yield remark if names == [LOOSE] else f"{listed(shown)}: {remark}"


def _ids(documents: pl.DataFrame) -> tuple[None, list[NDArray[Any]]]:
    return None, [documents["id"].hash().to_numpy()]
