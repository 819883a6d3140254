"""Arrow and Feather files, a record batch at a time, by way of pyarrow: polars ends the process on damaged ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.content import content, is_packed
from quire.corpus.formats.format import Format, Reading, needed
from quire.corpus.formats.scan import DECLINED
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.tables import SAMPLE, Table, read_table
from quire.places.place import Place

ENDINGS = dict.fromkeys([".arrow", ".feather", ".ipc"], "arrow")
_FILE = b"ARROW1"  # what a file begins with; a stream does not
_FIRST_FEATHER = b"FEA1"


def read_file(source: str | Path, request: Request, place: Place) -> Reading:
    """Read a file as it lies there, or all of it where it is compressed as a whole."""
    path = Path(source)
    if is_packed(path):
        return read_held(str(path), content(path), request, place)
    arrow = needed("pyarrow", str(path), "arrow")
    return _read(str(path), lambda: arrow.OSFile(str(path)), request, place)


def read_held(name: str, raw: bytes, request: Request, place: Place) -> Reading:
    """Read a file that is held in memory."""
    arrow = needed("pyarrow", name, "arrow")
    return _read(name, lambda: arrow.BufferReader(raw), request, place)


def _read(name: str, opened: Callable[[], Any], request: Request, place: Place) -> Reading:
    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        return (_frame(batch.select(columns), name) for batch in _batches(name, opened))

    every, first, rows = _batches(name, opened), list[pl.DataFrame](), 0
    for batch in every:
        first.append(_frame(batch.slice(0, SAMPLE - rows), name))
        rows += first[-1].height
        if rows >= SAMPLE:
            break
    if not first:
        raise ValueError(f"{name} has no rows: there is nothing to read.")
    table = Table(name, pl.concat(first), batches)
    return read_table(table, request, Notes(source=name, kind="arrow"), place)


def _batches(name: str, opened: Callable[[], Any]) -> Iterator[Any]:
    """Yield the record batches, each checked to the last value: what they hold is handed to compiled code."""
    arrow = needed("pyarrow", name, "arrow")
    ipc = needed("pyarrow.ipc", name, "arrow")
    try:
        with opened() as file:
            start = file.read(len(_FILE))
            file.seek(0)
            if start.startswith(_FIRST_FEATHER):
                raise ValueError(f"{name} is of the first version of Feather: write it anew with pyarrow or pandas.")
            if start == _FILE:
                reader = ipc.open_file(file)
                batches: Any = map(reader.get_batch, range(reader.num_record_batches))
            else:
                batches = ipc.open_stream(file)
            for batch in chain(batches):
                batch.validate(full=True)
                if len(set(batch.schema.names)) < len(batch.schema.names):
                    raise arrow.ArrowInvalid("two columns of one name")
                yield batch
    except (arrow.ArrowException, OSError, ValueError, TypeError, OverflowError, MemoryError) as error:
        raise (error if str(error).startswith(name) else _damaged(name)) from None


def _frame(batch: Any, name: str) -> pl.DataFrame:
    """Return a batch for polars; categories as strings, whose order may differ from batch to batch."""
    try:
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        return frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    except (*DECLINED, pl.exceptions.PanicException, ValueError, TypeError):
        raise _damaged(name) from None


def _damaged(name: str) -> ValueError:
    return ValueError(f"{name} is a damaged Arrow file, or none: write or download it anew.")


FORMAT = Format(read_file, ENDINGS, about="a row each", extra="arrow", held=read_held)
