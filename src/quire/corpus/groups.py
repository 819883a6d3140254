"""Where the rows of a group are one document: parts of rows → parts of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.cut import cuts, text_lengths
from quire.corpus.notes import Notes
from quire.corpus.others import others_of
from quire.places.place import Handle, Place


def grouped_parts(handles: list[Handle], column: str, notes: Notes, place: Place) -> tuple[list[Handle], Notes]:
    r"""Bring the rows of each group together, in the order in which groups appear, and join them."""
    facts = place.sweep(_groups, handles)[1]
    hashes = np.concatenate([groups for groups, _, _ in facts])
    if not len(hashes):
        raise ValueError(f"Column {column!r} names no group in any row: choose another column.")
    part, n_parts = _parts(hashes, np.concatenate([lengths for _, lengths, _ in facts]))
    pieces, at = [], 0
    for handle, (groups, _, _) in zip(handles, facts, strict=True):
        pieces.append(_split(place, handle, part[at : at + len(groups)], n_parts))
        at += len(groups)
    n_ungrouped = sum(ungrouped for _, _, ungrouped in facts)
    return place.sweep(_joined, *pieces)[0], notes.with_(grouped_from=len(hashes), n_ungrouped=n_ungrouped)


def _parts(hashes: NDArray[Any], lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the part of each row: groups in order of appearance, cut by their number and their texts."""
    rows = pl.DataFrame({"group": hashes, "bytes": lengths + 1})
    groups = rows.group_by("group", maintain_order=True).agg(pl.col("bytes").sum())
    starts = np.array(cuts(groups["bytes"].to_numpy() - 1))
    number = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    of_rows = rows.join(groups.select("group", part=number), on="group", how="left", maintain_order="left")
    return of_rows["part"].to_numpy(), len(starts) - 1


def _split(place: Place, handle: Handle, part: NDArray[np.int64], n_parts: int) -> list[Handle]:
    """Put some rows down anew, apart by the part that they belong to."""
    rows = place.fetch(handle).drop_nulls("id")
    pieces: list[Handle] = [None] * n_parts
    for number in np.unique(part):
        pieces[number] = place.put(rows.filter(pl.Series(part == number)) if n_parts > 1 else rows)
    return pieces


def _groups(rows: pl.DataFrame) -> tuple[None, list[tuple[Any, Any, int]]]:
    named = rows.drop_nulls("id")
    return None, [(named["id"].hash().to_numpy(), text_lengths(named["text"]), rows.height - named.height)]


def _joined(*pieces: pl.DataFrame | None) -> tuple[pl.DataFrame, None]:
    """Join the rows of each group: texts in order, most frequent label, earliest date, what all rows agree on."""
    rows = pl.concat(piece for piece in pieces if piece is not None)
    joined = [pl.col("text").str.join("\n")]
    if "date" in rows.columns:
        joined.append(pl.col("date").min())
    others = others_of(rows)
    joined += [pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()) for name in others]
    documents = rows.group_by("id", maintain_order=True).agg(joined)
    if "label" in rows.columns:
        # Order is kept throughout, and the sort is stable: of two labels as frequent, the first seen wins.
        seen = rows.drop_nulls("label").group_by("id", "label", maintain_order=True).len()
        most = seen.sort("len", descending=True, maintain_order=True).unique("id", keep="first")
        documents = documents.join(most.drop("len"), on="id", how="left", maintain_order="left")
    roles = [role for role in ("id", "text", "label", "date") if role in documents]
    return documents.select(*roles, *others), None
