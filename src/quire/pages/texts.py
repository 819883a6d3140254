"""The texts that a page holds: the most typical of each topic, in pieces, as many as there is room for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import Update
from quire.pages.encoding import packed_block, packed_json
from quire.pages.payload import Payload
from quire.places.machine import allowed_threads, in_order

LONGEST = 20_000  # characters of a text
_CHUNK = 500_000  # bytes of JSON
_TERMS, _TERMS_ELSEWHERE = 20, 10  # of an explanation, and of one at another cut
_BATCH = 512  # documents that are written at a time, by each of the threads: some of them for nothing at the end
_AHEAD, _WRITING = 8, 3  # threads that pack, and that write JSON, which Python lets one do at a time
_MOST_CHUNKS = 32_767
_NAMES = 0.4  # of the room, for names: where they take more, only documents with a text have one


@dataclass(frozen=True, eq=False)
class Texts:
    """The blocks of texts and names, and in which one each document is (−1: left out)."""

    blocks: list[str]
    rows: list[list[int]]  # of each block of texts
    chunk: NDArray[np.int16]
    all_named: bool

    @property
    def kept(self) -> int:
        """How many documents have their text in the file."""
        return int((self.chunk >= 0).sum())


def packed_names(payload: Payload, kept: NDArray[np.bool_] | None = None) -> str:
    """Return the block of names: of all documents, or of those that are kept."""
    return packed_json("quire-index", _names(payload, kept))


def texts_within(payload: Payload, room: int, names: str, update: Update = lambda done, total: None) -> Texts:
    """Return as many texts, and the names of documents, as there is room for; ``names`` is the block of all names."""
    all_named = len(names) <= _NAMES * room
    room -= len(names) if all_named else 0
    each = 0.0 if all_named else 1.1 * len(names) / payload.head["n"]  # for the name of a document
    chunk = np.full(payload.head["n"], -1, np.int16)
    blocks: list[str] = []
    held: list[list[int]] = []
    jobs = ((number, rows, documents) for number, (rows, documents) in enumerate(_pieces(payload)))
    with closing(in_order(_packed, jobs, min(allowed_threads(), _AHEAD))) as pieces:
        for rows, documents, block in pieces:
            block, n = _fitting(len(blocks), documents, block, room, each)
            if n:
                chunk[rows[:n]] = len(blocks)
                blocks.append(block)
                held.append(rows[:n])
                room -= len(block) + int(each * n)
                update(int((chunk >= 0).sum()), len(chunk))
            if n < len(documents) or len(blocks) == _MOST_CHUNKS:
                break
    if not all_named:
        names = packed_names(payload, chunk >= 0)
    return Texts([names, *blocks], held, chunk, all_named)


def reasons_within(payload: Payload, texts: Texts, room: int) -> list[str]:
    """Return what another cut says of the documents whose texts the file holds, as many blocks as there is room for."""
    blocks: list[str] = []
    jobs = ((payload, number, rows) for number, rows in enumerate(texts.rows))
    with closing(in_order(_packed_reasons, jobs, allowed_threads())) as made:
        for block in made:
            room -= len(block)
            if room < 0:
                break
            blocks.append(block)
    return blocks


def _packed_reasons(payload: Payload, number: int, rows: list[int]) -> str:
    reasons = payload.reasons(np.array(rows), _TERMS_ELSEWHERE)
    return packed_block(f"quire-why-{number}-{len(payload.run.H)}", _list_of(reasons))


def _pieces(payload: Payload) -> Iterator[tuple[list[int], list[str]]]:
    """Yield documents as JSON, about as many as make a chunk, those first that are most typical."""
    labels, width = payload.run.labels, len(payload.run.H) + 1
    order = np.argsort((payload.rank + len(labels) * (labels < 0)) * width + labels)  # no two are equal
    payload.wholes(order[:1], LONGEST, _TERMS)  # what all need is made once, before threads ask for it
    rows: list[int] = []
    documents: list[str] = []
    size = 0
    jobs = ((order[start : start + _BATCH], LONGEST, _TERMS) for start in range(0, len(order), _BATCH))
    written = in_order(lambda *job: (job[0].tolist(), payload.wholes(*job)), jobs, min(allowed_threads(), _WRITING))
    for row, document in (one for batch in written for one in zip(*batch)):
        rows.append(row)
        documents.append(document)
        size += len(document.encode("utf-8", "replace"))
        if size >= _CHUNK:
            yield rows, documents
            rows, documents, size = [], [], 0
    if rows:
        yield rows, documents


def _packed(number: int, rows: list[int], documents: list[str]) -> tuple[list[int], list[str], str]:
    return rows, documents, packed_block(f"quire-docs-{number}", _list_of(documents))


def _list_of(documents: list[str]) -> bytes:
    return f"[{','.join(documents)}]".encode("utf-8", "replace")  # half a character, which tokens may have, is lost


def _fitting(number: int, documents: list[str], block: str, room: int, each: float) -> tuple[str, int]:
    """Return the block of the documents, or one of the first of them that there is room for, and how many."""
    n = len(documents)
    while n:
        needed = len(block) + each * n
        if needed <= room:
            return block, n
        n = min(n - 1, int(0.95 * n * max(room, 0) / needed))
        block = packed_block(f"quire-docs-{number}", _list_of(documents[:n]))
    return "", 0


def _names(payload: Payload, kept: NDArray[np.bool_] | None) -> dict[str, Any]:
    """Return the ids and titles of all documents, or of those that are kept; null for others."""
    table = payload.run.documents
    names = {"ids": table["id"], "titles": None}
    if "title" in table.columns and table["title"].count():
        names["titles"] = table["title"].str.slice(0, 500)
    if kept is not None:
        there = pl.when(pl.Series(kept))
        names = {name: None if one is None else pl.select(there.then(one)).to_series() for name, one in names.items()}
    return {name: None if one is None else one.to_list() for name, one in names.items()}
