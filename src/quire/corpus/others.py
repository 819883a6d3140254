"""The columns of a table that play no role: kept beside the documents, in plain types, under their own names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from quire.corpus.dates import in_utc
from quire.corpus.moments import possible
from quire.corpus.strings import as_strings, blank_to_null
from quire.messages import counted, listed

# Names of a run's own columns: a column of the user's that is called so gets another name.
RESERVED = frozenset(
    {
        "id", "text", "label", "date", "title", "url", "weight", "embeddings",
        "document", "passage", "length", "question",
        "topic", "membership", "runner_up", "runner_up_membership", "confidence", "else_topic", "copy_of",
    }
)  # fmt: skip
PREFIX = "column:"  # of other columns in a part's rows, whose roles have plain names
NOTHING, WHOLE, NUMBERS, WORDS = range(4)  # what strings are, from what says least to what overrules the others
_NUMBER = r"^\s*[+-]?(0|[1-9]\d{0,14})(\.\d{1,15})?([eE][+-]?\d{1,2})?\s*$"  # no zip code, no long id
_WHOLE = r"^\s*[+-]?(0|[1-9]\d{0,14})\s*$"
_FEW_NAMED = 5
MOST = 2000  # columns that are kept: each costs about a millisecond a part


def other_columns(sample: pl.DataFrame, taken: Iterable[str]) -> dict[str, bool]:
    """Return the columns to keep beside those that are taken, and whether their strings may be numbers."""
    gone, schema = set(taken), sample.schema  # which polars makes anew each time
    names = [name for name, dtype in schema.items() if name not in gone and _is_plain(dtype)][:MOST]
    return {name: schema[name] == pl.String and kind_of(sample[name]) < WORDS for name in names}


def sentence_of_left(sample: pl.DataFrame, taken: Iterable[str]) -> str | None:
    """Say which columns are not kept, since they hold lists or records or are too many; None where all are."""
    known = set(taken)
    gone = [name for name, dtype in sample.schema.items() if name not in known and not _is_plain(dtype)]
    if not gone:
        n = len(sample.columns) - len(known) - MOST
        are = "is" if n == 1 else "are"
        return f"{counted(n, 'column')} beyond the first {MOST:,} {are} not kept." if n > 0 else None
    shown = listed([*map(repr, gone[:_FEW_NAMED]), *["others"] * (len(gone) > _FEW_NAMED)])
    return f"Column {shown} is not kept: it holds lists or records." if len(gone) == 1 else (
        f"Columns {shown} are not kept: they hold lists or records."
    )  # fmt: skip


def _is_plain(dtype: pl.DataType) -> bool:
    """Say whether a column holds single values; lists of words are taken for the words."""
    return dtype == pl.List(pl.String) or not (dtype.is_nested() or dtype in (pl.Object, pl.Binary))


def kind_of(values: pl.Series) -> int:
    """Say what strings are: whole numbers, numbers or words; all of them must be so."""
    there = values.drop_nulls()
    if not len(there):
        return NOTHING
    if not there.str.contains(_NUMBER).all():
        return WORDS
    return WHOLE if there.str.contains(_WHOLE).all() else NUMBERS


def plain(values: pl.Series) -> pl.Series:
    """Return a column in one of few types: strings, numbers, truth values, dates, moments in UTC."""
    dtype = values.dtype
    if isinstance(dtype, pl.Decimal):
        return values.cast(pl.Float64)
    if dtype.is_float():
        return values.fill_nan(None)
    if isinstance(dtype, pl.Datetime):
        return in_utc(possible(values))
    if dtype.is_integer() or dtype in (pl.Boolean, pl.Date):
        return possible(values)
    return blank_to_null(as_strings(values))


def as_kind(values: pl.Series, kind: int) -> pl.Series:
    """Return strings as the numbers that all of them are."""
    if kind not in (WHOLE, NUMBERS):
        return values
    return values.str.strip_chars().str.strip_prefix("+").cast(pl.Int64 if kind == WHOLE else pl.Float64)


def kept_names(columns: Iterable[str]) -> Mapping[str, str]:
    """Return the name that each other column has beside the documents: its own, but where Quire has such a one."""
    columns = list(columns)
    names: dict[str, str] = {}
    for name in columns:
        kept = name
        while kept in RESERVED or (kept != name and kept in columns):
            kept = f"given_{kept}"
        names[name] = kept
    return names


def others_of(documents: pl.DataFrame) -> list[str]:
    """Return the columns of documents, of a corpus or a run, that play no role."""
    return [name for name in documents.columns if name not in RESERVED]
