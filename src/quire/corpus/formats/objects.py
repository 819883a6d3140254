"""Tables that Python programs hold: dicts of columns, lists of records, Arrow tables, datasets of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from quire.corpus.formats.format import Format, Reading
from quire.corpus.formats.frames import is_pandas, opened_frame, read_texts, type_of
from quire.corpus.formats.json_forms import columns_of
from quire.corpus.formats.numbers import are_numbers, read_numbers
from quire.corpus.formats.rows import records_table
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.strings import listed, strings
from quire.corpus.tables import SAMPLE, Table, read_table
from quire.places.place import Place

_AT_ONCE = 1000  # rows of a dataset


def read_object(source: Any, request: Request, place: Place) -> Reading:
    """Read a table of another library's, or of plain Python; a column of one is texts."""
    notes = Notes(source=type_of(source), kind="frame")
    if _is_dataset(source):
        return read_table(_dataset(source), request, notes, place)
    if isinstance(source, Mapping):
        if len(source) == 1 and all(map(_is_theirs, source.values())):
            return read_object(next(iter(source.values())), request, place)
        if source and all(isinstance(one, Mapping) for one in source.values()):
            return read_table(records_table(_records(source)), request, notes, place)
        return _of_frame(_columns(source), request, notes, place)
    if _is_arrow(source):
        table = pl.DataFrame(source) if hasattr(source, "schema") else pl.Series("text", source)
        if isinstance(table, pl.Series):
            return read_texts(table, request, place)
        return _of_frame(table, request, notes, place)
    return read_table(records_table(_streamed(source) if _is_theirs(source) else source), request, notes, place)


def _of_frame(frame: pl.DataFrame, request: Request, notes: Notes, place: Place) -> Reading:
    """Read a table that was made a frame: of numbers alone it is a matrix, as a data frame would be."""
    if are_numbers(frame):
        reading = read_numbers(frame, request, place)
        return reading._replace(notes=reading.notes.with_(source=notes.source))
    return read_table(opened_frame(frame), request, notes, place)


def _records(source: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """Return the rows of a dict of dicts: columns as ``DataFrame.to_dict`` gives them, or records by their ids."""
    inside = {str(key): {str(name): value for name, value in one.items()} for key, one in source.items()}
    return columns_of(inside) or [{"id": key} | record for key, record in inside.items()]


def _columns(source: Mapping[Any, Any]) -> pl.DataFrame:
    """Return a dict of columns as a frame; refuse one of texts, whose keys are no columns."""
    if not source:
        raise ValueError("The dict is empty: there is nothing to read.")
    if all(_is_theirs(one) for one in source.values()):
        raise ValueError(f"There are several datasets ({', '.join(map(str, source))}): pass one of them.")
    for key, values in source.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ValueError(
                f"A dict must hold columns, but {str(key)[:40]!r} is of type {type(values).__name__}: "
                "for a dict of texts pass list(texts.values()), with ids=list(texts)."
            )
    columns = {
        str(key): values if isinstance(values, pl.Series) else listed(values, f"Column {str(key)[:40]!r}")
        for key, values in source.items()
    }
    if len({len(values) for values in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {len(values):,}" for name, values in list(columns.items())[:10])
        raise ValueError(
            f"The columns of the dict are of different lengths ({lengths}): make them as long as each other."
        )
    return pl.DataFrame([_column(name, values) for name, values in columns.items()])


def _column(name: str, values: Any) -> pl.Series:
    if isinstance(values, pl.Series):
        return values.alias(name)
    try:
        made = pl.Series(name, values)
    except Exception:  # values of several types
        return strings(name, values)[0]
    return strings(name, values)[0] if made.dtype in (pl.Object, pl.Null) else made


def _dataset(source: Any) -> Table:
    """Return a dataset, of which some rows are fetched at a time; classes are told by their names."""
    names_of = _classes(source)

    def rows_of(rows: slice, columns: list[str]) -> pl.DataFrame:
        some, made = source[rows], list[pl.Series]()
        for name in columns:
            values = list(some[name])
            if name in names_of:
                values = [_class(one, names_of[name]) for one in values]
            made.append(_column(name, values))
        return pl.DataFrame(made)

    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        for start in range(0, len(source), _AT_ONCE):
            yield rows_of(slice(start, start + _AT_ONCE), columns)

    return Table("The dataset", rows_of(slice(0, SAMPLE), source.column_names), batches)


def _streamed(source: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a dataset that is not known whole."""
    names_of = _classes(source)
    for row in source:
        yield row | {name: _class(row[name], names) for name, names in names_of.items() if name in row}


def _classes(source: Any) -> dict[str, list[str]]:
    """Return the names of classes, of the columns that hold their numbers: a ClassLabel has them."""
    named = {name: getattr(one, "names", None) for name, one in (getattr(source, "features", None) or {}).items()}
    return {name: names for name, names in named.items() if isinstance(names, list)}


def _class(number: Any, names: list[str]) -> str | None:
    return None if number is None or number < 0 else names[int(number)]


def _is_theirs(source: Any) -> bool:
    """Return whether an object is of Hugging Face's library."""
    return type(source).__module__.split(".")[0] == "datasets"


def _is_dataset(source: Any) -> bool:
    return (
        _is_theirs(source)
        and not isinstance(source, Mapping)
        and hasattr(source, "column_names")
        and hasattr(source, "__len__")
    )


def _is_arrow(source: Any) -> bool:
    known = isinstance(source, pl.DataFrame | pl.LazyFrame | pl.Series) or is_pandas(source)
    return not known and (hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"))


def _are_records(source: Any) -> bool:
    streamed = _is_theirs(source) and not hasattr(source, "__len__") and isinstance(source, Iterable)
    return streamed or (isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping))


def _is_object(source: Any) -> bool:
    return isinstance(source, Mapping) or _is_dataset(source) or _is_arrow(source) or _are_records(source)


FORMAT = Format(
    read_object, accepts=_is_object, about="a row each",
    named="in Python: a dict of columns, a list of dicts, an Arrow table, a `datasets.Dataset`",
)  # fmt: skip
