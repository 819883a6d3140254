"""Parquet: a file, a folder of files, or a pattern such as ``news/*.parquet``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO

import polars as pl

from quire.corpus.columns import SAMPLE, Table, documents_of
from quire.corpus.content import content, head, is_packed
from quire.corpus.formats.opened import DECLINED, check_start
from quire.corpus.notes import Notes

ENDINGS = (".parquet", ".pq")


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files that a folder or a pattern stands for, by name; none where it means others.

    Names that begin with a dot or an underscore are passed over: what writes such folders leaves notes there.
    """
    if path.is_dir():
        found = (file for file in path.rglob("*") if not _hidden(file.relative_to(path)) and file.is_file())
    elif path.exists():
        return []
    else:
        root = Path(path.anchor)
        found = root.glob(str(path.relative_to(root)))
    files = []
    for file in found:
        if file.suffix.lower() not in ENDINGS:
            return []
        files.append(file)
    return sorted(files)


def read_parquet(
    path: Path, files: list[Path], named: dict[str, str], notes: Notes
) -> tuple[pl.DataFrame, Notes]:
    """Return the documents of Parquet files, one after the other."""
    try:
        return documents_of(opened_parquet(path, files), named, notes.with_(kind="parquet"))
    except DECLINED:
        raise damaged(path) from None


def opened_parquet(path: Path, files: list[Path]) -> Table:
    """Return the table that Parquet files are together; raises one of ``DECLINED`` where they are damaged."""
    for file in files:
        start = head(file)
        if not start.startswith(b"PAR1"):
            check_start(file, "parquet", start)
            raise ValueError(
                f"{file} is not a Parquet file: give it the ending of what it holds (.csv, .jsonl, …)."
            )
    packed: list[IO[bytes]] = [io.BytesIO(content(file)) for file in files if is_packed(file)]
    lazy = pl.scan_parquet(packed or files, glob=False, hive_partitioning=False)
    return Table(str(path), lazy.head(SAMPLE).collect(), lambda columns: lazy.select(columns).collect())


def damaged(path: Path) -> ValueError:
    """Return the error for Parquet that cannot be read."""
    if path.suffix.lower() in (*ENDINGS, ".gz", ".zst") and not path.is_dir():
        return ValueError(f"{path} is a damaged Parquet file: write or download it anew.")
    return ValueError(
        f"{path} holds a damaged Parquet file, or files with different columns: write them anew."
    )


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)
