"""XML files that are documents: TEI, whose header has a title and a date, and any other, of which the text is left."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from datetime import datetime
from typing import IO

from quire.corpus.formats.document import Context, Document, DocumentKind, UnreadableError
from quire.corpus.formats.safe_xml import XmlError, walk

TEI_ROOTS, TEI_CORPORA = ("TEI", "TEI.2"), ("teiCorpus", "teiCorpus.2")
_LINES = {"p", "l", "lg", "head", "ab", "sp", "item", "div", "cell", "row", "opener", "closer", "note", "u", "text"}
_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")


class _Texts:
    """Gathers the documents of a file: those of a TEI corpus, or one."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self._path: list[str] = []
        self._lines, self._here = list[str](), list[str]()
        self._title: list[str] = []
        self._date: datetime | None = None
        self.is_tei = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in TEI_ROOTS:
            self._lines, self._here, self._title, self._date, self.is_tei = [], [], [], None, True
        if name == "date" and "teiHeader" in self._path and self._date is None:
            self._date = _day(attributes.get("when") or attributes.get("value") or "")
        self._path.append(name)

    def end(self, name: str) -> None:
        self._path.pop()
        if name in _LINES or not self.is_tei:
            self._line()
        if name in TEI_ROOTS:
            self._finish()

    def text(self, words: str) -> None:
        if not self.is_tei or "text" in self._path:
            self._here.append(words)
        elif self._path[-2:] == ["titleStmt", "title"]:
            self._title.append(words)

    def done(self) -> list[Document]:
        if not self.is_tei:
            self._finish()
        return self.documents

    def _line(self) -> None:
        self._lines.append(" ".join("".join(self._here).split()))
        self._here.clear()

    def _finish(self) -> None:
        self._line()
        text = "\n".join(line for line in self._lines if line)
        self.documents.append(Document(text, " ".join("".join(self._title).split()) or None, self._date))


def read_xml(raw: bytes, context: Context) -> list[Document]:
    """Read the document or the documents of an XML file."""
    try:
        return tei_documents(io.BytesIO(raw))
    except XmlError as reason:
        raise UnreadableError(str(reason)) from None


def tei_documents(file: IO[bytes]) -> list[Document]:
    """Return the texts of a file in TEI, or all of another as one."""
    gathered = _Texts()
    walk(file, gathered.start, gathered.end, gathered.text)
    return gathered.done()


def _day(given: str) -> datetime | None:
    parts = _DATE.match(given)
    try:
        return datetime(*(int(part or 1) for part in parts.groups())) if parts else None  # type: ignore[arg-type]
    except ValueError:
        return None


XML = DocumentKind(read_xml, (".xml",), "its text; TEI with title and date, and a corpus of TEI as the texts it holds")
