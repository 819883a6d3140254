"""The text inside HTML, PDF and DOCX."""

from __future__ import annotations

import importlib
import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quire.corpus.encodings import Decoded, decode

REMEDY = "pip install 'quire-topics[files]'"
UNSEEN = ["script", "style", "template", "noscript", "head"]
BLOCKS = (
    "address,article,aside,blockquote,br,button,caption,center,dd,details,dialog,dir,div,dl,dt,fieldset,"
    "figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,img,input,legend,li,main,menu,nav,ol,optgroup,"
    "option,p,pre,search,section,select,summary,table,tbody,td,textarea,tfoot,th,thead,tr,ul"
)
CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)


class UnreadableError(ValueError):
    """A file that could not be converted, and why in a few words."""


def html_to_text(page: str) -> tuple[str, str | None]:
    r"""Return what a reader of an HTML page sees, and the page's title.

    Scripts, styles, templates and ``noscript`` are left out; block elements and line breaks end a line, so
    that they separate words, while inline elements do not.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(page)
    title = tree.css_first("title")
    name = " ".join(title.text(deep=True).split()) if title is not None else ""
    tree.strip_tags(UNSEEN)
    for block in tree.css(BLOCKS):
        block.insert_before("\n")
        block.insert_after("\n")
    root = tree.root
    text = root.text(deep=True, separator="") if root is not None else ""
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line), name or None


def decode_html(raw: bytes, fallback: str) -> Decoded:
    """Return an HTML page as text, in the encoding that it declares where it is not UTF-8."""
    decoded = decode(raw, fallback)
    declared = CHARSET.search(raw[:4096])
    if decoded.replaced and declared:
        try:
            name = declared.group(1).decode("ascii")
            return Decoded(raw.decode(name), name, 0)
        except (LookupError, UnicodeError):  # unknown, or not what the page is in
            return decoded
    return decoded


def pdf_to_text(raw: bytes) -> str:
    """Return the text of a PDF, a line for each page break."""
    pypdf = _optional("pypdf")
    try:
        with _quiet("pypdf"):
            reader = pypdf.PdfReader(io.BytesIO(raw))
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableError("encrypted PDF")
            return "\n".join(page.extract_text() for page in reader.pages)
    except UnreadableError:
        raise
    except Exception:  # whatever pypdf trips over: damaged files raise nearly anything
        raise UnreadableError("damaged PDF") from None


def docx_to_text(raw: bytes) -> str:
    """Return the paragraphs and tables of a DOCX document, a line each."""
    docx = _optional("docx")
    try:
        return "\n".join(_lines(docx.Document(io.BytesIO(raw))))
    except Exception:  # not a ZIP, a ZIP of something else, broken XML, …
        raise UnreadableError("damaged DOCX") from None


def _lines(part: Any) -> Iterator[str]:
    for item in part.iter_inner_content():
        if hasattr(item, "rows"):
            for row in item.rows:
                for cell in row.cells:
                    yield from _lines(cell)
        else:
            yield item.text


def _optional(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UnreadableError(f"needs {REMEDY}") from None


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Keep a library's warnings about damaged files off the terminal: what could not be read is told once."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
