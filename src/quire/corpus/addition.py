"""Documents added to others: one corpus of both, whose ids are unique and whose columns are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from quire.corpus.corpus import Corpus
from quire.corpus.cut import row_numbers
from quire.corpus.formats.format import Reading
from quire.corpus.notes import Notes
from quire.messages import counted, were
from quire.places.parts import Blocks
from quire.places.place import Handle, Place

_WHOLE = "document"  # of passages: the id of what they are of


def added(before: Corpus, came: Corpus) -> tuple[Corpus, int]:
    """Return the documents of two corpora at one place, and in how many parts those of the first are.

    One that has the id and the text of an earlier one is left out; one that has only the id gets another.
    """
    place = before.place
    parts, sentences = _with_own_ids(before, came)
    heights = place.sweep(_height, parts)[1]
    parts, kept = [part for part, height in zip(parts, heights) if height or came.matrix is not None], sum(heights)
    if not kept:
        raise ValueError("Nothing new came: the run has all of these documents already.")
    came = replace(came, parts=parts)
    matrix = None
    if before.matrix is not None and came.matrix is not None:
        matrix = Blocks.of(place, place.sweep(_floats, [*before.matrix.handles, *came.matrix.handles])[0])
    parts = _of_one_kind(place, before.parts, came.parts)
    source = f" from {told}" if (told := source_told(came.notes)) else ""
    told = f"{counted(kept, 'document')}{source} {were(kept)} added to {counted(len(before), 'document')}."
    notes = before.notes
    for sentence in (told, *sentences):
        notes = notes.remark(sentence)
    sizes, notes = Reading(parts, notes, matrix).counted(place)
    return Corpus(place, parts, sizes, notes, matrix, before.vocabulary), len(before.parts)


def source_told(notes: Notes) -> str:
    """Return where documents came from, in words; nothing for an object in memory."""
    in_memory = notes.kind in ("texts", "frame", "") or (notes.kind == "matrix" and not notes.source.endswith(".npz"))
    return "" if in_memory else "standard input" if notes.source == "-" else notes.source


def _with_own_ids(before: Corpus, came: Corpus) -> tuple[list[Handle], list[str]]:
    """Return the parts of what came without what is there already, and sentences that say so."""
    place, key = before.place, _WHOLE if _WHOLE in _schema(came.place, came.parts) else "id"
    parts = _numbered(came, len(before)) if key == "id" else came.parts
    known, new = _column(place, before.parts, key), _column(place, parts, key)
    shared = new.filter(new.is_in(known.implode())).unique()
    if not len(shared):
        return parts, []
    same = pl.Series([], dtype=pl.String)
    if key == "id" and came.matrix is None:
        tables = [pl.concat(place.sweep(_hashes, some, args=(shared,))[1]) for some in (before.parts, parts)]
        same = tables[0].join(tables[1], on=["id", "hash"])["id"]
    others = shared.filter(~shared.is_in(same.implode()))
    names = _free_names(others, known, new)
    parts = place.sweep(_changed, parts, args=(key, same, names))[0]
    sentences = []
    if len(same):
        sentences.append(f"{counted(len(same), 'document')} {were(len(same))} left out: the run has the same already.")
    if len(others):
        words = f"{counted(len(others), 'id')} {were(len(others))} in the run already, of other documents"
        sentences.append(f"{words}: {names['new'][0]} is such a one.")
    return parts, sentences


def _numbered(came: Corpus, n_before: int) -> list[Handle]:
    """Let documents that only have numbers go on where those before ended."""
    ids = _column(came.place, came.parts, "id")
    if "id" in came.notes.columns or not ids.equals(row_numbers(len(ids)), null_equal=True):
        return came.parts
    starts = np.cumsum(came.sizes) - came.sizes + n_before
    first = [came.place.put(np.array([start])) for start in starts]
    return came.place.sweep(_renumbered, came.parts, first)[0]


def _free_names(ids: pl.Series, *taken: pl.Series) -> pl.DataFrame:
    """Return another id for each, that nobody has."""
    known = {one for some in taken for one in some.to_list()}
    names = []
    for id in ids.sort():
        names.append(next(name for n in count(2) if (name := f"{id} ({n})") not in known))
        known.add(names[-1])
    return pl.DataFrame({"old": ids.sort(), "new": names}, schema={"old": pl.String, "new": pl.String})


def _of_one_kind(place: Place, before: list[Handle], came: list[Handle]) -> list[Handle]:
    """Give all parts the same columns: what one corpus does not know is null in it."""
    old, new = _schema(place, before), _schema(place, came)
    schema = {
        name: _common(old.get(name), new.get(name)) for name in (*old, *(name for name in new if name not in old))
    }
    if old == new == schema:
        return [*before, *came]
    return place.sweep(_cast, [*before, *came], args=(list(schema.items()),))[0]


def _common(one: Any, other: Any) -> Any:
    """Return the type that holds the values of two: a date is a moment, numbers are numbers, all else is a text."""
    if one is None or other is None or one == other:
        return one or other
    if {one.base_type(), other.base_type()} == {pl.Date, pl.Datetime}:
        return one if one != pl.Date else other
    return pl.Float64 if one.is_numeric() and other.is_numeric() else pl.String


def _cast(frame: pl.DataFrame, schema: list[tuple[str, Any]]) -> tuple[pl.DataFrame, None]:
    columns = [
        frame[name].cast(dtype, strict=False) if name in frame.columns else pl.Series(name, [None] * len(frame), dtype)
        for name, dtype in schema
    ]
    table = pl.DataFrame(columns)
    return table.with_columns(pl.col("weight").fill_null(1.0)) if "weight" in table.columns else table, None


def _schema(place: Place, parts: list[Handle]) -> Mapping[str, Any]:
    return dict(place.fetch(parts[0]).schema)


def _column(place: Place, parts: list[Handle], name: str) -> pl.Series:
    frames: list[pl.DataFrame] = place.sweep(_selected, parts, args=(name,))[1]
    return pl.concat(frames)[name]


def _selected(frame: pl.DataFrame, name: str) -> tuple[None, list[pl.DataFrame]]:
    return None, [frame.select(name) if name in frame.columns else frame.select(pl.col("id").alias(name))]


def _floats(block: sp.csr_array) -> tuple[sp.csr_array, None]:
    return block.astype(np.float64), None


def _height(frame: pl.DataFrame) -> tuple[None, list[int]]:
    return None, [frame.height]


def _hashes(frame: pl.DataFrame, ids: pl.Series) -> tuple[None, list[pl.DataFrame]]:
    some = frame.filter(pl.col("id").is_in(ids.implode()))
    return None, [some.select("id", hash=pl.col("text").hash(0))]


def _changed(frame: pl.DataFrame, key: str, same: pl.Series, names: pl.DataFrame) -> tuple[pl.DataFrame, None]:
    frame = frame.filter(~pl.col("id").is_in(same.implode()))
    new = dict(zip(names["old"].to_list(), names["new"].to_list()))
    if key == _WHOLE:
        number = pl.col("id").str.slice(pl.col(key).str.len_chars())  # "#1", behind the id of the whole
        return frame.with_columns(id=pl.col(key).replace(new) + number, document=pl.col(key).replace(new)), None
    return frame.with_columns(id=pl.col("id").replace(new)), None


def _renumbered(frame: pl.DataFrame, first: Any) -> tuple[pl.DataFrame, None]:
    return frame.with_columns(row_numbers(frame.height, int(first[0]))), None
