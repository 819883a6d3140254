"""A corpus: documents with ids, texts, labels and dates, from wherever they are, in parts at a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.answers import check_several
from quire.corpus.cut import cut_documents, cut_matrix
from quire.corpus.fingerprint import fingerprint_of
from quire.corpus.formats.format import Reading
from quire.corpus.formats.matrix import read_vocabulary
from quire.corpus.notes import Notes
from quire.corpus.passages import ANSWERS, Split, parse_split, split_parts
from quire.corpus.request import Request, named_columns
from quire.corpus.sequences import attached
from quire.corpus.sources import format_of
from quire.corpus.vectors import is_column, vectors_beside, vectors_of_column
from quire.places.codec import storable
from quire.places.memory import MemoryPlace
from quire.places.parts import Blocks, KeptRows
from quire.places.place import Handle, Place


@storable
@dataclass(frozen=True, eq=False)  # to compare two, compare their fingerprints
class Corpus:
    """Documents in parts at a place, and what there is to know about how they were read.

    Attributes
    ----------
    place : Place
        Who keeps the parts.
    parts : list
        Handles of polars frames with the columns of :attr:`documents`, in order.
    sizes : array of int
        Documents of each part.
    notes : Notes
        What was read, guessed, skipped and replaced.
    matrix : Blocks or None
        The counts, for a corpus that is a matrix, in the same parts.
    vocabulary : list of str or None
        The terms of the matrix, where they are known.
    vectors : KeptRows or None
        A vector of each document by some model, where they were given, in the same parts.
    passages : array of int or None
        How many passages, one after the other, each whole document was split into; None where none was.

    Examples
    --------
    >>> from quire.corpus.corpus import read_corpus
    >>> corpus = read_corpus(["one", "two", ""], labels=["a", "b", None])
    >>> len(corpus), corpus.notes.n_empty
    (3, 1)
    >>> corpus.documents["label"].to_list()
    ['a', 'b', None]
    """

    place: Place
    parts: list[Handle]
    sizes: NDArray[np.int64]
    notes: Notes
    matrix: Blocks | None = None
    vocabulary: list[str] | None = None
    vectors: KeptRows | None = None
    passages: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        documents: pl.DataFrame,
        notes: Notes | None = None,
        counts: sp.csr_array | None = None,
        vocabulary: list[str] | None = None,
    ) -> Corpus:
        """Return the corpus of documents that are in memory."""
        place, frames = MemoryPlace(), list(cut_documents(documents)) or [documents]
        sizes = np.array([frame.height for frame in frames], np.int64)
        matrix = None if counts is None else cut_matrix(counts, place)
        return cls(place, [place.put(one) for one in frames], sizes, notes or Notes(), matrix, vocabulary)

    def __len__(self) -> int:
        return int(self.sizes.sum())

    @property
    def documents(self) -> pl.DataFrame:
        """All documents, brought here.

        They have ``id`` (unique strings), ``text`` (never null; absent for a matrix) and, where known,
        ``label`` (string), ``date`` (Date, or Datetime in UTC without a zone) and ``title``, null where
        missing; then all other columns of a table, under their own names.
        """
        frames: list[pl.DataFrame] = [self.place.fetch(part) for part in self.parts]
        return frames[0] if len(frames) == 1 else pl.concat(frames)

    @property
    def counts(self) -> sp.csr_array | None:
        """The matrix, brought here, for a corpus that is one."""
        return None if self.matrix is None else self.matrix.whole()

    def texts(self, batch: int = 1024) -> Iterator[str]:
        """Yield the texts in order; only ``batch`` of them exist as Python strings at a time."""
        for handle in self.parts:
            part = self.place.fetch(handle)
            if "text" not in part.columns:
                raise ValueError("A corpus that was read from a matrix has counts, but no texts.")
            for start in range(0, part.height, batch):
                yield from part["text"].slice(start, batch).to_list()

    def fingerprint(self) -> str:
        """Return a SHA-256 of ids, texts, labels, dates (or of the matrix) and vectors: the same for the same corpus.

        It does not depend on where the corpus lies, in which kind of file, or on what was noted.
        """
        return fingerprint_of(self.place, self.parts, self.matrix, self.vocabulary, self.vectors)


def read_corpus(
    source: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    date: str | None = None,
    group: str | None = None,
    title: str | None = None,
    url: str | None = None,
    weight: str | None = None,
    ids: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    dates: Iterable[Any] | None = None,
    embeddings: Any = None,
    sheet: str | None = None,
    records: str | None = None,
    sql: str | None = None,
    keep_quotes: bool = False,
    vocabulary: str | Path | Iterable[str] | None = None,
    fallback: str = "cp1252",
    strict: bool = False,
    follow_links: bool = False,
    split: str | None = None,
    each: bool = False,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Corpus:
    r"""Read documents from a folder, a file, standard input, a list, a data frame or a matrix.

    Parameters
    ----------
    source : str, Path, list of Path, iterable of str, table, sparse matrix or Corpus
        A file, a folder, an archive, a pattern such as ``"news/*.csv"``, or ``"-"`` for standard input; what is a
        document in each is in ``docs/cluster.md``. A list of paths is all of them. A table is a data frame of polars
        or pandas, a dict of columns, a list of dicts, an Arrow table or a dataset of Hugging Face.
    text, id, label, date : str, optional
        The columns of a table; guessed by their names and contents where not given.
    group : str, optional
        A column whose rows of one value are one document: an author, an account, a thread.
    title, url : str, optional
        Columns with what to call a document, and where it is on the web, for the page.
    weight : str, optional
        A column of how much each document counts in shares, as for surveys.
    ids, labels, dates : sequence, optional
        The same, one value a document, instead of a column.
    embeddings : array of shape (n, d), path, or str, optional
        Vectors of the documents by any model: an array, an ``.npy`` file, a column of lists, or
        ``model:wordllama`` (with the extra ``embed``) or ``model:`` and the folder of a model that makes them.
    sheet : str, optional
        The sheet of a spreadsheet, by its name; the first that holds anything where not given.
    records : str, optional
        Where a JSON or XML file has its records: the keys or elements that lead there, as in ``"a.b"``.
    sql : str, optional
        The table of an SQLite database, or a query of it.
    keep_quotes : bool, default=False
        Whether what replies quote and signatures are kept, in mail.
    vocabulary : str, Path or sequence, optional
        The terms of a matrix: a file with a term a line (or a JSON list), or the terms themselves.
    fallback : str, default="cp1252"
        The encoding of what is not UTF-8 (nor UTF-16).
    strict : bool, default=False
        Whether files that cannot be read, malformed rows and characters that are not UTF-8 are errors,
        instead of being counted in the notes.
    follow_links : bool, default=False
        Whether links inside a folder are read: they may lead out of it.
    split : str, optional
        Cut texts into passages, which are the documents then: ``paragraphs``, ``sentences:5``, ``words:300`` or
        ``pages``. ``document`` is the id of the whole one.
    each : bool, default=False
        Where ``text`` names several columns, as in ``likes,dislikes``: whether each answer is a document, instead of
        all answers of a row together.
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
    column = embeddings if is_column(embeddings) else None
    columns = named_columns(
        text=text, id=id, label=label, date=date, group=group, title=title, url=url, weight=weight, embeddings=column
    )
    beside = None if column is not None else embeddings
    own: dict[str, Any] = {
        "sheet": sheet, "records": records, "sql": sql, "keep_quotes": keep_quotes, "split": split, "each": each
    }  # fmt: skip
    request = Request(columns, vocabulary, fallback, strict, progress, ids, labels, dates, beside, follow_links, **own)
    if isinstance(source, Corpus):
        return read_parts(source, request, source.place)
    corpus = read_parts(source, request, MemoryPlace())
    if progress is not None:
        progress("reading", len(corpus), len(corpus))
    return corpus


def read_parts(source: Any, request: Request, place: Place) -> Corpus:
    """Read documents at a place: the same everywhere, in the same parts.

    Parquet is read by the tasks of a place that would copy its rows, all else by the caller, a part at a
    time; only what must be known whole to be understood (a file that is not UTF-8) is read whole.
    """
    if isinstance(source, Corpus):
        return _completed(_moved(source, request, place), request)
    if request.progress is not None and isinstance(source, str | Path) and Path(source).is_file():
        request.progress("reading", 0, None)
    with _polars_sentence():
        reading = format_of(source, request).read(source, request, place)
    sizes, notes = reading.counted(place)
    parts, vectors = reading.parts, None
    if "embeddings" in request.columns:
        parts, vectors = vectors_of_column(parts, sizes, place)
    corpus = _completed(Corpus(place, parts, sizes, notes, reading.matrix, reading.terms, vectors), request)
    if request.vocabulary is None:
        return corpus
    if corpus.matrix is None:
        raise ValueError("A vocabulary goes with a matrix (.npz); texts bring their own, so leave it out.")
    return replace(corpus, vocabulary=read_vocabulary(request.vocabulary, corpus.matrix.shape[1]))


@contextmanager
def _polars_sentence() -> Iterator[None]:
    """Say in a sentence that values are such that Polars gave up, or broke off with what is no Exception."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        words = str(error).partition("\n")[0].rstrip(".")
        raise ValueError(f"A value could not be read ({words}): leave its column out, or write it as text.") from None


def _moved(corpus: Corpus, request: Request, place: Place) -> Corpus:
    """Return a corpus that has been read already, at a place."""
    if request.columns or request.vocabulary is not None:
        raise ValueError("A corpus has been read already: name its columns and vocabulary when reading it.")
    if place is corpus.place:
        return corpus
    parts, matrix = [place.put(corpus.place.fetch(part)) for part in corpus.parts], corpus.matrix
    if matrix is not None:
        handles = [place.put(corpus.place.fetch(block)) for block in matrix.handles]
        matrix = replace(matrix, place=place, handles=handles)
    vectors = corpus.vectors
    if vectors is not None:
        vectors = replace(vectors, place=place, handles=[place.put(block) for block in vectors.blocks()])
    return replace(corpus, place=place, parts=parts, matrix=matrix, vectors=vectors)


def _completed(corpus: Corpus, request: Request) -> Corpus:
    """Put ids, labels and dates that were passed beside a source in the place of what was read, split, add vectors."""
    if request.has_sequences:
        parts, notes = attached(corpus.parts, corpus.sizes.tolist(), corpus.notes, request, corpus.place)
        corpus = replace(corpus, parts=parts, notes=notes)
    if request.split is not None or request.each:
        corpus = _split(corpus, request)
    if request.embeddings is not None:
        vectors = vectors_beside(request.embeddings, corpus.parts, corpus.sizes, corpus.place, request.progress)
        corpus = replace(corpus, vectors=vectors)
    return corpus


def _questions(notes: Notes) -> tuple[str, ...]:
    """Return the columns whose answers were read together."""
    check_several(notes.answers)
    return notes.answers


def _split(corpus: Corpus, request: Request) -> Corpus:
    """Return the passages, or the answers, of a corpus as documents."""
    if request.split is not None and request.each:
        raise ValueError("Answers are documents each, or texts are split: leave --each or --split out.")
    if corpus.matrix is not None:
        raise ValueError("A matrix of counts has no texts to split: leave --split out.")
    if corpus.vectors is not None:
        raise ValueError("Vectors are those of whole documents: leave --split or the embeddings out.")
    split = Split(ANSWERS, 1, _questions(corpus.notes)) if request.split is None else parse_split(request.split)
    parts, each = split_parts(corpus.parts, split, corpus.place)
    sizes, notes = Reading(parts, corpus.notes).counted(corpus.place)
    if notes.n_empty == sizes.sum():
        raise ValueError("There is nothing to split: all texts are empty.")
    notes = notes.remark(split.words(len(corpus), int(sizes.sum())))
    return replace(corpus, parts=parts, sizes=sizes, notes=notes, passages=None if request.each else each)
