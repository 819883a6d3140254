"""Vectors that a model made of the documents, beside them: from an array, an ``.npy`` file, a column or a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.models import encoder_of
from quire.corpus.request import Progress
from quire.places.parts import KeptRows
from quire.places.place import Handle, Place

MODEL = "model:"  # what comes before the name or folder of a model that is to make the vectors
_AT_ONCE = 1024  # texts that a model is given
_REMEDY = "give an array of numbers with a row for each document"


def is_column(given: Any) -> bool:
    """Return whether a string names a column, and no file and no model."""
    return isinstance(given, str) and not given.endswith(".npy") and not given.startswith(MODEL)


def vectors_beside(
    given: Any, parts: list[Handle], sizes: NDArray[np.int64], place: Place, progress: Progress | None = None
) -> KeptRows:
    """Return the vectors of documents that lie in parts, in the same parts."""
    if isinstance(given, str) and given.startswith(MODEL):
        return _made(given.removeprefix(MODEL), parts, sizes, place, progress)
    if isinstance(given, str | Path):
        given = _loaded(Path(given).expanduser())
    return KeptRows.split(checked_vectors(given, int(sizes.sum())), place, sizes)


def vectors_of_column(parts: list[Handle], sizes: NDArray[np.int64], place: Place) -> tuple[list[Handle], KeptRows]:
    """Take the vectors out of the documents' column of them; return the documents without it, and the vectors."""
    widths = set(place.sweep(_widths, parts)[1])
    if len(widths) > 1 or None in widths:
        raise ValueError("The column of vectors does not hold a list of as many numbers in every row: mend it.")
    vectors = place.sweep(_vectors, parts)[0]
    rows = KeptRows(place, vectors, sizes, (int(sizes.sum()), int(widths.pop())), np.dtype(np.float32))
    return place.sweep(_without_vectors, parts)[0], rows


def checked_vectors(given: Any, n: int) -> NDArray[np.float32]:
    """Return vectors as an array of finite numbers with a row for each document."""
    try:
        vectors = np.asarray(given, np.float32)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"The embeddings are no array of numbers: {_REMEDY}.") from None
    if vectors.ndim != 2 or 0 in vectors.shape[1:]:
        raise ValueError(f"The embeddings have the shape {vectors.shape}: {_REMEDY}.")
    if len(vectors) != n:
        raise ValueError(f"There are {len(vectors):,} embeddings for {n:,} documents: pass one for each.")
    wrong = ~np.isfinite(vectors).all(axis=1)
    if wrong.any():
        raise ValueError(f"The embedding of document {int(wrong.argmax()) + 1:,} is not finite: make it anew.")
    return vectors


def _loaded(path: Path) -> NDArray[Any]:
    if not path.is_file():
        raise ValueError(f"There is no file {path} of embeddings: write one with numpy.save, a row for each document.")
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except Exception:  # whatever NumPy says of a file that is something else
        raise ValueError(f"{path} holds no array: write one with numpy.save, a row for each document.") from None


def _made(
    model: str, parts: list[Handle], sizes: NDArray[np.int64], place: Place, progress: Progress | None
) -> KeptRows:
    """Let a model read the texts, here, part by part."""
    encode, handles, width, done = encoder_of(model), list[Handle](), 0, 0
    for handle in parts:
        documents = place.fetch(handle)
        if "text" not in documents.columns:
            raise ValueError("A model reads texts, and a matrix has none: pass embeddings that are made already.")
        pieces = []
        for start in range(0, documents.height, _AT_ONCE):
            pieces.append(encode(documents["text"].slice(start, _AT_ONCE).to_list()))
            done += len(pieces[-1])
            if progress is not None:
                progress("embedding", done, int(sizes.sum()))
        vectors = checked_vectors(np.vstack(pieces), documents.height)
        handles.append(place.put(vectors))
        width = vectors.shape[1]
    return KeptRows(place, handles, sizes, (int(sizes.sum()), width), np.dtype(np.float32))


def numbers_of(column: pl.Series) -> pl.Series:
    """Return a column of vectors as lists of numbers; text such as "[0.1, 0.2]" is read."""
    if column.dtype == pl.String:
        column = column.str.json_decode(pl.List(pl.Float32))
    return column.cast(pl.List(pl.Float32))


def _widths(documents: pl.DataFrame) -> tuple[None, list[int | None]]:
    try:
        column = numbers_of(documents["embeddings"])
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None, [None]
    numbers, lengths = column.explode().drop_nulls(), column.list.len()
    sound = len(numbers) == lengths.sum() and numbers.is_finite().all()
    widths = lengths.unique().to_list()
    return None, widths if sound and widths != [0] else [None]


def _vectors(documents: pl.DataFrame) -> tuple[NDArray[np.float32], None]:
    column = numbers_of(documents["embeddings"])
    return np.ascontiguousarray(column.explode().to_numpy().reshape(len(column), -1)), None


def _without_vectors(documents: pl.DataFrame) -> tuple[pl.DataFrame, None]:
    return documents.drop("embeddings"), None
