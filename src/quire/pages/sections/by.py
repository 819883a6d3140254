"""Topics by the values of columns, as the page shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from quire.corpus.others import others_of
from quire.messages import short
from quire.pages.sections.section import Asked
from quire.runs.by import ByColumn, by_column, columns_named, values_of
from quire.runs.run import Run

_MOST, _TRIED = 12, 40  # columns that are shown, and looked at for that


def by_section(run: Run, asked: Asked) -> dict[str, Any] | None:
    """Return topics by the columns that were asked for, then by others with values to compare; None without any."""
    tables: list[ByColumn] = []
    for table in _tables(run):
        if len(table.values) > 1 and table.column not in {one.column for one in tables}:
            tables.append(table)
        if len(tables) == _MOST:
            break
    return {"columns": [_column(table) for table in tables]} if tables else None


def _tables(run: Run) -> Iterator[ByColumn]:
    columns, wanted = run.info["corpus"].get("columns") or {}, run.info["options"].get("by")
    named = columns_named(run.documents, wanted, columns) if wanted else []
    for name in [*named, *("question",) * ("question" in run.documents.columns), *others_of(run.documents)[:_TRIED]]:
        try:
            yield by_column(run.documents, len(run.H), name, columns)
        except ValueError:  # too many values, or none: nothing to compare
            continue


def _column(table: ByColumn) -> dict[str, Any]:
    """Return a table as rows of topics; what follows from the counts is left to the page."""
    weighted = "weighted" in table.table.columns
    marks = {"more": 1, "less": -1}
    return {
        "name": short(table.column), "kind": table.kind, "values": [short(value) for value in table.values],
        "documents": table.matrix("documents").tolist(),
        "weighted": np.round(table.matrix("weighted"), 2).tolist() if weighted else None,
        "residual": np.round(table.matrix("residual"), 2).tolist(),
        "out": [[marks.get(cell, 0) for cell in row] for row in table.matrix("stands_out").tolist()],
        "notes": table.notes, "asked": table.asked,
    }  # fmt: skip


def value_columns(run: Run, section: dict[str, Any] | None) -> Iterator[tuple[str, str, Any]]:
    """Yield which value every document has of each column that the section shows, as columns of the points."""
    columns = run.info["corpus"].get("columns") or {}
    for number, shown in enumerate(section["columns"] if section else []):
        values = values_of(run.documents, shown["asked"], columns)[1]
        kind, none = ("u8", 255) if len(values.names) < 255 else ("u16", 65535)
        yield f"by{number}", kind, np.where(values.codes < 0, none, values.codes)
