"""What was read, guessed, left out and replaced, as data and as sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quire.corpus.presence import as_text
from quire.messages import counted, listed, were
from quire.places.codec import storable

NAMED_AT_MOST = 20  # skipped files that a Notes names; the others are counted
LINES_AT_MOST = 10  # the same for malformed lines
SHOWN_AT_MOST = 3  # and how many of them a sentence shows
ENDINGS_AT_MOST = 10  # that a sentence counts one by one


def by_ending(unread: Mapping[str, int]) -> str:
    """Return how many files have which ending: ``40 .zip, 3 without an ending``."""
    named = [f"{n:,} {ending}" for ending, n in list(unread.items())[:ENDINGS_AT_MOST]]
    rest = sum(list(unread.values())[ENDINGS_AT_MOST:])
    return ", ".join([*named, *([f"{rest:,} others"] if rest else [])])


@storable
@dataclass(frozen=True)
class Notes:
    """What reading a corpus found, kept beside the documents."""

    source: str = ""  # where it came from, as given; for an object in memory, its type
    kind: str = ""  # folder, archive, csv, parquet, lines, matrix, texts, frame, …
    columns: dict[str, str] = field(default_factory=dict)  # which plays which role: {"text": "body"}
    answers: tuple[str, ...] = ()  # the columns of texts that were read together, where they are several
    guessed: tuple[str, ...] = ()  # the roles that nobody named (and label, where folders became labels)
    n_documents: int = 0
    n_empty: int = 0  # without a non-blank character (without an entry, for a matrix)
    n_duplicates: int = 0  # whose text, not blank, equals an earlier one's
    skipped: tuple[tuple[str, str], ...] = ()  # the first files that were not read, and why
    n_skipped: int = 0
    unread: dict[str, int] = field(default_factory=dict)  # of these, those of an ending that is not read
    n_files: int = 0  # of a folder or an archive
    # Characters that were no UTF-8 and were read by the fallback encoding or became U+FFFD, and in how many files
    # (documents, where the texts were not read from a text file).
    replaced_characters: int = 0
    replaced_in: int = 0
    encoding: str | None = None  # the fallback encoding, where it was used
    malformed: int = 0  # rows of a table that were left out because they do not parse
    malformed_lines: tuple[int, ...] = ()  # the first of them
    unparsed_dates: int = 0  # that are there but could not be read; they are null
    grouped_from: int | None = None  # rows that were joined into documents
    n_ungrouped: int = 0  # rows that name no group
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep the source as text: the name of a file may hold bytes that are none."""
        object.__setattr__(self, "source", as_text(self.source))

    def with_(self, **changes: Any) -> Notes:
        """Return a copy with other values."""
        return dataclasses.replace(self, **changes)

    def remark(self, sentence: str) -> Notes:
        """Return a copy with one sentence more."""
        return self.with_(remarks=(*self.remarks, sentence))

    def as_dict(self) -> dict[str, Any]:
        """Return the notes as plain lists, numbers and strings, ready for JSON."""
        plain = dataclasses.asdict(self)
        plain["skipped"] = [list(pair) for pair in self.skipped]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}

    def sentences(self) -> list[str]:
        """Return what a person should know, a sentence each; an empty list where all went well."""
        sentences = [*self._about_columns(), *self.remarks, *self._about_loss()]
        if self.n_empty:
            sentences.append(f"{counted(self.n_empty, 'document')} {were(self.n_empty)} empty.")
        if self.n_duplicates:
            repeats = "repeats" if self.n_duplicates == 1 else "repeat"
            sentences.append(f"{counted(self.n_duplicates, 'document')} {repeats} the text of an earlier one exactly.")
        return sentences

    def _about_columns(self) -> list[str]:
        sentences = []
        roles = [role for role in self.guessed if role in self.columns]
        if roles:
            pairs = ", ".join(f"{role} = {self.columns[role]!r}" for role in roles)
            sentences.append(f"{'Found beside it' if self.kind == 'matrix' else 'Columns were guessed'}: {pairs}.")
        if self.grouped_from is not None:
            column = self.columns.get("group")
            sentences.append(
                f"{counted(self.grouped_from, 'row')} became {counted(self.n_documents, 'document')}, "
                f"one for each value of column {column!r}."
            )
        if self.n_ungrouped:
            column = self.columns.get("group")
            sentences.append(
                f"{counted(self.n_ungrouped, 'row')} without a value in column {column!r} "
                f"{were(self.n_ungrouped)} left out."
            )
        return sentences

    def _about_loss(self) -> list[str]:
        sentences = []
        n_unread = sum(self.unread.values())
        if n_unread:
            of = f"{n_unread:,} of {counted(self.n_files, 'file')} {were(n_unread)} not read"
            sentences.append(f"{of}: {by_ending(self.unread)}.")
        n_failed = self.n_skipped - n_unread
        if n_failed > 0:
            shown = [f"{name} ({reason})" for name, reason in self.skipped[: min(SHOWN_AT_MOST, n_failed)]]
            names = ", ".join(shown) + (", …" if n_failed > len(shown) else "")
            sentences.append(f"{counted(n_failed, 'file')} {were(n_failed)} skipped: {names}.")
        if self.malformed:
            lines = [str(line) for line in self.malformed_lines[:SHOWN_AT_MOST]]
            where = f"{', '.join(lines)}, …" if self.malformed > len(lines) else listed(lines)
            sentences.append(
                f"{counted(self.malformed, 'malformed row')} {were(self.malformed)} left out: "
                f"{'line' if self.malformed == 1 else 'lines'} {where}."
            )
        if self.replaced_characters:
            sentences.append(self._about_characters())
        if self.unparsed_dates:
            sentences.append(
                f"{counted(self.unparsed_dates, 'date')} could not be read and {were(self.unparsed_dates)} left empty."
            )
        return sentences

    def _about_characters(self) -> str:
        n, places = self.replaced_characters, self.replaced_in
        if self.encoding is None:
            return f"{counted(n, 'character')} of {counted(places, 'document')} {were(n)} replaced by U+FFFD."
        name = {"cp1252": "windows-1252"}.get(self.encoding, self.encoding)
        return (
            f"{counted(n, 'character')} of {counted(places, 'file')} {were(n)} not valid UTF-8 "
            f"and {were(n)} read as {name}."
        )
