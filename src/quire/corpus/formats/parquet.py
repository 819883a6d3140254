"""Parquet: a file, a folder of files, or a pattern such as ``news/*.parquet``."""

from __future__ import annotations

import io
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.content import content, head, is_packed
from quire.corpus.cut import cuts, rows_at_once, text_lengths
from quire.corpus.facts import Facts, columns_by_role, telling_roles
from quire.corpus.formats.format import Format, Reading, is_path, matching
from quire.corpus.formats.parquet_pages import check_content, check_pages
from quire.corpus.formats.scan import DECLINED, NotSoundError, check_start
from quire.corpus.notes import Notes
from quire.corpus.presence import check_utf8
from quire.corpus.request import Progress, Request
from quire.corpus.roles import Roles
from quire.corpus.tables import SAMPLE, RowParts, Table, halves, read_table
from quire.places.codec import storable
from quire.places.place import Place

ENDINGS = {".parquet": "parquet", ".pq": "parquet"}


def read_files(source: str | Path, request: Request, place: Place) -> Reading:
    """Read Parquet files as one table."""
    path = Path(source)
    try:
        files = parquet_files(path)
        if path.is_dir() and not request.follow_links:
            files = [file for file in files if not file.is_symlink()]
            if not files:
                raise ValueError(f"The folder {path} holds nothing but links: follow them with --follow-links.")
        table = opened_parquet(path, files or [path])
    except DECLINED:
        raise damaged(path) from None
    return read_table(table, request, Notes(source=str(path), kind="parquet"), place)


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files that a folder or a pattern stands for, by name; none where it means others.

    Names that begin with a dot or an underscore are passed over: what writes such folders leaves notes there.
    """
    if path.is_dir():
        inside: Iterator[Path] = (
            file for file in path.rglob("*") if not _hidden(file.relative_to(path)) and file.is_file()
        )
    elif path.exists():
        return []
    else:
        inside = matching(path)
    files = []
    for file in inside:
        if file.suffix.lower() not in ENDINGS:
            return []
        files.append(file)
    return sorted(files)


def opened_parquet(path: Path, files: list[Path]) -> Table:
    """Return the table that Parquet files are together; raises one of ``DECLINED`` where they are damaged."""
    for file in files:
        check_utf8(file)
        start = head(file)
        if not start.startswith(b"PAR1"):
            check_start(file, "parquet", start)
            raise ValueError(f"{file} is not a Parquet file: give it the ending of what it holds (.csv, .jsonl, …).")
        if not is_packed(file):
            check_pages(file)
    packed = [content(file) for file in files if is_packed(file)]
    if packed:
        for raw in packed:
            check_content(raw, str(path))
        frame = pl.concat([pl.read_parquet(io.BytesIO(raw)) for raw in packed])
        return Table(str(path), frame.head(SAMPLE), lambda columns, rows: [frame.select(columns)])
    slices, lazy = _whole_files(path, files), pl.scan_parquet(files, glob=False, hive_partitioning=False)

    def batches(columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        return (part.read(columns) for part in cut_slices(slices, rows))

    return ParquetTable(str(path), lazy.head(SAMPLE).collect(), batches, slices=slices)


def damaged(path: Path) -> ValueError:
    """Return the error for Parquet that cannot be read."""
    if path.suffix.lower() in (*ENDINGS, ".gz", ".zst") and not path.is_dir():
        return ValueError(f"{path} is a damaged Parquet file: write or download it anew.")
    return ValueError(f"{path} holds a damaged Parquet file, or files with different columns: write them anew.")


@storable
@dataclass(frozen=True)
class Slice:
    """Some rows of a Parquet file, as it was when it was first looked at."""

    source: str  # what the user named
    path: str
    offset: int
    rows: int
    state: tuple[int, int]

    def read(self, column: list[str] | pl.Expr) -> pl.DataFrame:
        """Read some columns; refuse a file that is not as it was."""
        try:
            now = _state_of(Path(self.path))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise ValueError(
                f"{self.path} cannot be read ({reason}): leave it where it is until the run is made, and put "
                "it where every worker sees it if a cluster reads it."
            ) from None
        if now != self.state:
            raise ValueError(f"{self.path} changed while it was being read: run again once nobody writes to it.")
        lazy = pl.scan_parquet(self.path, glob=False, hive_partitioning=False)
        try:
            return lazy.slice(self.offset, self.rows).select(column).collect(engine="streaming")
        except DECLINED:
            raise damaged(Path(self.source)) from None


@storable
@dataclass(frozen=True)
class ParquetRows:
    """The rows of a part, as :class:`quire.corpus.tables.Rows`, but where they lie in files."""

    first: int
    slices: tuple[Slice, ...]

    def read(self, columns: list[str]) -> pl.DataFrame:
        """Read some columns."""
        return pl.concat(one.read(columns) for one in self.slices)

    def by_role(self, roles: Roles) -> pl.DataFrame:
        """Return the columns of some roles, named by these."""
        return columns_by_role(self.read(roles.read), roles, self.first)[0]


@dataclass(frozen=True)
class ParquetTable(Table):
    """Parquet files, which the tasks of a place read where their rows would be copied there."""

    slices: tuple[Slice, ...] = ()

    def put_rows(self, roles: Roles, place: Place, progress: Progress | None) -> RowParts:
        """Let tasks look at the rows, to cut and decide; put down where the rows of each part lie."""
        if not place.copies:
            return super().put_rows(roles, place, progress)
        text = roles.columns["text"]
        handles = [place.put(part) for part in cut_slices(self.slices, rows_at_once(self.sample[text]))]
        args = (text, self.sample.schema[text] == pl.String, telling_roles(roles, self.sample.schema))
        facts = place.sweep(_look, handles, args=args, update=halves(progress, 0))[1] or []
        starts = cuts(np.concatenate([lengths for lengths, _ in facts] or [np.zeros(0, np.int64)]))
        handles = [place.put(part) for part in cut_slices(self.slices, starts)]
        return RowParts(handles, starts[:-1], [one for _, one in facts])


def _whole_files(source: Path, files: list[Path]) -> tuple[Slice, ...]:
    """Return each file as one slice; raises one of ``DECLINED`` where their columns are not the same."""
    slices, schemas = [], []
    for file in files:
        state, lazy = _state_of(file), pl.scan_parquet(file, glob=False, hive_partitioning=False)
        schemas.append(dict(lazy.collect_schema()))
        slices.append(Slice(str(source), str(file.absolute()), 0, int(lazy.select(pl.len()).collect().item()), state))
    if any(schema != schemas[0] for schema in schemas):
        raise NotSoundError
    return tuple(slices)


def cut_slices(whole: tuple[Slice, ...], starts: int | list[int]) -> list[ParquetRows]:
    """Return the parts that begin at these rows (and end at the last), or have so many rows each."""
    begins = np.concatenate([[0], np.cumsum([one.rows for one in whole])]).tolist()
    starts = [*range(0, begins[-1], starts), begins[-1]] if isinstance(starts, int) else starts
    parts = []
    for start, stop in pairwise(starts):
        slices = []
        for number in range(bisect_right(begins, start) - 1, bisect_left(begins, stop)):
            low, high = max(start, begins[number]), min(stop, begins[number + 1])
            if high > low:
                slices.append(replace(whole[number], offset=low - begins[number], rows=high - low))
        parts.append(ParquetRows(start, tuple(slices)))
    return parts


def _look(
    part: ParquetRows, text: str, is_string: bool, roles: Roles
) -> tuple[None, list[tuple[NDArray[np.int64], Facts]]]:
    """Return the bytes of each text, without holding all of them where polars can tell, and the facts."""
    if is_string:
        sizes = [one.read(pl.col(text).str.len_bytes().fill_null(0).cast(pl.Int64)) for one in part.slices]
        lengths: Any = pl.concat(sizes)[text].to_numpy()
    else:
        lengths = text_lengths(part.read([text])[text])
    frame = part.read(roles.read) if roles.read else pl.DataFrame(height=len(lengths))
    return None, [(lengths, columns_by_role(frame, roles, part.first)[1])]


def _state_of(path: Path) -> tuple[int, int]:
    """Return a file's size and time of change."""
    about = path.stat()
    return about.st_size, about.st_mtime_ns


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def read_held(name: str, raw: bytes, request: Request, place: Place) -> Reading:
    """Read a file that is held in memory."""
    try:
        check_content(raw, name)
        frame = pl.read_parquet(io.BytesIO(raw))
    except DECLINED:
        raise damaged(Path(name)) from None
    table = Table(name, frame.head(SAMPLE), lambda columns, rows: [frame.select(columns)])
    return read_table(table, request, Notes(source=name, kind="parquet"), place)


FORMAT = Format(
    read_files, ENDINGS, lambda source: is_path(source) and bool(parquet_files(Path(source))),
    about="a row each; a folder or a pattern of such files is one table", held=read_held,
)  # fmt: skip
