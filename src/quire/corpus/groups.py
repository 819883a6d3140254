"""Rows in blocks → documents in blocks, where the rows of a group are one document."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.columns import joined_rows
from quire.corpus.cut import cuts, text_lengths
from quire.corpus.holds import no_group
from quire.corpus.notes import Notes
from quire.places.place import Handle, Place


def grouped_parts(
    handles: list[Handle], column: str, notes: Notes, place: Place
) -> tuple[list[Handle], Notes]:
    r"""Bring the rows of each group together, in the order in which groups appear, and join them."""
    told = place.sweep(_groups, handles)[1]
    hashes = np.concatenate([one for one, _, _ in told])
    if not len(hashes):
        raise no_group(column)
    block, n_blocks = _blocks(hashes, np.concatenate([one for _, one, _ in told]))
    pieces, at = [], 0
    for handle, (one, _, _) in zip(handles, told, strict=True):
        pieces.append(_split(place, handle, block[at : at + len(one)], n_blocks))
        at += len(one)
    n_ungrouped = sum(without for _, _, without in told)
    return place.sweep(_joined, *pieces)[0], notes.with_(grouped_from=len(hashes), n_ungrouped=n_ungrouped)


def _blocks(hashes: NDArray[Any], lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the block of each row: groups in order of appearance, cut by their number and their texts."""
    rows = pl.DataFrame({"group": hashes, "bytes": lengths + 1})
    groups = rows.group_by("group", maintain_order=True).agg(pl.col("bytes").sum())
    starts = np.array(cuts(groups["bytes"].to_numpy() - 1))
    number = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    found = rows.join(groups.select("group", block=number), on="group", how="left", maintain_order="left")
    return found["block"].to_numpy(), len(starts) - 1


def _split(place: Place, handle: Handle, block: NDArray[np.int64], n_blocks: int) -> list[Handle]:
    """Put the rows of one block down anew, apart by the block that they belong to."""
    rows = place.fetch(handle).drop_nulls("id")
    pieces: list[Handle] = [None] * n_blocks
    for number in np.unique(block):
        pieces[number] = place.put(rows.filter(pl.Series(block == number)))
    return pieces


def _groups(rows: pl.DataFrame) -> tuple[None, list[tuple[Any, Any, int]]]:
    named = rows.drop_nulls("id")
    told = named["id"].hash().to_numpy(), text_lengths(named["text"]), rows.height - named.height
    return None, [told]


def _joined(*pieces: pl.DataFrame | None) -> tuple[pl.DataFrame, None]:
    documents = joined_rows(pl.concat(piece for piece in pieces if piece is not None))
    return documents.select(
        [name for name in ("id", "text", "label", "date") if name in documents.columns]
    ), None
