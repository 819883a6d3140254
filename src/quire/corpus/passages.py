"""One row, several documents: the passages of a long text, or the answers of a respondent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.answers import APART
from quire.messages import counted, were
from quire.places.codec import storable
from quire.places.place import Handle, Place

KINDS = {"paragraphs": None, "sentences": 5, "words": 300, "pages": None}  # and how many make a passage, where not said
ANSWERS = "answers"
BYTES = {"paragraphs": 500, "sentences": 120, "words": 6, "pages": 3000}  # of a text, about, for one of these
_GAP, _LINE, _PAGE, _WORD = (re.compile(one) for one in (r"\n\s*\n", r"\n", r"\f", r"\S+"))
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n\s*\n")
_HEADING = 5  # words: a paragraph with fewer goes with the next


@storable
@dataclass(frozen=True)
class Split:
    """How texts are cut."""

    kind: str
    size: int = 1
    questions: tuple[str, ...] = ()  # whose answers are documents each

    def bytes_each(self) -> int:
        """Return about how long a passage is."""
        return BYTES.get(self.kind, 100) * self.size

    def words(self, n_before: int, n_after: int) -> str:
        """Say what became of texts."""
        if self.kind == ANSWERS:
            return f"{counted(n_before, 'row')} became {counted(n_after, 'document')}, one for each answer."
        how = self.kind if self.kind in ("paragraphs", "pages") else f"about {self.size:,} {self.kind} each"
        return f"{counted(n_before, 'document')} {were(n_before)} split into {n_after:,} passages: {how}."


def parse_split(text: str) -> Split:
    """Read ``paragraphs``, ``sentences:5``, ``words:300`` or ``pages``."""
    match = re.fullmatch(r"(paragraphs|pages)|(sentences|words)(?::(\d{1,6}))?", text.strip().lower())
    kind = (match[1] or match[2]) if match else ""
    size = int(match[3]) if match and match[3] else KINDS.get(kind) or 1
    if not kind or size < 1:
        raise ValueError(f"split={text!r} is no way to split texts: use paragraphs, sentences:5, words:300 or pages.")
    return Split(kind, size)


def split_parts(parts: list[Handle], split: Split, place: Place) -> tuple[list[Handle], NDArray[np.int64]]:
    """Split the texts of documents, part by part; return how many each one became, too."""
    handles, each = place.sweep(split_documents, parts, args=(split,))
    return handles, np.concatenate(each)


def split_documents(documents: pl.DataFrame, split: Split) -> tuple[pl.DataFrame, list[NDArray[np.int64]]]:
    """Return a row for each passage, with all that is known of its document; and how many each document became.

    ``document`` is the id of the whole one, ``passage`` counts from 1, ``length`` is in characters; of answers,
    ``question`` is the column that it comes from. Blank answers are left out; who gave none stays as an empty one.
    """
    texts = documents["text"].to_list()
    if split.kind == ANSWERS:
        answers = (enumerate(text.split(APART)) for text in texts)
        numbered = [[(j, one) for j, one in row if one.strip()] or [(0, "")] for row in answers]
    else:
        numbered = [list(enumerate(passages_of(text, split))) for text in texts]
    each = np.array([len(one) for one in numbered], np.int64)
    rows = np.repeat(np.arange(len(texts)), each)
    number = pl.Series("passage", [j for one in numbered for j, _ in one], dtype=pl.Int64)
    text = pl.Series("text", [piece for one in numbered for _, piece in one], dtype=pl.String)
    long = documents.drop("text")[rows]
    more = [
        long["id"].alias("document"),
        (number + 1).cast(pl.Int32),
        text.str.len_chars().cast(pl.Int64).alias("length"),
    ]
    if split.kind == ANSWERS:
        more.append(pl.Series("question", [split.questions[j] for j in number], dtype=pl.String))
    ids = (long["id"] + "#" + (number + 1).cast(pl.String)).alias("id")
    return long.with_columns(ids).select("id", text, pl.exclude("id")).with_columns(*more), [each]


def passages_of(text: str, split: Split) -> list[str]:
    """Return the passages of a text; it is what they are together, but for blanks between them."""
    ends = [*_ends(text, split), len(text)]
    pieces = [text[start:end].strip() for start, end in pairwise([0, *ends])]
    return [piece for piece in pieces if piece] or [text]


def _ends(text: str, split: Split) -> Iterator[int]:
    """Yield where a passage ends and the next begins."""
    if split.kind == "pages":
        yield from (match.end() for match in _PAGE.finditer(text))
    elif split.kind == "paragraphs":
        yield from _paragraph_ends(text)
    elif split.kind == "sentences":
        ends = [match.end() for match in _END.finditer(text) if match.end() < len(text.rstrip())]
        yield from _evenly(ends, len(ends) + 1, split.size)
    else:
        starts = [match.start() for match in _WORD.finditer(text)]
        yield from _evenly(starts[1:], len(starts), split.size)


def _paragraph_ends(text: str) -> Iterator[int]:
    """Paragraphs have a blank line between them, or else each is a line; a heading goes with what follows."""
    gap, start = _GAP if _GAP.search(text.strip()) else _LINE, 0
    for match in gap.finditer(text):
        if len(text[start : match.start()].split()) >= _HEADING:
            yield match.end()
            start = match.end()


def _evenly(ends: list[int], n: int, size: int) -> Iterator[int]:
    """Cut n pieces, which end here, into passages of about so many: all of about one length, no crumb at the end."""
    passages = max(1, round(n / size))
    yield from (ends[round(i * n / passages) - 1] for i in range(1, passages))
