"""The text inside PDF and DOCX."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from quire.corpus.expansion import VARIABLE, allowed_times
from quire.corpus.formats.document import Context, Document, DocumentKind, UnreadableError, one, optional, quiet
from quire.corpus.formats.office import title_of, zipped
from quire.corpus.imports import imported

_STEPS, _BYTES = 2_000, 25  # × how far files may expand: things that any PDF may draw, and bytes for one more of them
_OF_PAGE = 60  # things, that a page costs


def pdf_to_text(raw: bytes) -> str:
    """Return the text of a PDF, with a line and a form feed between pages."""
    pypdf = optional("pypdf")
    try:
        with quiet("pypdf"):
            reader = pypdf.PdfReader(io.BytesIO(raw))
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableError("encrypted PDF")
            drawn = _Drawn(len(raw))
            return "\n\f".join(map(drawn.text_of, reader.pages))
    except UnreadableError:
        raise
    except Exception:  # whatever pypdf trips over: damaged files raise nearly anything
        raise UnreadableError("damaged PDF") from None


class _Drawn:
    """Counts what pages draw: a small file may repeat a page, or forms within forms, nearly without end."""

    def __init__(self, size: int) -> None:
        self._most, self._steps = allowed_times() * (_STEPS + size // _BYTES), 0

    def text_of(self, page: Any) -> str:
        """Return the text of a page."""
        self._count(_OF_PAGE)
        text: str = page.extract_text(visitor_operand_before=self._step)
        self._count(0)  # within a form pypdf goes on whatever is raised
        return text

    def _step(self, *_: Any) -> None:
        self._count(1)

    def _count(self, more: int) -> None:
        self._steps += more
        if self._steps > self._most:
            allowed = f"{VARIABLE}={10 * allowed_times()}"
            reason = f"PDF that draws over {self._most:,} things, as a bomb does (if it is none: {allowed})"
            raise UnreadableError(reason)


def _docx(raw: bytes, context: Context) -> list[Document]:
    """Read the paragraphs and tables of a DOCX document, a line each, and the title that it says it has."""
    docx = optional("docx")

    def read(archive: zipfile.ZipFile) -> Document:
        return Document("\n".join(_lines(docx.Document(io.BytesIO(raw)))), title_of(archive, "docProps/core.xml"))

    return zipped("DOCX", read)(raw, context)


def _lines(part: Any) -> Iterator[str]:
    cell_of = imported("docx.table")._Cell
    for item in part.iter_inner_content():
        if hasattr(item, "rows"):
            for cell in item._tbl.iter_tcs():  # each once: ``row.cells`` has one as often as it claims to be wide
                yield from _lines(cell_of(cell, item))
        else:
            yield item.text


PDF = DocumentKind(one(pdf_to_text), (".pdf",), "its text", extra="files")
DOCX = DocumentKind(_docx, (".docx",), "paragraphs and tables", extra="files")
