"""Tables that Python programs hold: dicts of columns, lists of records, Arrow tables, datasets of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from quire.corpus.formats.format import Format, Reading
from quire.corpus.formats.frames import is_pandas, opened_frame, read_texts, type_of
from quire.corpus.formats.rows import records_table
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.strings import strings
from quire.corpus.tables import SAMPLE, Table, read_table
from quire.places.place import Place

_AT_ONCE = 1000  # rows of a dataset


def read_object(source: Any, request: Request, place: Place) -> Reading:
    """Read a table of another library's, or of plain Python; a column of one is texts."""
    notes = Notes(source=type_of(source), kind="frame")
    if _is_dataset(source):
        return read_table(_dataset(source), request, notes, place)
    if isinstance(source, Mapping):
        if len(source) == 1 and all(map(_is_dataset, source.values())):
            return read_object(next(iter(source.values())), request, place)
        return read_table(opened_frame(_columns(source)), request, notes, place)
    if _is_arrow(source):
        table = pl.DataFrame(source) if hasattr(source, "schema") else pl.Series("text", source)
        if isinstance(table, pl.Series):
            return read_texts(table, request, place)
        return read_table(opened_frame(table), request, notes, place)
    return read_table(records_table(source), request, notes, place)


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
    columns = {str(key): values if isinstance(values, pl.Series) else list(values) for key, values in source.items()}
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
    features = getattr(source, "features", None) or {}

    def rows_of(rows: slice, columns: list[str]) -> pl.DataFrame:
        some, made = source[rows], list[pl.Series]()
        for name in columns:
            classes = getattr(features.get(name), "names", None)  # of a ClassLabel
            values = list(some[name])
            if isinstance(classes, list):
                values = [None if one is None or one < 0 else classes[int(one)] for one in values]
            made.append(_column(name, values))
        return pl.DataFrame(made)

    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        for start in range(0, len(source), _AT_ONCE):
            yield rows_of(slice(start, start + _AT_ONCE), columns)

    return Table("The dataset", rows_of(slice(0, SAMPLE), source.column_names), batches)


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
