"""A folder, or whatever holds files: a document each, or where none is one, the tables that they are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import polars as pl

from quire.corpus.formats.document import Context, Document, Losses, UnreadableError, by_ending
from quire.corpus.formats.format import Format, Reading, ending_of, is_path, put_documents
from quire.corpus.formats.holdings import Folder, Holdings
from quire.corpus.formats.kinds import DOCUMENTS
from quire.corpus.formats.several import united
from quire.corpus.notes import NAMED_AT_MOST, Notes
from quire.corpus.notes import by_ending as unread_endings
from quire.corpus.request import OWN, Request
from quire.places.place import Handle, Place

_AT_ONCE = 256  # files that are read before they are cut into parts
_COLUMNS: dict[str, Any] = dict.fromkeys(["id", "text", "title", "date", "sender"], pl.String)
_COLUMNS["date"] = pl.Datetime("us")
_SOMETIMES = ("title", "date", "sender")
Registry = Callable[[], list[Format]]


def folders(formats: Registry) -> Format:
    """Return the format of folders, whose files may be of other formats."""

    def read(source: str | Path, request: Request, place: Place) -> Reading:
        return read_holdings(Folder(Path(source), request.follow_links), formats(), request, place)

    return Format(
        read, accepts=lambda source: is_path(source) and Path(source).is_dir(),
        about="every file below it that is a document (see below); where all of them lie in sub-folders, the "
        "sub-folder is the label; where none is a document, the rows of its tables",
        named="a folder", options=frozenset(OWN),
    )  # fmt: skip


def read_holdings(holdings: Holdings, formats: list[Format], request: Request, place: Place) -> Reading:
    """Read the documents that something holds, in the order of their names; or else the tables."""
    by_name = {ending: one.held for one in formats for ending in one.endings if one.held is not None}
    kinds = by_ending(DOCUMENTS)
    tables = [name for name in holdings.files if ending_of(name) in by_name]
    if not tables or any(ending_of(name) in kinds for name in holdings.files):
        return read_documents(holdings, request, place)
    readings = {}
    for name in tables:
        try:
            raw = holdings.read(name)
        except UnreadableError as reason:
            raise ValueError(f"{holdings.name}/{shown(name)} cannot be read ({reason}): remove or repair it.") from None
        held = by_name[ending_of(name)]
        readings[shown(name)] = held(f"{holdings.name}/{shown(name)}", raw, request, place)
    others = [name for name in holdings.files if name not in set(tables)]
    notes = Notes(source=holdings.name, kind=holdings.what, unread=endings_of(others), n_files=len(holdings.files))
    return united(readings, notes, place)


def read_documents(holdings: Holdings, request: Request, place: Place) -> Reading:
    """Read the documents that something holds."""
    request.no_columns(f"A {holdings.what}")
    files = DocumentFiles(holdings, request)
    parts = put_documents(files.frames(), place)
    parts = _without(parts, [name for name, there in files.has.items() if not there], place)
    return Reading(parts, files.notes)


def read_numbered(documents: Iterator[Document], notes: Notes, context: Context, place: Place) -> Reading:
    """Read the documents of one file, whose numbers are the ids."""
    has = set[str]()

    def frames() -> Iterator[pl.DataFrame]:
        first = 1
        while some := list(islice(documents, _AT_ONCE)):
            frame = _frame([(str(first + i), document) for i, document in enumerate(some)])
            has.update(_there(frame))
            first += len(some)
            yield frame.select("id", "text", "date", "title", "sender")

    parts = put_documents(frames(), place)
    parts = _without(parts, [name for name in _SOMETIMES if name not in has], place)
    lost = context.losses
    notes = lost.about_mail(notes).with_(
        replaced_characters=lost.replaced,
        replaced_in=lost.replaced_in,
        encoding=context.request.encoding if lost.replaced else None,
    )
    return Reading(parts, notes)


class DocumentFiles:
    """Gives the documents of files one by one, and notes what it met."""

    def __init__(self, holdings: Holdings, request: Request) -> None:
        self.holdings, self.request = holdings, request
        self._kinds = by_ending(DOCUMENTS)
        self._wanted, self._notes = self._readable(Notes(source=holdings.name, kind=holdings.what))
        self._context, self._above = Context(request, Losses()), _above(self._wanted)
        self._folders, self._all_in_one, self._columns = set[str](), True, set[str]()

    def _readable(self, notes: Notes) -> tuple[list[str], Notes]:
        """Return the files to read: those with a known ending, or else those without any."""
        files, holder = self.holdings.files, f"The {self.holdings.what} {self.holdings.name}"
        wanted = [name for name in files if name.endswith("/") or ending_of(name) in self._kinds]
        if not wanted:
            # Corpora such as 20 Newsgroups come as files named 49960: numbers without an ending.
            wanted = [name for name in files if not Path(name).suffix]
            notes = notes.remark("No file has a known ending, so those without any were read as text.")
        if not wanted:
            others = unread_endings(endings_of(files))
            has = f"holds no file to read among {len(files):,} ({others})" if files else "is empty"
            raise ValueError(f"{holder} {has}: put files into it that end in {', '.join(sorted(self._kinds))}.")
        left = endings_of(sorted(set(files) - set(wanted)))
        return wanted, notes.with_(unread=left, n_files=len(files) + len(self.holdings.left))

    def __iter__(self) -> Iterator[tuple[str, Document]]:
        """Yield ids and documents."""
        n_read, skipped, progress = 0, self._context.losses.skipped, self.request.progress
        for done, name in enumerate(self._wanted):
            if progress is not None and done % 64 == 0:
                progress("reading", done, len(self._wanted))
            kind, before = self._kinds.get(ending_of(name), self._kinds[".txt"]), n_read
            try:
                for document in kind.read(self.holdings.read(name), self._context):
                    n_read += 1
                    number = n_read - before
                    yield f"{shown(name)}#{number}" if number > 1 else shown(name), document
            except UnreadableError as reason:
                if self.request.strict:
                    where = f"{self.holdings.name}/{name}"
                    raise ValueError(f"{where} cannot be read ({reason}): remove or repair it.") from None
                skipped.append((name, str(reason)))
        if progress is not None:
            progress("reading", len(self._wanted), len(self._wanted))
        if not n_read:
            first = f"the first, {shown(skipped[0][0])}: {skipped[0][1]}" if skipped else "they hold no document"
            raise ValueError(f"None of the {len(self._wanted):,} files in {self.holdings.name} could be read; {first}.")
        others = sorted(set(self.holdings.files) - set(self._wanted))
        skipped += [(name, f"ending {Path(name).suffix or 'missing'} is not read") for name in others]
        skipped += sorted(self.holdings.left.items())

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the documents, some at a time, labelled by the folder that each lies in."""
        documents = iter(self)
        while some := list(islice(documents, _AT_ONCE)):
            frame = _frame([(id, document._replace(title=document.title or _last(id))) for id, document in some])
            path = frame["id"].str.slice(len(self._above)).str.split_exact("/", 1).struct.unnest()
            self._all_in_one &= path["field_1"].null_count() == 0
            self._folders.update(path["field_0"].unique())
            self._columns |= _there(frame)
            yield frame.select("id", "text", path["field_0"].alias("label"), "date", "title", "sender")

    @property
    def has(self) -> dict[str, bool]:
        """Which of the columns that not every folder has are there, once all documents were given."""
        labels = self._all_in_one and len(self._folders) > 1 and self.holdings.what != "list of files"
        return {"label": labels} | {name: name in self._columns for name in _SOMETIMES}

    @property
    def notes(self) -> Notes:
        """The notes, once all documents were given."""
        losses, notes = self._context.losses, self._notes
        if self.has["label"]:
            notes = notes.with_(guessed=(*notes.guessed, "label")).remark(
                "The folders' names became labels, as every document lies in one."
            )
        return losses.about_mail(notes).with_(
            skipped=tuple((shown(name), reason) for name, reason in losses.skipped[:NAMED_AT_MOST]),
            n_skipped=len(losses.skipped),
            replaced_characters=losses.replaced,
            replaced_in=losses.replaced_in,
            encoding=self.request.encoding if losses.replaced else None,
        )


def endings_of(names: list[str]) -> dict[str, int]:
    """Return how many files have which ending, the most frequent first."""
    endings = Counter(Path(name).suffix.lower() or "without an ending" for name in names)
    return dict(sorted(endings.items(), key=lambda pair: (-pair[1], pair[0])))


def shown(name: str) -> str:
    """Return a file's name as text that can be stored, also where its bytes are not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def storable(text: str) -> str:
    """Replace halves of surrogate pairs, which PDFs contain and no UTF-8 can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _above(names: list[str]) -> str:
    """Return the folder that all files lie in, as an archive of a folder has one: what is below it are the labels."""
    folders = {tuple(shown(name).split("/")[:-1]) for name in names}
    shared = takewhile(lambda level: len(set(level)) == 1, zip(*folders))
    return "".join(f"{level[0]}/" for level in shared)


def _last(id: str) -> str:
    return id.rpartition("/")[2]


def _frame(documents: list[tuple[str, Document]]) -> pl.DataFrame:
    rows = []
    for id, (text, title, date, sender) in documents:
        rows.append((id, storable(text), title and storable(title), date, sender and storable(sender)))
    return pl.DataFrame(rows, schema=_COLUMNS, orient="row")


def _there(frame: pl.DataFrame) -> set[str]:
    """Return which of the columns that not all documents have hold anything."""
    return {name for name in _SOMETIMES if frame[name].null_count() < frame.height}


def _without(parts: list[Handle], columns: list[str], place: Place) -> list[Handle]:
    return place.sweep(_dropped, parts, args=(columns,))[0] if columns else parts


def _dropped(documents: pl.DataFrame, columns: list[str]) -> tuple[pl.DataFrame, None]:
    return documents.drop(columns), None
