"""Lines that come again in many texts (signatures, disclaimers, navigation): found by that, and not counted.

Parts tell into which of 2²⁴ buckets what they hold falls, however many lines there are; what falls into one that is
full is then counted exactly, for the fullest 2²⁰ where there are so many lines that most are full by chance. So memory
is bounded, and what is found depends on the texts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import short
from quire.places.codec import storable
from quire.text.lines import Lines, keys_of
from quire.text.vocabulary import CODEC

FEWEST, ONE_IN = 5, 20_000  # documents that a line must stand in: so many, and one in so many
_OFTEN = 10  # documents of a line that is left out even where little else is written
_MOSTLY = 0.5  # the share of a text's letters from which little else is written: it may be a copy with a new date
_SHIFT, _BUCKETS, _FULL = np.uint64(40), 1 << 24, 255
_FULLEST = 1 << 20  # buckets whose content is counted exactly
_MOST = 1 << 17  # that are kept, the most frequent ones
_BATCH = 1 << 22  # characters of texts that are looked at together


@storable
@dataclass(frozen=True, eq=False)
class Repeated:
    """What comes again: keys of lines, sorted, and in how many documents each stands."""

    keys: NDArray[np.uint64]
    documents: NDArray[np.int64]
    lines: NDArray[np.int64]  # in how many documents each different line stands
    example: str = ""  # the most frequent one

    @classmethod
    def of(cls, table: pl.DataFrame, n: int) -> Repeated | None:
        """Decide what is repeated in n documents, from what all parts counted; None where nothing is."""
        kept = table.filter(pl.col("documents") >= fewest_documents(n))
        kept = kept.sort("documents", "key", descending=[True, False]).head(_MOST)
        if not kept.height:
            return None
        first, last = (kept.select("documents", line=name) for name in ("first", "last"))
        lines = pl.concat([first, last]).group_by("line").agg(pl.col("documents").max())
        kept, each = kept.sort("key"), lines["documents"].sort(descending=True)
        return cls(kept["key"].to_numpy(), kept["documents"].cast(pl.Int64).to_numpy(), each.cast(pl.Int64).to_numpy())

    def state(self) -> dict[str, list[int]]:
        """Return what it takes to leave out the same lines of other texts, as plain data."""
        return {"keys": self.keys.tolist(), "documents": self.documents.tolist()}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Repeated:
        """Take back what :meth:`state` gave."""
        keys, documents = state["keys"], state["documents"]
        if not keys or len(keys) != len(documents) or not all(type(n) is int for n in (*keys, *documents)):
            raise TypeError("the lines that are not counted are no numbers")
        if sorted(keys) != keys or not 0 <= keys[0] <= keys[-1] < 1 << 64 or not max(map(abs, documents)) < 1 << 63:
            raise TypeError("the lines that are not counted are out of order")
        return cls(np.array(keys, np.uint64), np.array(documents, np.int64), np.zeros(0, np.int64))

    def with_example(self, looked: Iterable[str | None]) -> Repeated:
        """Take as example the first of what was looked for."""
        return replace(self, example=next((line for line in looked if line is not None), ""))

    def sentence(self) -> str:
        """Say what was not counted."""
        n, most, least = len(self.lines), int(self.lines[0]), int(self.lines[-1])
        if n == 1:
            what = f"1 line that stands in {most:,} documents was not counted, «{short(self.example)}»"
            return f"{what}; --keep-repeated counts it."
        documents = f"{least:,} to {most:,}" if least < most else f"{most:,}"
        what = f"{n:,} lines that stand in {documents} documents were not counted, such as «{short(self.example)}»"
        return f"{what}; --keep-repeated counts them."

    def left_out_of(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield texts without the lines that are repeated."""
        for batch in _batches(texts):
            several = [i for i, text in enumerate(batch) if _has_lines(text)]
            for i, text in zip(several, self._without([batch[i] for i in several])):
                batch[i] = text
            yield from batch

    def _without(self, texts: list[str]) -> list[str]:
        lines = Lines.of(texts)
        for document, own in _by_document(lines, self._dropped(lines, len(texts))):
            kept, at = [], lines.offsets[document]
            for line in own:
                kept.append(lines.content[at : lines.begins[line]])
                at = lines.ends[line]
            kept.append(lines.content[at : lines.offsets[document + 1]])
            texts[document] = b"".join(kept).decode("utf-8", CODEC)
        return texts

    def _documents_of(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return in how many documents each of some keys stands; 0 where it is not repeated."""
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.documents[place], 0)

    def _dropped(self, lines: Lines, n: int) -> NDArray[np.intp]:
        """Return which lines go: none of a text that says nothing else, few of one that says little else."""
        (keys, first, last), times = keys_of(lines), np.zeros(len(lines.hashes), np.int64)
        documents = self._documents_of(keys)
        known = np.flatnonzero(documents)
        np.maximum.at(times, first[known], documents[known])
        np.maximum.at(times, last[known], documents[known])
        owner, letters = lines.document, lines.letters
        whole = np.bincount(owner, letters, n)
        mostly = np.bincount(owner, letters * (times > 0), n) > _MOSTLY * whole
        times[mostly[owner] & (times < _OFTEN)] = 0
        silent = np.bincount(owner, letters * (times > 0), n) == whole
        return np.flatnonzero((times > 0) & ~silent[owner])


def repeated_among(texts: Iterable[str]) -> Repeated | None:
    """Find the lines that come again in many of some texts that are here."""
    texts = list(texts)
    several = [text for text in texts if _has_lines(text)]
    full = full_buckets(told_buckets(several), len(texts))
    found = None if full is None else Repeated.of(counted_keys(several, full), len(texts))
    return found and found.with_example([example_in(several, found)])


def fewest_documents(n: int) -> int:
    """Return in how many of n documents a line must stand to be repeated."""
    return max(FEWEST, -(-n // ONE_IN))


def full_buckets(told: pl.DataFrame | None, n: int) -> pl.Series | None:
    """Return the buckets into which enough fell, of all parts; None where there are none."""
    if told is None:
        return None
    full = told.filter(pl.col("times") >= min(fewest_documents(n), _FULL))
    if full.height > _FULLEST:
        full = full.sort("times", "bucket", descending=[True, False]).head(_FULLEST)
    return full["bucket"].sort() if full.height else None


def told_buckets(texts: Sequence[str]) -> pl.DataFrame:
    """Return how often what may come again falls into which bucket."""
    keys = [keys_of(Lines.of(batch)).keys for batch in _batches(texts)]
    buckets = np.sort((np.concatenate([np.zeros(0, np.uint64), *keys]) >> _SHIFT).astype(np.uint32))
    starts = np.flatnonzero(np.diff(buckets, prepend=np.uint32(_BUCKETS)))
    times = np.diff(starts, append=len(buckets)).astype(np.uint32)
    return _capped(pl.DataFrame({"bucket": buckets[starts], "times": times}))


def counted_keys(texts: Sequence[str], full: pl.Series) -> pl.DataFrame:
    """Count in how many texts what falls into a full bucket stands; and say of which lines it is."""
    there, tables, at = np.zeros(_BUCKETS, bool), [_table(Lines.of([]), np.zeros(0, bool), 0)], 0
    there[full.to_numpy()] = True
    for batch in _batches(texts):
        lines = Lines.of(batch)
        tables.append(_table(lines, there, at))
        at += len(batch)
    together = pl.concat(tables).unique(["key", "document"])
    return together.group_by("key").agg(pl.col("first", "last").first(), documents=pl.len())


def added_buckets(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Add what two groups of parts told."""
    return _capped(pl.concat([one, other]).group_by("bucket").agg(pl.col("times").sum()))


def added_keys(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Add what two groups of parts counted."""
    return pl.concat([one, other]).group_by("key").agg(pl.col("first", "last").first(), pl.col("documents").sum())


def example_in(texts: Sequence[str], repeated: Repeated) -> str | None:
    """Return the most frequent line as it is first written; None where it is not in these texts."""
    key = repeated.keys[np.argmax(repeated.documents)]
    for batch in _batches(texts):
        lines = Lines.of(batch)
        found = keys_of(lines)
        at = np.flatnonzero(found.keys == key)
        if len(at):
            return lines.text(int(found.first[at[0]]))
    return None


def _table(lines: Lines, there: NDArray[np.bool_], before: int) -> pl.DataFrame:
    keys, first, last = keys_of(lines)
    full = there[keys >> _SHIFT] if len(keys) else np.zeros(0, bool)
    columns = {"key": keys[full], "first": lines.hashes[first[full]], "last": lines.hashes[last[full]]}
    return pl.DataFrame({**columns, "document": lines.document[first[full]].astype(np.int64) + before})


def _capped(buckets: pl.DataFrame) -> pl.DataFrame:
    return buckets.with_columns(pl.col("times").clip(0, _FULL).cast(pl.UInt32))


def _has_lines(text: object) -> bool:
    """Say whether a text has several lines; what is none, which a function for tokens may take, has not."""
    return isinstance(text, str) and "\n" in text


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text) if isinstance(text, str) else 1
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _by_document(lines: Lines, chosen: NDArray[np.intp]) -> Iterator[tuple[int, list[int]]]:
    documents, starts = np.unique(lines.document[chosen], return_index=True)
    return zip(documents.tolist(), [own.tolist() for own in np.split(chosen, starts[1:])])
