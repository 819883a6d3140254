"""Which reader a source needs: a path, standard input, a list, a data frame, a matrix."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import scipy.sparse as sp

from quire.corpus.columns import documents_of
from quire.corpus.content import content
from quire.corpus.formats.folder import Progress, read_folder
from quire.corpus.formats.frames import is_pandas, opened_frame, text_column
from quire.corpus.formats.lines import are_json_lines, read_lines
from quire.corpus.formats.matrix import checked_matrix, load_matrix, matrix_documents
from quire.corpus.formats.parquet import parquet_files, read_parquet
from quire.corpus.formats.tables import read_table, read_text
from quire.corpus.notes import Notes

KINDS = {  # what the ending of a file says
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "matrix",
    ".txt": "lines",
    ".text": "lines",
    ".md": "lines",
    ".rst": "lines",
    ".html": "page",
    ".htm": "page",
    ".pdf": "page",
    ".docx": "page",
}


@dataclass(frozen=True)
class Request:
    """How something is to be read."""

    named: dict[str, str]
    fallback: str = "cp1252"
    strict: bool = False
    progress: Progress | None = None

    def __post_init__(self) -> None:
        try:
            b"a".decode(self.fallback)  # not b"", for which Python does not look
        except (LookupError, UnicodeError):
            raise ValueError(f"There is no encoding {self.fallback!r}: choose one such as cp1252.") from None

    def no_columns(self, what: str) -> None:
        """Refuse a column that was named for something without columns."""
        for role, column in self.named.items():
            remedy = f"pass {role}s=" if role in ("id", "label", "date") else "leave it out"
            raise ValueError(
                f"{what} has no columns, so none can be named {column!r} for the {role}: {remedy}."
            )


Read = tuple[pl.DataFrame, Notes, sp.csr_array | None]


def read_source(source: Any, request: Request) -> Read:
    """Return the documents of a source, the notes, and the matrix where the source is one."""
    if isinstance(source, str | Path):
        if str(source) == "-":
            return *_read_stream("-", "Standard input", sys.stdin.buffer.read(), request), None
        return _read_path(Path(source), request)
    notes = Notes(source=f"{type(source).__module__.split('.')[0]}.{type(source).__name__}")
    if sp.issparse(source):
        request.no_columns("A matrix")
        counts = checked_matrix(source, "The matrix")
        return *matrix_documents(counts, None, notes), counts
    is_frame = isinstance(source, pl.DataFrame | pl.LazyFrame) or (
        is_pandas(source) and hasattr(source, "columns")
    )
    if is_frame:
        return *documents_of(opened_frame(source), request.named, notes.with_(kind="frame")), None
    if isinstance(source, bytes) or not isinstance(source, Iterable) or getattr(source, "ndim", 1) != 1:
        raise ValueError(
            f"A corpus cannot be read from {type(source).__name__}: pass a path, a list of strings, "
            "a data frame or a sparse matrix."
        )
    request.no_columns("A list of texts")
    return *text_column(source, notes.with_(source=type(source).__name__)), None


def kind_of(path: Path) -> str | None:
    """Return what the ending of a file says, one of ``KINDS``; None for an ending that is not known."""
    endings = [ending.lower() for ending in path.suffixes]
    packed = endings[-1:] in ([".gz"], [".zst"])
    return KINDS.get((endings[:-1] if packed else endings)[-1:][0] if len(endings) > packed else "")


def _read_path(path: Path, request: Request) -> Read:
    notes = Notes(source=str(path))
    if files := parquet_files(path):
        return *read_parquet(path, files, request.named, notes), None
    if not path.exists():
        raise ValueError(f"There is no file or folder {path}: check the path.")
    if path.is_dir():
        request.no_columns("A folder")
        return *read_folder(path, notes, request.fallback, request.strict, request.progress), None
    if not path.is_file():  # a pipe, as in: quire cluster <(zcat news.txt.gz)
        return *_read_stream(str(path), str(path), path.read_bytes(), request), None
    kind = kind_of(path)
    if request.progress is not None:
        request.progress("reading", 0, None)
    if kind == "matrix":
        request.no_columns("A matrix")
        counts = load_matrix(path)
        return *matrix_documents(counts, path, notes), counts
    if kind == "lines":
        request.no_columns("A file with a document a line")
        return *read_lines(str(path), content(path), notes, request.fallback, request.strict), None
    if kind == "page":
        raise ValueError(
            f"{path} is a single document: put the documents into a folder, and name the folder."
        )
    if kind is None:
        known = ", ".join(ending for ending, kind in KINDS.items() if kind != "page")
        raise ValueError(
            f"The ending of {path} is not known: give it one of {known} (or .gz, .zst after these)."
        )
    if kind == "parquet":
        return *read_parquet(path, [path], request.named, notes), None
    return *read_table(path, kind, request.named, notes, request.fallback, request.strict), None


def _read_stream(source: str, name: str, raw: bytes, request: Request) -> tuple[pl.DataFrame, Notes]:
    notes = Notes(source=source)
    if are_json_lines(raw):
        notes = notes.with_(kind="jsonl")
        return read_text(name, raw, "jsonl", request.named, notes, request.fallback, request.strict)
    request.no_columns(name)
    return read_lines(name, raw, notes, request.fallback, request.strict)
