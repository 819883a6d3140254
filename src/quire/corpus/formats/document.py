"""What a file is that is a document, or holds some: how its bytes become texts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from quire.corpus.content import is_binary
from quire.corpus.encodings import Decoded, decode, looks_like_utf16
from quire.corpus.formats.format import REMEDY
from quire.corpus.imports import imported
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.messages import counted

NUL_SEARCHED = 8192  # a NUL so early means binary, as for git; a stray one further on is kept as text


class UnreadableError(ValueError):
    """A file that could not be converted, and why in a few words."""


class Document(NamedTuple):
    """A text, and what its file says of it."""

    text: str
    title: str | None = None
    date: datetime | None = None  # in UTC
    sender: str | None = None


@dataclass
class Losses:
    """Files that could not be read, characters that were not UTF-8, and mail of which a part was left out, so far."""

    skipped: list[tuple[str, str]] = field(default_factory=list)
    replaced: int = 0
    replaced_in: int = 0
    quoting: int = 0  # messages

    def about_mail(self, notes: Notes) -> Notes:
        """Add a sentence on mail to notes, where anything of it was left out."""
        if not self.quoting:
            return notes
        of = counted(self.quoting, "message")
        return notes.remark(f"What {of} quoted or signed with was left out; --keep-quotes keeps it.")


class Context(NamedTuple):
    """How files are to be read, and what was lost on the way."""

    request: Request
    losses: Losses

    def text(self, raw: bytes, decoded: Callable[[bytes, str], Decoded] = decode) -> str:
        """Return bytes as text; refuse what is none, count what is not UTF-8."""
        if not looks_like_utf16(raw) and (b"\0" in raw[:NUL_SEARCHED] or is_binary(raw)):
            raise UnreadableError("binary")
        made = decoded(raw, self.request.encoding)
        if made.replaced:
            if self.request.strict:
                raise UnreadableError(f"not valid UTF-8 in line {made.line}")
            self.losses.replaced += made.replaced
            self.losses.replaced_in += 1
        return made.text


@dataclass(frozen=True)
class DocumentKind:
    """A kind of file in a folder: a document each, or some of them."""

    read: Callable[[bytes, Context], Iterable[Document]]
    """Raises `UnreadableError` where it cannot."""
    endings: tuple[str, ...]
    about: str
    extra: str | None = None
    """What must be installed to read it."""


def one(convert: Callable[[bytes], str]) -> Callable[[bytes, Context], Iterable[Document]]:
    """Return the reader of files that hold one text and say no more."""
    return lambda raw, context: [Document(convert(raw))]


def of_text(convert: Callable[[str], str]) -> Callable[[bytes, Context], Iterable[Document]]:
    """Return the reader of text files in some notation, of which the text is left."""
    return lambda raw, context: [Document(convert(context.text(raw)))]


def by_ending(kinds: Iterable[DocumentKind]) -> Mapping[str, DocumentKind]:
    """Return the kinds under the endings of their files."""
    return {ending: kind for kind in kinds for ending in kind.endings}


def optional(module: str) -> Any:
    """Import a package of the extra; refuse a file that cannot be read without it."""
    try:
        return imported(module)
    except ImportError:
        raise UnreadableError(f"needs {REMEDY}") from None


@contextmanager
def quiet(*names: str) -> Iterator[None]:
    """Keep a library's warnings about damaged files off the terminal: what could not be read is told once."""
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before):
            logger.setLevel(level)
