"""From a source to documents in parts, at any place, without holding all texts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus, read_corpus
from quire.corpus.cut import BYTES, ROWS, cut_documents
from quire.corpus.fingerprint import hash_bytes, hash_lengths, moments_of, string_lengths
from quire.corpus.formats.folder import Progress
from quire.corpus.groups import grouped_parts
from quire.corpus.notes import Notes
from quire.corpus.part_formats import noted_texts
from quire.corpus.part_sources import named_columns, read_in_parts
from quire.corpus.slices import Part
from quire.places.parts import Blocks
from quire.places.place import Handle, Place
from quire.runs.need import Need, need_of
from quire.runs.options import Options

__all__ = ["BYTES", "ROWS", "Need", "Part", "Parted", "need_of", "parts_of"]


@dataclass(frozen=True, eq=False)
class Parted:
    """The documents of a corpus, in blocks at a place."""

    place: Place  # who keeps them
    # of polars frames with the columns of :attr:`quire.corpus.corpus.Corpus.documents`, in order
    documents: list[Handle]
    sizes: NDArray[np.int64]  # documents of each
    notes: Notes  # what was read, guessed, skipped and replaced
    counts: Blocks | None = None  # the matrix, for a corpus that is one
    vocabulary: list[str] | None = None  # the terms of the matrix, where they are known
    _hash: str | None = field(default=None, repr=False)

    @property
    def parts(self) -> list[Handle]:
        return self.documents

    @property
    def matrix(self) -> Blocks | None:
        return self.counts

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def fingerprint(self) -> str:
        """Return the fingerprint of the same corpus in memory; all texts pass by here, block by block."""
        if self._hash is not None:
            return self._hash
        digest = hashlib.sha256()
        for role in ("id", "text", "label"):
            handles, lengths = self.place.sweep(_column, self.documents, args=(role,))
            if lengths is None:
                continue
            digest.update(role.encode())
            hash_lengths(digest, np.concatenate(lengths))
            for handle in self.documents if role == "text" else handles:
                found = self.place.fetch(handle)
                hash_bytes(digest, found["text"] if role == "text" else found)
        moments = self.place.sweep(_moments, self.documents)[1]
        if moments is not None:
            digest.update(b"date")
            digest.update(np.concatenate(moments).tobytes())
        return digest.hexdigest()


def parts_of(source: Any, options: Options, place: Place, progress: Progress | None = None) -> Parted:
    """Read the documents of a source in blocks: the same documents as ``read_corpus`` reads.

    Parquet is read by the tasks of the place, other tables, folders and text files by the caller, a block
    at a time.
    """
    # What must be known whole to be understood is read whole: files that are not UTF-8, and standard input.
    read = read_in_parts(source, options, place, progress)
    if read is not None:
        handles, notes = read
        if options.group is not None:
            handles, notes = grouped_parts(handles, options.group, notes, place)
        sizes, notes = noted_texts(handles, notes, place)
        return Parted(place, handles, np.array(sizes, np.int64), notes)
    corpus = read_corpus(
        source, **named_columns(options), vocabulary=options.vocabulary, fallback=options.encoding,
        strict=options.strict, progress=progress,
    )  # fmt: skip
    return _cut(corpus, place)


def _cut(corpus: Corpus, place: Place) -> Parted:
    """Put a corpus that was read whole down in blocks."""
    handles, sizes = [], []
    for block in cut_documents(corpus.documents):
        handles.append(place.put(block))
        sizes.append(block.height)
    counts, starts = corpus.counts, np.concatenate([[0], np.cumsum(sizes)])
    if counts is None:
        return Parted(place, handles, np.array(sizes, np.int64), corpus.notes)
    rows = [place.put(sp.csr_array(counts[a:b])) for a, b in pairwise(starts)]
    matrix, known = Blocks.of(place, rows), corpus.vocabulary
    return Parted(place, handles, np.array(sizes), corpus.notes, matrix, known, corpus.fingerprint())


def _column(documents: pl.DataFrame, role: str) -> tuple[pl.Series | None, list[NDArray[Any]] | None]:
    if role not in documents.columns:
        return None, None
    return None if role == "text" else documents[role], [string_lengths(documents[role])]


def _moments(documents: pl.DataFrame) -> tuple[None, list[NDArray[Any]] | None]:
    return None, [moments_of(documents["date"])] if "date" in documents.columns else None
