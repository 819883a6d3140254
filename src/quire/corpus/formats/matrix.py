"""A matrix of counts that somebody else made, with its vocabulary, labels and dates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from quire.corpus.cut import cut_documents, cut_matrix
from quire.corpus.dates import read_dates
from quire.corpus.encodings import decode
from quire.corpus.expansion import check_archive, check_size
from quire.corpus.formats.format import Format, Reading
from quire.corpus.formats.frames import type_of
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.strings import as_strings, listed
from quire.places.indices import as_csr
from quire.places.place import Place

_POINTER = 8  # bytes, of which a matrix needs one for each row and each column


def load_matrix(path: Path) -> sp.csr_array:
    """Return the sparse matrix of an ``.npz`` file; pickles in it are not opened."""
    size = path.stat().st_size
    check_archive(path, size, str(path))
    try:
        loaded = sp.load_npz(path)
    except Exception:  # whatever NumPy, SciPy and zipfile trip over: damaged files raise nearly anything
        raise ValueError(
            f"{path} holds no sparse matrix: write one with scipy.sparse.save_npz(path, counts)."
        ) from None
    check_size(_POINTER * sum(loaded.shape), size, str(path))
    return checked_matrix(loaded, str(path))


def checked_matrix(matrix: Any, name: str) -> sp.csr_array:
    """Return a sparse matrix as CSR, refusing one with impossible values."""
    try:
        csr = as_csr(matrix, name)
    except (ValueError, TypeError, IndexError, MemoryError):
        raise ValueError(f"{name} is damaged or no matrix of rows and columns: make it anew.") from None
    if csr.dtype.kind not in "iufb":
        raise ValueError(f"{name} holds values of type {csr.dtype}, not numbers: make it anew.")
    if 0 in csr.shape:
        raise ValueError(f"{name} has {csr.shape[0]:,} rows and {csr.shape[1]:,} columns: there is nothing to read.")
    bad = ~(np.isfinite(csr.data) & (csr.data >= 0))
    if bad.any():
        at = int(bad.argmax())
        row = int(np.searchsorted(csr.indptr, at, side="right")) - 1
        raise ValueError(
            f"{name} holds {csr.data[at]} in row {row:,}, column {csr.indices[at]:,}: "
            "every value must be a finite number >= 0."
        )
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def read_vocabulary(vocabulary: Any, n_terms: int) -> list[str]:
    """Return the terms of a matrix: a list, or a file with a term a line or a JSON list."""
    if isinstance(vocabulary, str | Path):
        terms = _terms_of(Path(vocabulary))
    else:
        terms = [str(term) for term in listed(vocabulary, "The vocabulary")]
    if len(terms) != n_terms:
        raise ValueError(
            f"The vocabulary has {len(terms):,} terms but the matrix has {n_terms:,} columns: they must be as many."
        )
    return terms


def read_matrix(source: Any, request: Request, place: Place) -> Reading:
    """Read a document for each row of a matrix, with the labels, dates and terms that lie beside its file.

    For ``news.npz`` these are ``news_labels.npy``, ``news_dates.npy`` and ``news_vocabulary.txt`` (or ``.json``).
    """
    request.no_columns("A matrix")
    terms = None
    if sp.issparse(source):
        matrix, notes = checked_matrix(source, "The matrix"), Notes(source=type_of(source), kind="matrix")
        documents = _numbered(matrix)
    else:
        path = Path(source)
        matrix, notes = load_matrix(path), Notes(source=str(path), kind="matrix")
        documents, notes = _with_neighbours(_numbered(matrix), path, notes)
        if request.vocabulary is None:
            terms, notes = _terms_beside(path, matrix.shape[1], notes)
    return Reading([place.put(part) for part in cut_documents(documents)], notes, cut_matrix(matrix, place), terms)


def _numbered(matrix: sp.csr_array) -> pl.DataFrame:
    return pl.DataFrame({"id": pl.int_range(matrix.shape[0], eager=True).cast(pl.String)})


def _with_neighbours(documents: pl.DataFrame, path: Path, notes: Notes) -> tuple[pl.DataFrame, Notes]:
    for role in ("label", "date"):
        beside = path.with_name(f"{path.stem}_{role}s.npy")
        if not beside.exists():
            continue
        values, wrong = _load_beside(beside, documents.height)
        if values is None:
            notes = notes.remark(f"{beside.name} was not used: {wrong}.")
            continue
        if role == "label":
            documents = documents.with_columns(as_strings(values).alias(role))
        else:
            dates = read_dates(values)
            documents = documents.with_columns(dates.values.alias(role))
            notes = notes.with_(unparsed_dates=dates.unparsed)
        notes = notes.with_(columns={**notes.columns, role: beside.name}, guessed=(*notes.guessed, role))
    return documents, notes


def _terms_beside(path: Path, n_terms: int, notes: Notes) -> tuple[list[str] | None, Notes]:
    """Return the terms of a vocabulary that lies beside a matrix, and say that they were taken, or why not."""
    for ending in (".txt", ".json"):
        beside = path.with_name(f"{path.stem}_vocabulary{ending}")
        if beside.is_file():
            try:
                terms = read_vocabulary(beside, n_terms)
            except ValueError as error:
                return None, notes.remark(f"{beside.name} was not used. {error}")
            return terms, notes.remark(f"Its terms are named by {beside.name}, which lies beside it.")
    return None, notes


def _load_beside(path: Path, n: int) -> tuple[pl.Series | None, str]:
    try:
        values = np.load(path, allow_pickle=False)
        if values.shape != (n,):
            return None, f"it has the shape {values.shape}, and there are {n:,} documents"
        if values.dtype.kind == "M":
            values = values.astype("datetime64[us]")
        elif values.dtype.kind in "SUV":
            values = pl.Series(values.astype(str).tolist(), dtype=pl.String)
        return pl.Series(values), ""
    except Exception:  # of headers, code points and what else may be damaged
        return None, "it holds no plain array"


def _terms_of(path: Path) -> list[str]:
    try:
        text = decode(path.read_bytes()).text
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"The vocabulary {path} cannot be read ({reason}): check the path.") from None
    if path.suffix.lower() != ".json":
        return text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    try:
        terms = json.loads(text)
    except (ValueError, RecursionError):
        terms = None
    if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms):
        raise ValueError(f'The vocabulary {path} is no JSON list of strings: write ["first", "second", …].')
    return terms


FORMAT = Format(
    read_matrix, {".npz": "matrix"}, sp.issparse,
    about="a row of a matrix of counts each, from `scipy.sparse.save_npz`, taken as it is; `--vocabulary FILE` names "
    "its terms, and files `NAME_vocabulary.txt`, `NAME_labels.npy`, `NAME_dates.npy` beside it are used",
)  # fmt: skip
