"""A corpus: documents with ids, texts, labels and dates, from wherever they are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from quire.corpus.columns import check_ids
from quire.corpus.fingerprint import hash_strings, moments_of
from quire.corpus.formats.frames import sequence, sequence_of_dates
from quire.corpus.formats.matrix import read_vocabulary
from quire.corpus.notes import Notes
from quire.corpus.sources import Request, read_source
from quire.corpus.strings import as_strings, blank_to_null


@dataclass(frozen=True, eq=False)  # to compare two, compare their fingerprints
class Corpus:
    """Documents, and what there is to know about how they were read.

    Attributes
    ----------
    documents : polars.DataFrame
        ``id`` (unique strings), ``text`` (never null; absent for a matrix) and, where known, ``label``
        (string), ``date`` (Date, or Datetime in UTC without a zone) and ``title``, null where missing.
    notes : Notes
        What was read, guessed, skipped and replaced.
    counts : scipy.sparse.csr_array or None
        The matrix, for a corpus that is one.
    vocabulary : list of str or None
        The terms of the matrix, where they are known.

    Examples
    --------
    >>> from quire.corpus.corpus import read_corpus
    >>> corpus = read_corpus(["one", "two", ""], labels=["a", "b", None])
    >>> len(corpus), corpus.notes.n_empty
    (3, 1)
    >>> corpus.documents["label"].to_list()
    ['a', 'b', None]
    """

    documents: pl.DataFrame
    notes: Notes
    counts: sp.csr_array | None = None
    vocabulary: list[str] | None = None

    def __len__(self) -> int:
        return self.documents.height

    def texts(self, batch: int = 1024) -> Iterator[str]:
        """Yield the texts in order; only ``batch`` of them exist as Python strings at a time.

        Examples
        --------
        >>> from quire.corpus.corpus import read_corpus
        >>> list(read_corpus(["one", "two"]).texts())
        ['one', 'two']
        """
        if "text" not in self.documents.columns:
            raise ValueError("A corpus that was read from a matrix has counts, but no texts.")
        column = self.documents["text"]
        for start in range(0, len(column), batch):
            yield from column.slice(start, batch).to_list()

    def fingerprint(self) -> str:
        """Return a SHA-256 of ids, texts, labels and dates (or of the matrix): the same for the same corpus.

        It does not depend on where the corpus lies, in which kind of file, or on what was noted.

        Examples
        --------
        >>> from quire.corpus.corpus import read_corpus
        >>> read_corpus(["one", "two"]).fingerprint()[:12]
        '36da2a9aa550'
        >>> read_corpus(["one", "two"]).fingerprint() == read_corpus(["onet", "wo"]).fingerprint()
        False
        """
        digest = hashlib.sha256()
        for role in ("id", "text", "label"):
            if role in self.documents.columns:
                digest.update(role.encode())
                hash_strings(digest, self.documents[role])
        if "date" in self.documents.columns:
            digest.update(b"date" + moments_of(self.documents["date"]).tobytes())
        if self.counts is not None:
            _hash_matrix(digest, self.counts)
        if self.vocabulary is not None:
            digest.update(b"vocabulary")
            hash_strings(digest, pl.Series(self.vocabulary, dtype=pl.String))
        return digest.hexdigest()


def read_corpus(
    source: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    date: str | None = None,
    group: str | None = None,
    ids: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    dates: Iterable[Any] | None = None,
    vocabulary: str | Path | Iterable[str] | None = None,
    fallback: str = "cp1252",
    strict: bool = False,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Corpus:
    r"""Read documents from a folder, a file, standard input, a list, a data frame or a matrix.

    Parameters
    ----------
    source : str, Path, iterable of str, data frame, series, sparse matrix or Corpus
        A folder is searched for .txt, .text, .md, .rst, .html and .htm, and with the extra ``files`` for .pdf
        and .docx; where every file lies in a sub-folder, these become labels. A folder of Parquet files, or a
        pattern such as ``"news/*.parquet"``, is one table. A file is a table (.csv, .tsv,
        .jsonl, .ndjson, .json, .parquet, also with .gz or .zst), a document a line (.txt), or a matrix (.npz,
        with ``_labels.npy`` and ``_dates.npy`` beside it). ``"-"`` is standard input: a document a line, or
        JSON lines. Data frames are polars' or pandas'.
    text, id, label, date : str, optional
        The columns of a table; guessed by their names and contents where not given.
    group : str, optional
        A column whose rows of one value are one document: an author, an account, a thread.
    ids, labels, dates : sequence, optional
        The same, one value a document, instead of a column.
    vocabulary : str, Path or sequence, optional
        The terms of a matrix: a file with a term a line (or a JSON list), or the terms themselves.
    fallback : str, default="cp1252"
        The encoding of what is not UTF-8 (nor UTF-16).
    strict : bool, default=False
        Whether files that cannot be read, malformed rows and characters that are not UTF-8 are errors,
        instead of being counted in the notes.
    progress : callable, optional
        Called with what is being done, how much is done, and how much there is (None where unknown).

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import polars as pl
    >>> from quire.corpus.corpus import read_corpus
    >>> mail = pl.DataFrame({"sender": ["ann", "bob", "ann"], "body": ["hello", "well", "bye"]})
    >>> corpus = read_corpus(mail, group="sender")
    >>> corpus.documents.rows()
    [('ann', 'hello\nbye'), ('bob', 'well')]
    >>> corpus.notes.sentences()[0]
    "Columns were guessed: text = 'body'."
    """
    named = {"text": text, "id": id, "label": label, "date": date, "group": group}
    if isinstance(source, Corpus):
        if any(column is not None for column in named.values()) or vocabulary is not None:
            raise ValueError(
                "A corpus has been read already: name its columns and vocabulary when reading it."
            )
        if ids is None and labels is None and dates is None:
            return source
        documents, notes = _attach(source.documents, source.notes, ids, labels, dates)
        return replace(source, documents=documents, notes=notes)
    request = Request({r: c for r, c in named.items() if c is not None}, fallback, strict, progress)
    documents, notes, counts = read_source(source, request)
    documents, notes = _attach(documents, notes, ids, labels, dates)
    if vocabulary is not None and counts is None:
        raise ValueError("A vocabulary goes with a matrix (.npz); texts bring their own, so leave it out.")
    terms = None if vocabulary is None or counts is None else read_vocabulary(vocabulary, counts.shape[1])
    if progress is not None:
        progress("reading", documents.height, documents.height)
    order = [name for name in ("id", "text", "label", "date", "title") if name in documents.columns]
    return Corpus(documents.select(order), _counted(documents, notes, counts), counts, terms)


def _attach(
    documents: pl.DataFrame, notes: Notes, ids: Any, labels: Any, dates: Any
) -> tuple[pl.DataFrame, Notes]:
    """Put the sequences that were passed beside the documents in the place of what was read."""
    n, given = documents.height, []
    if ids is not None:
        column = blank_to_null(as_strings(sequence(ids, "ids", n)))
        check_ids(column, "The sequence of ids")
        given.append(column.alias("id"))
    if labels is not None:
        given.append(blank_to_null(as_strings(sequence(labels, "labels", n))).alias("label"))
    if dates is not None:
        read = sequence_of_dates(dates, n)
        given.append(read.values.alias("date"))
        notes = notes.with_(unparsed_dates=read.unparsed)
        notes = notes if read.remark is None else notes.remark(read.remark)
    roles = {column.name for column in given}
    return documents.with_columns(given), notes.with_(
        columns={role: column for role, column in notes.columns.items() if role not in roles},
        guessed=tuple(role for role in notes.guessed if role not in roles),
    )


def _counted(documents: pl.DataFrame, notes: Notes, counts: sp.csr_array | None) -> Notes:
    notes = notes.with_(n_documents=documents.height)
    if counts is not None:
        return notes.with_(n_empty=int((np.diff(counts.indptr) == 0).sum()))
    text = documents["text"]
    filled = text.filter(text.str.contains(r"\S"))
    repeated = len(filled) - filled.n_unique()
    return notes.with_(n_empty=documents.height - len(filled), n_duplicates=repeated)


def _hash_matrix(digest: Any, counts: sp.csr_array) -> None:
    digest.update(b"counts")
    digest.update(np.array(counts.shape, dtype="<i8").tobytes())
    for array, dtype in ((counts.indptr, "<i8"), (counts.indices, "<i8"), (counts.data, "<f8")):
        for start in range(0, len(array), 1 << 20):
            digest.update(_as_bytes(array[start : start + (1 << 20)], dtype))


def _as_bytes(values: Any, dtype: str) -> bytes:
    return np.asarray(values).astype(dtype).tobytes()
