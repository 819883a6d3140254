"""How a source is to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much is done, and how much there is (None where unknown)."""
# Options that only some kinds of files know, and which.
OWN = {"sheet": "a spreadsheet", "records": "JSON or XML", "sql": "an SQLite database"}
ROLES = (
    "text",
    "id",
    "label",
    "date",
    "group",
    "title",
    "url",
    "weight",
    "embeddings",
)  # that a user may name a column for


@dataclass(frozen=True)
class Request:
    """Which columns play which role, the encoding of what is not UTF-8, what is given beside the source."""

    columns: dict[str, str] = field(default_factory=dict)
    vocabulary: str | Path | Iterable[str] | None = None
    encoding: str = "cp1252"
    strict: bool = False
    progress: Progress | None = None
    ids: Iterable[Any] | None = None
    labels: Iterable[Any] | None = None
    dates: Iterable[Any] | None = None
    embeddings: Any = None  # an array, an .npy file, or model: and the name of one
    follow_links: bool = False
    sheet: str | None = None  # of a spreadsheet, by its name
    records: str | None = None  # where JSON or XML has its records: a.b
    keep_quotes: bool = False  # of mail: what a reply quotes, and signatures
    sql: str | None = None  # a query of a database, or a table's name
    split: str | None = None  # texts into passages
    each: bool = False  # answers of several columns are documents each

    def __post_init__(self) -> None:
        try:
            b"a".decode(self.encoding)  # not b"", for which Python does not look
        except (LookupError, UnicodeError):
            raise ValueError(f"There is no encoding {self.encoding!r}: choose one such as cp1252.") from None

    def no_columns(self, what: str) -> None:
        """Refuse a column that was named for something without columns."""
        for role, column in self.columns.items():
            beside = {"id": "ids", "label": "labels", "date": "dates", "embeddings": "embeddings"}.get(role)
            remedy = "leave it out" if beside is None else f"pass {beside}="
            raise ValueError(f"{what} has no columns, so none can be named {column!r} for the {role}: {remedy}.")

    def without_columns(self) -> Request:
        """Return the same for files that have no columns, among others that have."""
        return replace(self, columns={})

    @property
    def has_sequences(self) -> bool:
        """Whether ids, labels or dates are given beside the source."""
        return any(values is not None for values in (self.ids, self.labels, self.dates))


def named_columns(**columns: Any) -> dict[str, str]:
    """Return the columns that the user named, by role; of texts there may be a list."""
    named = {role: column for role, column in columns.items() if column is not None}
    if isinstance(named.get("text"), list | tuple):
        named["text"] = ",".join(map(str, named["text"]))
    for role, column in named.items():
        if not isinstance(column, str):
            raise ValueError(f"The column for the {role} is named by a string, not by {type(column).__name__}.")
    return named
