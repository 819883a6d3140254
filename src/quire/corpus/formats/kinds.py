"""The kinds of files that are documents. A new one is a file here and a line in this table."""

from __future__ import annotations

from quire.corpus.formats import documents, pages
from quire.corpus.formats.document import DocumentKind

DOCUMENTS: list[DocumentKind] = [  # the later of two with one ending is taken
    pages.TEXT,
    pages.HTML,
    documents.PDF,
    documents.DOCX,
]
