"""What a table said of a document beside its text: the columns that play no role, as the page shows them."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
from numpy.typing import NDArray

from quire.corpus.others import others_of
from quire.messages import short

_MOST = 60  # columns of a document
_ADDRESS = re.compile(r"https?://[^\s/][^\s]{0,2000}", re.IGNORECASE)


def address_of(url: str | None) -> str | None:
    """Return where a document is on the web; None for what is no such address: a link must never run code."""
    return url.strip() if url and _ADDRESS.fullmatch(url.strip()) else None


def columns_beside(documents: pl.DataFrame, rows: NDArray[Any]) -> list[list[tuple[str, str]]]:
    """Return, for each of some documents, the names and values of its other columns; empty ones are left out."""
    names = others_of(documents)[:_MOST]
    if not names:
        return [[] for _ in rows]
    table = documents.select(names)[rows].with_columns(pl.all().cast(pl.String))
    return [
        [(short(name), short(value)) for name, value in zip(names, values) if value is not None]
        for values in table.iter_rows()
    ]
