"""The ways to read a source in parts: Parquet by slices, other tables and folders a block at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quire.corpus.columns import Table, roles_of
from quire.corpus.cut import BYTES, ROWS, cut_frames, cuts, text_lengths
from quire.corpus.formats.folder import FolderReading, Progress
from quire.corpus.formats.lines import lines_of
from quire.corpus.formats.lines import noted as noted_lines
from quire.corpus.formats.opened import DECLINED
from quire.corpus.formats.parquet import damaged, opened_parquet
from quire.corpus.notes import Notes
from quire.corpus.part_tables import Facts, Settled, documents_from, facts_of, telling
from quire.corpus.settle import settle
from quire.corpus.slices import Part, cut_slices, parquet_slices
from quire.corpus.strings import as_strings
from quire.places.place import Handle, Place, Update

_UNREADABLE = (*DECLINED, ValueError, EOFError, zlib.error)  # not as polars likes it, not UTF-8, not gzip
_FILES = 256  # of a folder that are read before they are cut into blocks
Read = tuple[list[Handle], Notes]
"""Handles of documents, and the notes, but for what :func:`noted_texts` adds."""


class WholeError(Exception):
    """A source cannot be understood in parts, but perhaps as a whole."""


def from_parquet(
    path: Path,
    files: list[Path],
    named: dict[str, str],
    notes: Notes,
    place: Place,
    progress: Progress | None = None,
) -> Read:
    """Let tasks read slices of Parquet files: first what is needed to cut and decide, then the documents."""
    try:
        table, whole = opened_parquet(path, files), parquet_slices(files)
    except DECLINED:
        raise damaged(path) from None
    roles = roles_of(table, named)
    rows = sum(one.rows for one in whole)
    coarse = cut_slices(whole, [*range(0, rows, _rows_at_once(table, roles.columns["text"])), rows])
    args = (roles.columns, telling(roles.columns, table.sample.schema))
    handles = [place.put(part) for part in coarse]
    told = place.sweep(_looked_at, handles, args=args, update=_followed(progress, 0))[1] or []
    starts = cuts(np.concatenate([lengths for lengths, _ in told] or [np.zeros(0, np.int64)]))
    parts = cut_slices(whole, starts)
    facts = [one for _, one in told]
    settled, notes = settle(facts, rows, roles, table.name, notes.with_(kind="parquet"), _reader(parts))
    handles = [place.put(part) for part in parts]
    return place.sweep(_made, handles, args=(settled,), update=_followed(progress, 1))[0], notes


def from_table(
    table: Table, named: dict[str, str], notes: Notes, place: Place, progress: Progress | None = None
) -> Read:
    """Read a table here, a block at a time; put the rows down, and let tasks make documents of them."""
    assert table.batches is not None
    roles = roles_of(table, named)
    text = roles.columns["text"]
    batches = table.batches(list(dict.fromkeys(roles.columns.values())), _rows_at_once(table, text))
    handles, facts, rows = [], [], 0
    for frame in cut_frames(_understood(batches), text):
        facts.append(facts_of(frame, roles.columns, rows))
        handles.append(place.put(Part(rows, frame.height, frame=frame)))
        rows += frame.height
        if progress is not None:
            progress("reading", rows, None)

    def value(row: int, column: str, whole: bool | None) -> str:
        parts = map(place.fetch, handles)
        return next(_value(part, row, column, whole) for part in parts if row < part.first + part.rows)

    settled, notes = settle(facts, rows, roles, table.name, notes, value)
    return place.sweep(_made, handles, args=(settled,), update=_followed(progress, 1))[0], notes


def from_folder(reading: FolderReading, place: Place) -> Read:
    """Read the files of a folder, a block at a time."""
    handles = []
    for frame in cut_frames(_frames(reading), "text"):
        labels = reading.labels(frame["id"])
        handles.append(place.put(frame.select("id", "text", labels, "title")))
    if not reading.are_labels:
        handles = place.sweep(_without_label, handles)[0]
    return handles, reading.noted()


def from_lines(path: Path, notes: Notes, place: Place) -> Read:
    r"""Read a document a line."""
    handles, rows, plain, blank = [], 0, Settled({"text": "text"}), True
    for frame in cut_frames(_understood(lines_of(path, BYTES // 4)), "text"):
        blank = blank and not frame["text"].str.contains(r"\S").any()
        handles.append(place.put(documents_from(Part(rows, frame.height, frame=frame), plain)))
        rows += frame.height
    if blank:
        raise WholeError
    return handles, noted_lines(str(path), notes)


def noted_texts(handles: list[Handle], notes: Notes, place: Place) -> tuple[list[int], Notes]:
    """Return how many documents each block has, and the notes with how many are empty or repeated."""
    sizes, hashes = place.sweep(_filled, handles)[1]
    filled = np.concatenate(hashes)
    n, repeated = sum(sizes), len(filled) - pl.Series(filled).n_unique()
    return sizes, notes.with_(n_documents=n, n_empty=n - len(filled), n_duplicates=repeated)


def _understood(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Tell errors of a reader from those of a place that has no room left."""
    try:
        yield from frames
    except _UNREADABLE:
        raise WholeError from None


def _followed(progress: Progress | None, past: int) -> Update | None:
    """Return what follows one of two sweeps."""
    if progress is None:
        return None
    return lambda done, total: progress("reading", past * (total or 0) + done, 2 * (total or 0))


def _rows_at_once(table: Table, text: str) -> int:
    """Return how many rows make about a block, by the first of them."""
    lengths = text_lengths(table.sample[text])
    return max(1, min(ROWS, BYTES // (1 + int(lengths.sum()) // (1 + len(lengths)))))


def _frames(reading: FolderReading) -> Iterator[pl.DataFrame]:
    schema = dict.fromkeys(["id", "text", "title"], pl.String)
    documents = iter(reading)
    while some := list(islice(documents, _FILES)):
        yield pl.DataFrame(some, schema=schema, orient="row")


def _reader(parts: list[Part]) -> Any:
    firsts = [part.first for part in parts]

    def value(row: int, column: str, whole: bool | None) -> str:
        return _value(parts[int(np.searchsorted(firsts, row, "right")) - 1], row, column, whole)

    return value


def _value(part: Part, row: int, column: str, whole: bool | None) -> str:
    return str(as_strings(part.opened([column])[column], whole)[row - part.first])


def _looked_at(part: Part, columns: dict[str, str], read: list[str]) -> tuple[None, list[tuple[Any, Facts]]]:
    frame = part.opened(read) if read else pl.DataFrame()
    told = {role: column for role, column in columns.items() if column in read}
    return None, [(part.lengths(columns["text"]), facts_of(frame, told, part.first))]


def _made(part: Part, settled: Settled) -> tuple[pl.DataFrame, None]:
    return documents_from(part, settled), None


def _without_label(documents: pl.DataFrame) -> tuple[pl.DataFrame, None]:
    return documents.drop("label"), None


def _filled(documents: pl.DataFrame) -> tuple[None, tuple[list[int], list[Any]]]:
    text = documents["text"]
    hashes = text.filter(text.str.contains(r"\S")).hash().to_numpy()
    return None, ([documents.height], [hashes])
