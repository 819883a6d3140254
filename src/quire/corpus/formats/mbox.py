"""A mailbox in one file: a document for each of its messages, read one after the other."""

from __future__ import annotations

import zlib
from pathlib import Path

from quire.corpus.content import opened_bytes
from quire.corpus.formats.document import Context, Losses, UnreadableError
from quire.corpus.formats.folder import read_numbered
from quire.corpus.formats.format import Format, Reading
from quire.corpus.formats.mail import ABOUT, messages
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.places.place import Place


def read_mbox(source: str | Path, request: Request, place: Place) -> Reading:
    """Read the messages of a mailbox; their numbers are the ids."""
    path = Path(source)
    request.no_columns("A mailbox")
    context = Context(request, Losses())
    try:
        with opened_bytes(path) as file:
            return read_numbered(messages(file, context), Notes(source=str(path), kind="mail"), context, place)
    except UnreadableError as reason:
        raise ValueError(f"{path} cannot be read ({reason}): export the mail anew.") from None
    except (OSError, EOFError, zlib.error):
        raise ValueError(f"{path} is damaged: export the mail anew.") from None


FORMAT = Format(read_mbox, {".mbox": "mail"}, about=f"a message each: {ABOUT}")
