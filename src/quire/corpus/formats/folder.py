"""A folder of text, HTML, PDF and DOCX files: a document each."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl

from quire.corpus.content import is_binary
from quire.corpus.encodings import Decoded, decode, looks_like_utf16
from quire.corpus.formats.documents import UnreadableError, docx_to_text, pdf_to_text
from quire.corpus.formats.format import Format, Reading, is_path, put_documents
from quire.corpus.formats.html import decode_html, html_to_text
from quire.corpus.notes import NAMED_AT_MOST, Notes
from quire.corpus.request import Request
from quire.places.place import Place

_AT_ONCE = 256  # files that are read before they are cut into parts
TEXT, HTML, OTHER = {".txt", ".text", ".md", ".rst"}, {".html", ".htm"}, {".pdf", ".docx"}
NUL_SEARCHED = 8192  # a NUL so early means binary, as for git; a stray one further on is kept as text


@dataclass
class _Losses:
    """Files that could not be read, and characters that were not UTF-8, so far."""

    skipped: list[tuple[str, str]] = field(default_factory=list)
    replaced: int = 0
    replaced_in: int = 0


def read_folder(source: str | Path, request: Request, place: Place) -> Reading:
    """Read the documents of a folder and all its sub-folders, in the order of their names."""
    request.no_columns("A folder")
    files = FolderFiles(Path(source), request)
    parts = put_documents(files.frames(), place)
    if not files.are_labels:
        parts = place.sweep(_without_label, parts)[0]
    return Reading(parts, files.notes)


class FolderFiles:
    """Gives the documents of a folder one by one, and notes what it met."""

    def __init__(self, folder: Path, request: Request) -> None:
        self.folder, self.strict, self.progress = folder, request.strict, request.progress
        self.encoding = request.encoding
        self._links: list[str] = []  # that are not followed
        self._files = list(_files(folder, None if request.follow_links else self._links))
        if self._files == [""]:
            raise ValueError(f"The folder {folder} may not be entered: check its permissions.")
        if self._links and not self._files:
            raise ValueError(f"The folder {folder} holds nothing but links: follow them with --follow-links.")
        self._wanted, self._notes = _readable(folder, self._files, Notes(source=str(folder), kind="folder"))
        self._losses, self._folders, self._all_in_one = _Losses(), set[str](), True

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Yield id, text and title."""
        n_read, skipped = 0, self._losses.skipped
        for done, name in enumerate(self._wanted):
            if self.progress is not None and done % 64 == 0:
                self.progress("reading", done, len(self._wanted))
            try:
                document = _read_file(self.folder / name, name, self.encoding, self.strict, self._losses)
            except UnreadableError as reason:
                if self.strict:
                    where = self.folder / name
                    raise ValueError(f"{where} cannot be read ({reason}): remove or repair it.") from None
                skipped.append((name, str(reason)))
            else:
                n_read += 1
                yield document
        if self.progress is not None:
            self.progress("reading", len(self._wanted), len(self._wanted))
        if not n_read:
            raise ValueError(
                f"None of the {len(self._wanted):,} files in {self.folder} could be read; the first, "
                f"{skipped[0][0]}: {skipped[0][1]}."
            )
        others = sorted(set(self._files) - set(self._wanted))
        skipped += [(name, f"ending {Path(name).suffix or 'missing'} is not read") for name in others]
        skipped += [(name, "a link, read with --follow-links") for name in sorted(self._links)]

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the documents, some at a time, labelled by the folder that each lies in."""
        schema, documents = dict.fromkeys(["id", "text", "title"], pl.String), iter(self)
        while some := list(islice(documents, _AT_ONCE)):
            frame = pl.DataFrame(some, schema=schema, orient="row")
            path = frame["id"].str.split_exact("/", 1).struct.unnest()
            self._all_in_one &= path["field_1"].null_count() == 0
            self._folders.update(path["field_0"].unique())
            yield frame.select("id", "text", path["field_0"].alias("label"), "title")

    @property
    def are_labels(self) -> bool:
        """Whether the folders of all documents that were given can be labels."""
        return self._all_in_one and len(self._folders) > 1

    @property
    def notes(self) -> Notes:
        """The notes, once all documents were given."""
        losses, notes = self._losses, self._notes
        if self.are_labels:
            notes = notes.with_(guessed=(*notes.guessed, "label")).remark(
                "The folders' names became labels, as every document lies in one."
            )
        return notes.with_(
            skipped=tuple((_shown(name), reason) for name, reason in losses.skipped[:NAMED_AT_MOST]),
            n_skipped=len(losses.skipped),
            replaced_characters=losses.replaced,
            replaced_in=losses.replaced_in,
            encoding=self.encoding if losses.replaced else None,
        )


def _without_label(documents: pl.DataFrame) -> tuple[pl.DataFrame, None]:
    return documents.drop("label"), None


def _files(folder: Path, links: list[str] | None) -> Iterator[str]:
    """Yield the relative paths of all files, sorted. Links are gathered; if None, followed, once where they lead back.

    Who gives documents away could lead out of their folder by a link.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [""]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(folder / here), key=lambda entry: entry.name)
            about = (folder / here).stat()
        except OSError:  # a folder that may not be entered; its name is told like that of a file
            yield here
            continue
        if (about.st_dev, about.st_ino) in seen:
            continue
        seen.add((about.st_dev, about.st_ino))
        entries = [entry for entry in entries if not entry.name.startswith(".")]
        if links is not None:
            links += [here + entry.name for entry in entries if entry.is_symlink()]
            entries = [entry for entry in entries if not entry.is_symlink()]
        yield from (here + entry.name for entry in entries if not entry.is_dir())
        waiting += reversed([f"{here}{entry.name}/" for entry in entries if entry.is_dir()])


def _readable(folder: Path, files: list[str], notes: Notes) -> tuple[list[str], Notes]:
    """Return the files to read: those with a known ending, or else those without any."""
    known = TEXT | HTML | OTHER
    wanted = [name for name in files if name.endswith("/") or Path(name).suffix.lower() in known]
    if not wanted:
        # Corpora such as 20 Newsgroups come as files named 49960: numbers without an ending.
        wanted = [name for name in files if not Path(name).suffix]
        notes = notes.remark("No file has a known ending, so those without any were read as text.")
    if not wanted:
        endings = ", ".join(sorted(known))
        has = f"holds no file to read among {len(files):,}" if files else "is empty"
        raise ValueError(f"The folder {folder} {has}: put files into it that end in {endings}.")
    return wanted, notes


def _read_file(path: Path, name: str, fallback: str, strict: bool, losses: _Losses) -> tuple[str, str, str]:
    raw, ending = _bytes(path), path.suffix.lower()
    name, title = _shown(name), _shown(path.name)
    if ending in OTHER:
        text = pdf_to_text(raw) if ending == ".pdf" else docx_to_text(raw)
        return name, _storable(text), title
    if not looks_like_utf16(raw) and (b"\0" in raw[:NUL_SEARCHED] or is_binary(raw)):
        raise UnreadableError("binary")
    decoded = decode_html(raw, fallback) if ending in HTML else decode(raw, fallback)
    if decoded.replaced:
        if strict:
            raise UnreadableError(f"not valid UTF-8 in line {decoded.line}")
        losses.replaced += decoded.replaced
        losses.replaced_in += 1
    return _titled(decoded, name, title, ending in HTML)


def _titled(decoded: Decoded, name: str, title: str, is_html: bool) -> tuple[str, str, str]:
    if not is_html:
        return name, decoded.text, title
    text, inside = html_to_text(decoded.text)
    return name, text, inside or title


def _bytes(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UnreadableError("folder that may not be entered")
        if not stat.S_ISREG(mode):  # reading a pipe would wait for ever
            raise UnreadableError("not a file")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError((error.strerror or str(error)).lower()) from None


def _shown(name: str) -> str:
    """Return a file's name as text that can be stored, also where its bytes are not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _storable(text: str) -> str:
    """Replace halves of surrogate pairs, which PDFs contain and no UTF-8 can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


FORMAT = Format(read_folder, accepts=lambda source: is_path(source) and Path(source).is_dir())
