"""Text files and web pages, a document each."""

from __future__ import annotations

from quire.corpus.formats.document import Context, Document, DocumentKind, of_text
from quire.corpus.formats.html import decode_html, html_to_text


def read_page(raw: bytes, context: Context) -> list[Document]:
    """Read a web page: what its reader sees, and its title."""
    return [Document(*html_to_text(context.text(raw, decode_html)))]


TEXT = DocumentKind(of_text(str), (".txt", ".text"), "as it is")
HTML = DocumentKind(read_page, (".html", ".htm"), "what its reader sees")
