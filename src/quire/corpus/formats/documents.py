"""The text inside PDF and DOCX."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from quire.corpus.formats.document import Context, Document, DocumentKind, UnreadableError, one, optional, quiet
from quire.corpus.formats.office import title_of, zipped
from quire.corpus.imports import imported


def pdf_to_text(raw: bytes) -> str:
    """Return the text of a PDF, with a line and a form feed between pages."""
    pypdf = optional("pypdf")
    try:
        with quiet("pypdf"):
            reader = pypdf.PdfReader(io.BytesIO(raw))
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableError("encrypted PDF")
            return "\n\f".join(page.extract_text() for page in reader.pages)
    except UnreadableError:
        raise
    except Exception:  # whatever pypdf trips over: damaged files raise nearly anything
        raise UnreadableError("damaged PDF") from None


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
