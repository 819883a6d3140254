"""Data frames of polars and pandas, and lists and columns of texts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quire.corpus.cut import row_numbers
from quire.corpus.encodings import decode
from quire.corpus.formats.format import Format, Reading, put_documents
from quire.corpus.formats.rows import records_table
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.strings import as_strings, joined_tokens, strings
from quire.corpus.tables import SAMPLE, Table, read_table
from quire.places.place import Place

_LONGEST = 1000  # characters that the name of a file may have


def is_pandas(thing: Any) -> bool:
    """Return whether an object is one of pandas', without importing pandas."""
    return type(thing).__module__.split(".")[0] == "pandas"


def read_frame(source: Any, request: Request, place: Place) -> Reading:
    """Read a data frame of polars (eager or lazy) or pandas."""
    return read_table(opened_frame(source), request, Notes(source=type_of(source), kind="frame"), place)


def opened_frame(frame: Any) -> Table:
    """Return a data frame of which only some columns will be needed."""
    if is_pandas(frame):
        return _opened_pandas(frame)
    lazy = frame.lazy()

    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        if isinstance(frame, pl.LazyFrame):
            return iter(lazy.select(columns).collect_batches(chunk_size=rows))
        return iter([frame.select(columns)])

    return Table("The data frame", lazy.head(SAMPLE).collect(), batches)


def _opened_pandas(frame: Any) -> Table:
    def convert(part: Any) -> pl.DataFrame:
        return pl.DataFrame([pandas_column(part.iloc[:, i], str(n)) for i, n in enumerate(part.columns)])

    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    frame = frame.reset_index(level=named) if named else frame
    number = {str(name): i for i, name in enumerate(frame.columns)}
    if len(number) < len(frame.columns):
        raise ValueError("The data frame has two columns of the same name: rename one of them.")
    return Table(
        "The data frame",
        convert(frame.iloc[:SAMPLE]),
        lambda columns, rows: [convert(frame.iloc[:, [number[name] for name in columns]])],
    )


def pandas_column(column: Any, name: str) -> pl.Series:
    """Return a pandas column as a polars one, by way of NumPy or a list, which need no pyarrow."""
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    if getattr(column.dtype, "kind", "O") == "M":
        return pl.Series(name, column.to_numpy(dtype="datetime64[us]"))
    missing = np.asarray(column.isna(), dtype=bool).tolist()
    values = [None if gone else joined_tokens(value) for value, gone in zip(column.tolist(), missing)]
    if getattr(column.dtype, "kind", "O") in "iufb":
        return pl.Series(name, values)
    return strings(name, values)[0]


def read_texts(source: Iterable[Any], request: Request, place: Place) -> Reading:
    """Read texts of a list, a column or an iterator, numbered from 1, where None is empty; of dicts, their rows."""
    notes = Notes(source=type(source).__name__, kind="texts")
    if isinstance(source, pl.Series) or is_pandas(source):
        request.no_columns("A list of texts")
    if isinstance(source, pl.Series):
        column = as_strings(source)
    elif is_pandas(source):
        column = as_strings(pandas_column(source, "text"))
    else:
        if isinstance(source, set | frozenset):
            raise ValueError("A set of texts has no order: pass a list, such as sorted(texts).")
        if isinstance(source, io.IOBase):
            notes = notes.remark("Each line of the open file is a document; pass its path to read it by its ending.")
        values = list(source)
        if values and isinstance(values[0], Mapping):  # of an iterator, of which that is not known before
            return read_table(records_table(values), request, notes.with_(kind="frame"), place)
        request.no_columns("A list of texts")
        values, notes = _as_texts(values, notes, request)
        column, replaced, documents = strings("text", values)
        notes = notes.with_(replaced_characters=replaced, replaced_in=documents)
    if len(column) == 0:
        raise ValueError("There are no texts: the list is empty.")
    text = column.fill_null("").alias("text")
    return Reading(put_documents([pl.DataFrame([row_numbers(len(text)), text])], place), notes)


def _as_texts(values: list[Any], notes: Notes, request: Request) -> tuple[list[Any], Notes]:
    """Decode bytes and join lists of tokens; refuse what is no text."""
    joined = False
    for i, value in enumerate(values):
        if isinstance(value, bytes):
            values[i] = decode(value, request.encoding).text
        elif not (value is None or isinstance(value, str) or _is_nan(value)):
            values[i], joined = joined_tokens(value), True
            if not isinstance(values[i], str):
                raise ValueError(f"Text {i + 1:,} of the list is of type {type(value).__name__}: pass strings.")
    if values and all(map(_names_a_file, values)):
        notes = notes.remark("Every text is the name of a file: to read the files, pass pathlib.Path(name) for each.")
    remark = "Lists of tokens were joined with spaces; tokens=str.split counts them as they are, and not as words."
    return values, notes.remark(remark) if joined else notes


def _names_a_file(value: Any) -> bool:
    try:
        return isinstance(value, str) and len(value) < _LONGEST and Path(value).is_file()
    except (OSError, ValueError):  # no name that a file could have
        return False


def _is_nan(value: Any) -> bool:
    return not isinstance(value, Iterable) and bool(value != value)  # NaN is not itself


def type_of(source: Any) -> str:
    """Return what an object is called in the notes: polars.DataFrame."""
    return f"{type(source).__module__.split('.')[0]}.{type(source).__name__}"


def _is_frame(source: Any) -> bool:
    is_polars = isinstance(source, pl.DataFrame | pl.LazyFrame)
    return is_polars or (is_pandas(source) and hasattr(source, "columns"))


def _are_texts(source: Any) -> bool:
    if isinstance(source, bytes | str | Path) or _is_frame(source):
        return False
    return isinstance(source, Iterable) and getattr(source, "ndim", 1) == 1


FRAME = Format(read_frame, accepts=_is_frame, named="in Python: a data frame of pandas or polars", about="a row each")
TEXTS = Format(read_texts, accepts=_are_texts, named="in Python: a list or a column of texts", about="a text each")
