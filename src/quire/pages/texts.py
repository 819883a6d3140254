"""The texts that a page holds: the most typical of each topic, in pieces, as many as there is room for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.messages import Update
from quire.pages.encoding import json_bytes, packed_block, packed_json
from quire.pages.payload import Payload
from quire.pages.points import typicality_ranks

LONGEST = 20_000  # characters of a text
_CHUNK = 500_000  # bytes of JSON
_TERMS, _TERMS_ELSEWHERE = 20, 10  # of an explanation, and of one at another cut
_BATCH = 256  # documents that are explained at a time
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


def texts_within(payload: Payload, room: int, update: Update = lambda done, total: None) -> Texts:
    """Return as many texts, and the names of documents, as there is room for."""
    names = packed_json("quire-index", _names(payload, None))
    all_named = len(names) <= _NAMES * room
    room -= len(names) if all_named else 0
    each = 0.0 if all_named else 1.1 * len(names) / payload.head["n"]  # for the name of a document
    chunk = np.full(payload.head["n"], -1, np.int16)
    blocks: list[str] = []
    held: list[list[int]] = []
    for rows, documents in _pieces(payload):
        block, n = _fitting(len(blocks), documents, room, each)
        if n:
            chunk[rows[:n]] = len(blocks)
            blocks.append(block)
            held.append(rows[:n])
            room -= len(block) + int(each * n)
            update(int((chunk >= 0).sum()), len(chunk))
        if n < len(documents) or len(blocks) == _MOST_CHUNKS:
            break
    if not all_named:
        names = packed_json("quire-index", _names(payload, chunk >= 0))
    return Texts([names, *blocks], held, chunk, all_named)


def reasons_within(payload: Payload, texts: Texts, room: int) -> list[str]:
    """Return what another cut says of the documents whose texts the file holds, as many blocks as there is room for."""
    blocks: list[str] = []
    for number, rows in enumerate(texts.rows):
        reasons = [
            reason
            for start in range(0, len(rows), _BATCH)
            for reason in payload.reasons(np.array(rows[start : start + _BATCH]), _TERMS_ELSEWHERE)
        ]
        blocks.append(packed_json(f"quire-why-{number}-{len(payload.run.H)}", reasons))
        room -= len(blocks[-1])
        if room < 0:
            return blocks[:-1]
    return blocks


def _pieces(payload: Payload) -> Iterator[tuple[list[int], list[bytes]]]:
    """Yield documents as JSON, about as many as make a chunk, those first that are most typical."""
    labels = payload.run.labels
    order = np.lexsort((labels, typicality_ranks(payload.run), labels < 0))
    rows: list[int] = []
    documents: list[bytes] = []
    size = 0
    for start in range(0, len(order), _BATCH):
        for whole in payload.wholes(order[start : start + _BATCH], LONGEST, _TERMS):
            documents.append(json_bytes(whole))
            rows.append(whole["row"])
            size += len(documents[-1])
            if size >= _CHUNK:
                yield rows, documents
                rows, documents, size = [], [], 0
    if rows:
        yield rows, documents


def _fitting(number: int, documents: list[bytes], room: int, each: float) -> tuple[str, int]:
    """Return a block of the documents, or of the first of them that there is room for, and how many."""
    n = len(documents)
    while n:
        block = packed_block(f"quire-docs-{number}", b"[" + b",".join(documents[:n]) + b"]")
        needed = len(block) + each * n
        if needed <= room:
            return block, n
        n = min(n - 1, int(0.95 * n * max(room, 0) / needed))
    return "", 0


def _names(payload: Payload, kept: NDArray[np.bool_] | None) -> dict[str, Any]:
    """Return the ids and titles of all documents, or of those that are kept; null for others."""
    table = payload.run.documents
    names: dict[str, Any] = {"ids": table["id"].to_list(), "titles": None}
    if "title" in table.columns and table["title"].count():
        names["titles"] = table["title"].str.slice(0, 500).to_list()
    if kept is not None:
        for name, values in names.items():
            if values is not None:
                names[name] = [value if is_kept else None for value, is_kept in zip(values, kept.tolist())]
    return names
