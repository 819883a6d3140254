"""Books, slides and documents of other programs: .epub, .pptx, .odt and .rtf."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Collection, Mapping
from urllib.parse import unquote

from quire.corpus.encodings import decode
from quire.corpus.expansion import check_archive
from quire.corpus.formats.document import Context, Document, DocumentKind, UnreadableError, optional
from quire.corpus.formats.html import decode_html, html_to_text
from quire.corpus.formats.safe_xml import XmlError, walk


def zipped(what: str, read: Callable[[zipfile.ZipFile], Document]) -> Callable[[bytes, Context], list[Document]]:
    """Return the reader of a document that is an archive: bombs and damaged ones are refused."""

    def documents(raw: bytes, context: Context) -> list[Document]:
        try:
            check_archive(io.BytesIO(raw), len(raw), "the document")
        except ValueError as error:
            raise UnreadableError(str(error).removesuffix(".")) from None
        try:
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                return [read(archive)]
        except XmlError as error:
            raise UnreadableError(f"damaged {what}: {error}") from None
        except Exception:  # not a ZIP, a ZIP of something else, …
            raise UnreadableError(f"damaged {what}") from None

    return documents


class _Lines:
    """Gathers the text of an XML document: some elements end a line, some are left out with all inside."""

    def __init__(self, ends: Collection[str], left: Collection[str] = (), within: str | None = None) -> None:
        self.ends, self.left, self.within = ends, left, within
        self.lines, self._here = list[str](), list[str]()
        self._depth, self._inside = 0, 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._depth or name in self.left:
            self._depth += 1
        self._inside += name == self.within
        if name in ("s", "tab", "line-break", "br"):
            self._here.append(" ")

    def end(self, name: str) -> None:
        if self._depth:
            self._depth -= 1
        elif name in self.ends:
            self.lines.append("".join(self._here).strip())
            self._here.clear()
        self._inside -= name == self.within

    def text(self, words: str) -> None:
        if not self._depth and (self.within is None or self._inside > 0):
            self._here.append(words)


def _lines(archive: zipfile.ZipFile, member: str, gathered: _Lines) -> list[str]:
    with archive.open(member) as file:
        walk(file, gathered.start, gathered.end, gathered.text)
    return [line for line in gathered.lines if line]


def title_of(archive: zipfile.ZipFile, member: str) -> str | None:
    """Return the title that a document says it has."""
    if member not in archive.namelist():
        return None
    found = _lines(archive, member, _Lines({"title"}, within="title"))
    return found[0] if found else None


def _odt(archive: zipfile.ZipFile) -> Document:
    text = _lines(archive, "content.xml", _Lines({"p", "h"}, {"annotation", "tracked-changes", "note-citation"}))
    return Document("\n".join(text), title_of(archive, "meta.xml"))


def _pptx(archive: zipfile.ZipFile) -> Document:
    slides = {
        int(at[1]): at[0]
        for name in archive.namelist()
        if (at := re.fullmatch(r"ppt/slides/slide(\d{1,6})\.xml", name))
    }
    if not slides:
        raise UnreadableError("no slides")
    text = [line for _, slide in sorted(slides.items()) for line in _lines(archive, slide, _Lines({"p"}, within="t"))]
    return Document("\n".join(text), title_of(archive, "docProps/core.xml"))


def _epub(archive: zipfile.ZipFile) -> Document:
    """Read the chapters of a book in their order."""
    roots, items, order = list[str](), dict[str, str](), list[str]()

    def root(name: str, attributes: Mapping[str, str]) -> None:
        if name == "rootfile":
            roots.append(attributes["full-path"])

    def listed(name: str, attributes: Mapping[str, str]) -> None:
        contents = "nav" in attributes.get("properties", "").split()
        if name == "item" and "html" in attributes.get("media-type", "") and not contents:
            items[attributes["id"]] = attributes["href"]
        elif name == "itemref":
            order.append(attributes["idref"])

    with archive.open("META-INF/container.xml") as file:
        walk(file, root)
    with archive.open(roots[0]) as file:
        walk(file, listed)
    folder = posixpath.dirname(roots[0])
    paths = [posixpath.normpath(posixpath.join(folder, unquote(items[idref]))) for idref in order if idref in items]
    once = dict.fromkeys(paths)  # else a small book could repeat a chapter without end
    chapters = [html_to_text(decode_html(archive.read(path), "cp1252").text)[0] for path in once]
    if not chapters:
        raise UnreadableError("no chapters")
    return Document("\n\n".join(chapters), title_of(archive, roots[0]))


_RTF_TITLE = re.compile(r"\{\\title\s([^{}]{1,1000})\}")


def _rtf(raw: bytes, context: Context) -> list[Document]:
    """Read a document in Rich Text Format, and the title that it says it has."""
    striprtf = optional("striprtf.striprtf")
    if not raw.lstrip().startswith(b"{\\rtf"):
        raise UnreadableError("no RTF")
    written = decode(raw).text
    title = _RTF_TITLE.search(written)
    try:
        made = [striprtf.rtf_to_text(one, errors="replace").strip() for one in (written, title[1] if title else "")]
    except Exception:  # damaged files raise nearly anything
        raise UnreadableError("damaged RTF") from None
    return [Document(made[0], made[1] or None)]


EPUB = DocumentKind(zipped("book", _epub), (".epub",), "its chapters in order")
ODT = DocumentKind(zipped("document", _odt), (".odt",), "its paragraphs")
PPTX = DocumentKind(zipped("presentation", _pptx), (".pptx",), "its slides in order")
RTF = DocumentKind(_rtf, (".rtf",), "its text", extra="files")
