"""How one block of raw rows is read: slices of Parquet files, or a frame that was read before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.cut import text_lengths
from quire.corpus.formats.opened import DECLINED
from quire.corpus.formats.parquet import damaged


@dataclass(frozen=True)
class Slice:
    """Some rows of a Parquet file, as it was when it was first looked at."""

    path: str
    offset: int
    rows: int
    state: tuple[int, int]

    def scan(self, columns: list[str]) -> pl.LazyFrame:
        """Return the rows, to be read; refuse a file that is not as it was."""
        try:
            now = state_of(Path(self.path))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise ValueError(
                f"{self.path} cannot be read ({reason}): leave it where it is until the run is made, and put "
                "it where every worker sees it if a cluster reads it."
            ) from None
        if now != self.state:
            raise ValueError(
                f"{self.path} changed while it was being read: run again once nobody writes to it."
            )
        lazy = pl.scan_parquet(self.path, glob=False, hive_partitioning=False)
        return lazy.select(columns).slice(self.offset, self.rows)


@dataclass(frozen=True)
class Part:
    """How a block of documents is read."""

    first: int  # the row number of its first row
    rows: int  # how many
    slices: tuple[Slice, ...] = ()  # where they lie, or
    frame: pl.DataFrame | None = None  # the rows themselves

    def opened(self, columns: list[str]) -> pl.DataFrame:
        """Read some columns."""
        if self.frame is not None:
            return self.frame.select(columns)
        return pl.concat(self._collected(one, one.scan(columns)) for one in self.slices)

    def lengths(self, text: str) -> NDArray[np.int64]:
        """Return the bytes of each text, without holding all of them where polars can tell."""
        if self.frame is not None:
            return text_lengths(self.frame[text])
        found = []
        for one in self.slices:
            lazy = one.scan([text])
            if lazy.collect_schema()[text] == pl.String:
                sizes = self._collected(one, lazy.select(pl.col(text).str.len_bytes().fill_null(0)))
                found.append(sizes[text].cast(pl.Int64).to_numpy())
            else:
                found.append(text_lengths(self._collected(one, lazy)[text]))
        return np.concatenate(found)

    @staticmethod
    def _collected(one: Slice, lazy: pl.LazyFrame) -> pl.DataFrame:
        try:
            return lazy.collect(engine="streaming")
        except DECLINED:
            raise damaged(Path(one.path)) from None


def state_of(path: Path) -> tuple[int, int]:
    """Return a file's size and time of change."""
    about = path.stat()
    return about.st_size, about.st_mtime_ns


def parquet_slices(files: list[Path]) -> list[Slice]:
    """Return each file as one slice."""
    found = []
    for file in files:
        state = state_of(file)
        rows = pl.scan_parquet(file, glob=False).select(pl.len()).collect().item()
        found.append(Slice(str(file.absolute()), 0, int(rows), state))
    return found


def cut_slices(whole: list[Slice], starts: list[int]) -> list[Part]:
    """Return the parts that begin at these rows (and end at the last) of files one after the other."""
    begins = np.concatenate([[0], np.cumsum([one.rows for one in whole])])
    parts = []
    for start, stop in pairwise(starts):
        slices = []
        for f in range(int(np.searchsorted(begins, start, "right")) - 1, len(whole)):
            low, high = max(start, int(begins[f])), min(stop, int(begins[f + 1]))
            if begins[f] >= stop:
                break
            if high > low:
                slices.append(Slice(whole[f].path, low - int(begins[f]), high - low, whole[f].state))
        parts.append(Part(start, stop - start, tuple(slices)))
    return parts
