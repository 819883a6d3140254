"""Mail: .eml, .mbox and .msg, with the subject as title; quoted replies and signatures are left out."""

from __future__ import annotations

import email
import email.header
import email.message
import email.utils
import io
import re
import struct
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.policy import compat32
from typing import IO, Any

from quire.corpus.encodings import decode
from quire.corpus.formats.compound import has_sound_chains
from quire.corpus.formats.document import Context, Document, DocumentKind, UnreadableError, optional
from quire.corpus.formats.html import html_to_text
from quire.corpus.formats.quotes import QUOTED, without_quotes

_HEADER = 2000  # characters of a header that are looked at
_PARTS = 1000  # parts of a message, at most
_LONGEST = 1 << 28  # bytes of a message
_BEGINS = re.compile(rb"From \S{1,300} .{0,200}\d")  # how a message of an mbox begins


def read_mail(raw: bytes, context: Context) -> list[Document]:
    """Read a message: its text, or else what a reader of its HTML sees."""
    try:
        message = email.message_from_bytes(raw.lstrip(), policy=compat32)
        if not any(message.get(name) for name in ("from", "subject", "date", "to", "message-id", "received")):
            raise UnreadableError("no mail")
        return [_document(message, context)]
    except UnreadableError:
        raise
    except Exception:  # parts in parts without end, and whatever else the parser trips over
        raise UnreadableError("damaged mail") from None


def messages(file: IO[bytes], context: Context) -> Iterator[Document]:
    """Yield the messages of an mbox, one after the other."""
    some: list[bytes] = []
    blank, size, n = True, 0, 0
    for line in file:
        if blank and _BEGINS.match(line):
            if n:
                yield from read_mail(b"".join(some), context)
            some, size, n = [], 0, n + 1
        elif not n and line.strip():
            raise UnreadableError("no mbox: its first line does not begin with From")
        else:
            size += len(line)
            if size > _LONGEST:
                raise UnreadableError("a message of more than 256 MiB")
            some.append(line[1:] if re.match(rb">+From ", line) else line)
        blank = not line.strip()
    if not n:
        raise UnreadableError("no message")
    yield from read_mail(b"".join(some), context)


def _document(message: email.message.Message, context: Context) -> Document:
    plain, pages = list[str](), list[str]()
    for number, part in enumerate(message.walk()):
        if number >= _PARTS:
            break
        kind = part.get_content_type()
        if part.is_multipart() or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            continue
        (pages if kind == "text/html" else plain).append(_text(part, context))
    text = "\n".join(plain)
    if not text.strip() and pages:
        text = "\n".join(_seen(page, context) for page in pages)
    text = text.replace("\r\n", "\n").strip()
    sender = email.utils.parseaddr(_header(message, "from"))
    return Document(
        _own(text, context),
        _header(message, "subject") or None, _date(_header(message, "date")), sender[1] or sender[0] or None,
    )  # fmt: skip


def _own(text: str, context: Context) -> str:
    """Return what the author of a message wrote, unless all is to be kept."""
    if context.request.keep_quotes:
        return text
    written = without_quotes(text)
    context.losses.quoting += written != text
    return written


def _seen(page: str, context: Context) -> str:
    """Return what a reader of an HTML message sees, without what it quotes; all of it where nothing else is there."""
    written = "" if context.request.keep_quotes else html_to_text(page, QUOTED)[0]
    return written or html_to_text(page)[0]


def _text(part: email.message.Message, context: Context) -> str:
    given = part.get_payload(decode=True)
    raw = given if isinstance(given, bytes) else b""
    try:
        return raw.decode(part.get_content_charset() or "utf-8")
    except (LookupError, ValueError):  # unknown, or not what the part is in
        return decode(raw, context.request.encoding).text


def _header(message: email.message.Message, name: str) -> str:
    """Return a header as it is meant, on one line."""
    given = str(message.get(name) or "")[:_HEADER]
    try:
        return " ".join(str(email.header.make_header(email.header.decode_header(given))).split())
    except (ValueError, LookupError):
        return " ".join(given.split())


def _date(given: str) -> datetime | None:
    try:
        moment = email.utils.parsedate_to_datetime(given)
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def read_msg(raw: bytes, context: Context) -> list[Document]:
    """Read a message of Outlook: properties in streams of an old Office file."""
    olefile = optional("olefile")
    if not has_sound_chains(raw):
        raise UnreadableError("damaged mail of Outlook")
    try:
        with olefile.OleFileIO(io.BytesIO(raw)) as file:
            text = _property(file, "1000") or _seen(_property(file, "1013"), context)
            sender = _property(file, "5D01") or _property(file, "0C1F") or _property(file, "0C1A")
            text = text.replace("\r\n", "\n").strip()
            return [Document(_own(text, context), _property(file, "0037") or None, _sent(file), sender or None)]
    except Exception:  # damaged files raise nearly anything
        raise UnreadableError("damaged mail of Outlook") from None


def _property(file: Any, number: str) -> str:
    """Return a property as text, by the number that [MS-OXPROPS] gives it."""
    for kind, encoding in (("001F", "utf-16-le"), ("001E", "cp1252"), ("0102", "")):
        name = f"__substg1.0_{number}{kind}"
        if file.exists(name):
            raw: bytes = file.openstream(name).read()
            text = raw.decode(encoding, "replace") if encoding else decode(raw).text
            return text.rstrip("\0")
    return ""


def _sent(file: Any) -> datetime | None:
    """Return when a message was sent or delivered: hundreds of nanoseconds since 1601."""
    raw: bytes = file.openstream("__properties_version1.0").read()
    for at in range(32, len(raw) - 15, 16):
        tag, _, value = struct.unpack_from("<IIQ", raw, at)
        if tag in (0x00390040, 0x0E060040) and value < 2**62:
            return datetime(1601, 1, 1) + timedelta(microseconds=value // 10)
    return None


def _mbox(raw: bytes, context: Context) -> Iterable[Document]:
    return messages(io.BytesIO(raw), context)


ABOUT = "subject, date, sender; quoted replies and signatures left out (`--keep-quotes`)"
EML = DocumentKind(read_mail, (".eml",), f"a message: {ABOUT}")
MSG = DocumentKind(read_msg, (".msg",), "a message of Outlook, in the same way", extra="files")
MBOX = DocumentKind(_mbox, (".mbox",), "each message of it")
