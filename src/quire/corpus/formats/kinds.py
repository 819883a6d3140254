"""The kinds of files that are documents. A new one is a file here and a line in this table."""

from __future__ import annotations

from quire.corpus.formats import documents, mail, markup, office, pages, xml_texts
from quire.corpus.formats.document import DocumentKind

DOCUMENTS: list[DocumentKind] = [
    pages.TEXT,
    markup.MARKDOWN,
    markup.REST,
    markup.TEX,
    markup.SUBTITLES,
    pages.HTML,
    documents.PDF,
    documents.DOCX,
    office.ODT,
    office.RTF,
    office.PPTX,
    office.EPUB,
    mail.EML,
    mail.MBOX,
    mail.MSG,
    xml_texts.XML,
]
