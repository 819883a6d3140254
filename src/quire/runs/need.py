"""What a source would take, told from little of it: in memory the one way, on disk the other."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from quire.corpus.content import HEAD, head, is_packed
from quire.corpus.corpus import Corpus
from quire.corpus.cut import text_lengths
from quire.corpus.formats.frames import opened_frame
from quire.corpus.formats.parquet import opened_parquet, parquet_files
from quire.corpus.formats.paths import expanded
from quire.corpus.formats.scan import DECLINED
from quire.corpus.passages import parse_split
from quire.corpus.request import named_columns
from quire.corpus.sources import kind_of
from quire.corpus.tables import Table, roles_of, with_answers
from quire.corpus.vectors import MODEL, is_column, numbers_of
from quire.methods.ensemble.embedding import COMPONENTS
from quire.runs.options import Options, parse_topics
from quire.runs.recipe import Recipe

# Measured on generated documents of 30 words: peak memory of a run, less that of one of two documents.
_PROGRAM = 400 << 20  # bytes of Quire and its libraries
_ENTRY_OF = 6.5  # bytes of text for one entry of X
_PER_ENTRY, _PER_DOCUMENT, _PER_WEIGHT = 40, 200, 24  # bytes; a weight is a value of W
_KEPT_PER_ENTRY, _KEPT_PER_DOCUMENT, _KEPT_PER_WEIGHT = 26, 64, 16  # bytes on disk
_PACKED = 4  # times that a compressed file is larger when read
_SOME = 1000  # rows of a frame that are looked at
_TOPICS = 50  # where their number is to be found
_SAMPLED, _SAMPLE, _OF_TOPIC, _VECTORS = 100_000, 60_000, 96, 2400  # of the default method: see _agreement
_HELD_NUMBER, _USED_NUMBER, _USED_COMPONENT = 4, 20, 12  # bytes of a vector's number: held, while places are made of it
_MODEL_WIDTH = 1024  # numbers of the vectors of a model, which is not loaded for that


@dataclass(frozen=True)
class Need:
    """An estimate of what a source takes; zeros where nothing can be told before it is read."""

    documents: int = 0  # how many
    text_bytes: int = 0  # of their texts together
    memory: int = 0  # bytes that a run in memory would take at its peak
    disk: int = 0  # bytes that a run in blocks would write, at its peak

    @property
    def entries(self) -> int:
        """Of X, about."""
        return int(self.text_bytes / _ENTRY_OF)

    def joined(self, other: Need) -> Need:
        """Return what two sources take together."""
        memory = self.memory + other.memory - min(self.memory, other.memory, _PROGRAM)
        sizes = self.documents + other.documents, self.text_bytes + other.text_bytes
        return Need(*sizes, memory, self.disk + other.disk)

    @classmethod
    def of(cls, documents: int, text_bytes: int, topics: int, other_bytes: int = 0) -> Need:
        """Estimate from the number of documents and topics, and the size of the texts and of other columns."""
        entries, weights = text_bytes / _ENTRY_OF, documents * topics
        memory = _PROGRAM + 2 * text_bytes + _PER_ENTRY * entries + _PER_WEIGHT * weights
        disk = 2.25 * text_bytes + _KEPT_PER_ENTRY * entries + _KEPT_PER_WEIGHT * weights
        memory, disk = memory + _PER_DOCUMENT * documents, disk + _KEPT_PER_DOCUMENT * documents
        return cls(documents, text_bytes, int(memory + 2 * other_bytes), int(disk + 2.25 * other_bytes))


def need_of(source: Any, options: Options, recipe: Recipe | None = None) -> Need:
    """Estimate what a source takes, by a recipe or the one that is named, from a first look at it."""
    method = (recipe or options.resolved_recipe()).factorization.get("method")
    wanted = parse_topics(options.topics)
    topics = wanted if isinstance(wanted, int) else wanted[1] or _TOPICS
    try:
        documents, text_bytes, *others = _size(source, options)
        if options.split is not None:
            documents = max(documents, text_bytes // parse_split(options.split).bytes_each())
        need = Need.of(documents, text_bytes, topics, *others)
    except (Exception, *DECLINED):  # damaged files raise nearly anything
        return Need()  # what is wrong with it is said when it is read
    numbers = _vector_width(source, options)
    held = _HELD_NUMBER * numbers * need.documents
    agreement = _agreement(need.documents, topics, numbers) if method == "Ensemble" else 0
    return replace(need, memory=need.memory + agreement + held, disk=need.disk + held)


def _agreement(documents: int, topics: int, numbers: int) -> int:
    """Return the bytes that several runs and their consensus take, of all documents or of a sample."""
    looked_at = documents if documents < _SAMPLED else min(documents, _SAMPLE)
    beside = _USED_NUMBER * numbers + _USED_COMPONENT * min(numbers, COMPONENTS)
    return looked_at * (_VECTORS + _OF_TOPIC * topics + beside)


def _vector_width(source: Any, options: Options) -> int:
    """Return of how many numbers the vectors beside the documents are; 0 for none, or where the size has them.

    A file of lines is all taken for text, the vectors in it too, and a number takes more there than it will here.
    """
    if isinstance(source, Corpus):
        return 0 if source.vectors is None else int(source.vectors.shape[1])
    given = options.embeddings
    if given is None:
        return 0
    try:
        if given.startswith(MODEL):
            return _MODEL_WIDTH
        if not is_column(given):
            return int(np.load(Path(given).expanduser(), mmap_mode="r", allow_pickle=False).shape[1])
        table = _table(source)
        return 0 if table is None else len(numbers_of(table.sample[given].head(1))[0])
    except (Exception, *DECLINED):  # what is wrong with them is said when they are read
        return 0


def _size(source: Any, options: Options) -> tuple[int, ...]:
    """Return how many documents there are, about, of what size together, and that of other columns beside them."""
    if isinstance(source, Corpus):
        source = source.documents
    table = _table(source)
    if isinstance(source, pl.DataFrame | pl.LazyFrame) and table is not None:
        rows = int(source.lazy().select(pl.len()).collect().item())
        return rows, *(int(rows * mean) for mean in _means(table, options))
    if isinstance(source, list | tuple) and source and all(isinstance(one, Path) for one in source):
        return _sum(_size(one, options) for one in expanded(source))
    if isinstance(source, list | tuple):
        return len(source), sum(len(text) for text in source if isinstance(text, str))
    if hasattr(source, "num_rows") and hasattr(source, "column_names"):  # of Arrow, or datasets
        return int(source.num_rows), int(getattr(source, "nbytes", 0) or getattr(source, "size_in_bytes", 0) or 0)
    if sp.issparse(source):
        return source.shape[0], int(source.nnz * _ENTRY_OF)
    if isinstance(source, pl.Series):
        some = text_lengths(source.head(_SOME))
        return len(source), int(some.sum() / max(len(some), 1) * len(source))
    if hasattr(source, "memory_usage"):  # of pandas: one number for a Series, one a column for a frame
        some = source.head(_SOME)
        return len(source), int(np.sum(some.memory_usage(deep=True)) / max(len(some), 1) * len(source))
    if not isinstance(source, str | Path) or str(source) == "-":
        return 0, 0
    path = Path(source)
    if table is not None:
        files = _parquet_files(path)
        rows = sum(pl.scan_parquet(file, glob=False).select(pl.len()).collect().item() for file in files)
        return rows, *(int(rows * mean) for mean in _means(table, options))
    if not path.exists():
        return _sum(_size(one, options) for one in expanded([path]))
    if path.is_dir():
        sizes = [(Path(at) / name).lstat().st_size for at, _, names in os.walk(path) for name in names]
        return len(sizes), sum(sizes)
    return _matrix(path) if kind_of(path) == "matrix" else _file(path)


def _sum(sizes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sum(values) for values in zip_longest((0, 0), *sizes, fillvalue=0))


def _table(source: Any) -> Table | None:
    """Open a source that is a table whose columns have types; None for any other."""
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return opened_frame(source)
    if not isinstance(source, str | Path) or str(source) == "-":
        return None
    files = _parquet_files(Path(source))
    return opened_parquet(Path(source), files) if files else None


def _parquet_files(path: Path) -> list[Path]:
    return parquet_files(path) or ([path] if kind_of(path) == "parquet" else [])


def _matrix(path: Path) -> tuple[int, int]:
    """Read the lengths of a matrix's arrays, and nothing else of it."""
    lengths = {}
    with zipfile.ZipFile(path) as archive:
        for name in ("indptr", "data"):
            with archive.open(f"{name}.npy") as file:
                np.lib.format.read_magic(file)
                lengths[name] = int(np.lib.format.read_array_header_1_0(file)[0][0])
    return lengths["indptr"] - 1, int(lengths["data"] * _ENTRY_OF)


def _file(path: Path) -> tuple[int, int]:
    """Take every line of a file for a document, and all of it for text."""
    size, start = path.stat().st_size, head(path)
    size *= _PACKED if is_packed(path) or start.startswith(b"PK") else 1
    lines = max(1, start.count(b"\n"))
    return max(1, size * lines // max(1, min(size, len(start), HEAD))), size


def _means(table: Table, options: Options) -> tuple[float, float]:
    """Return the bytes of a text and of a row's other columns, by the first rows."""
    vectors = options.embeddings if is_column(options.embeddings) else None
    named = named_columns(text=options.text, embeddings=vectors)
    table = with_answers(table, named, options.each)
    roles, rows = roles_of(table, named), table.sample.height
    if not rows:
        return 0.0, 0.0
    others = sum(table.sample[name].estimated_size() for name in roles.others if name not in roles.columns.values())
    return float(text_lengths(table.sample[roles.columns["text"]]).mean()), others / rows
