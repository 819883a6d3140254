"""A run as plain tables: CSV that no spreadsheet takes for formulas, JSON, Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from quire.places.atomic import make_folder, whole_file
from quire.runs.folder import check_file, reason, write_file
from quire.runs.named import named_documents
from quire.runs.run import Run

_FORMULA = r"^[=+\-@\t\r]"  # as the page has it (web/src/export.ts)


def tables_of(run: Run) -> dict[str, pl.DataFrame]:
    """Return the tables of a run by name: documents with the names of their topics, topics, and time where known."""
    tables = {"documents": named_documents(run), "topics": run.topics}
    return tables if run.timeline is None else {**tables, "timeline": run.timeline}


def for_spreadsheet(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table that a spreadsheet shows as it is: lists as words in a line, no text that would be a formula."""
    lists = [name for name, kind in table.schema.items() if isinstance(kind, pl.List)]
    flat = table.with_columns(pl.col(name).cast(pl.List(pl.String)).list.join(", ") for name in lists)
    texts = [name for name, kind in flat.schema.items() if kind == pl.String]
    safe = flat.with_columns(
        pl.when(pl.col(name).str.contains(_FORMULA)).then("'" + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in texts
    )
    return safe.rename({name: f"'{name}" for name in safe.columns if name[:1] in ("=", "+", "-", "@", "\t", "\r")})


def write_csv(run: Run, folder: Path) -> None:
    """Write a CSV file of each table."""
    write_tables(tables_of(run), folder, ".csv", lambda table, path: for_spreadsheet(table).write_csv(path))


def write_parquet(run: Run, folder: Path) -> None:
    """Write a Parquet file of each table."""
    write_tables(tables_of(run), folder, ".parquet", lambda table, path: table.write_parquet(path))


def write_json(run: Run, path: Path) -> None:
    """Write one object: what run.json says, and the rows of each table."""
    rows: dict[str, Any] = {name: table.to_dicts() for name, table in tables_of(run).items()}
    write_file(path, json.dumps({"info": run.info, **rows}, ensure_ascii=False, default=str) + "\n")


def write_tables(
    tables: Mapping[str, pl.DataFrame], folder: Path, suffix: str, write: Callable[[pl.DataFrame, Any], object]
) -> None:
    """Write each table into a folder, whole or not at all."""
    try:
        make_folder(folder)
        for name, table in tables.items():
            with whole_file(check_file(folder / f"{name}{suffix}")) as part:
                write(table, part)
    except OSError as error:
        raise ValueError(f"{folder} could not be written: {reason(error)}.") from None
