"""From bytes to text: UTF-8 first, UTF-16 where it shows, a declared fallback for the rest."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

BOMS = {  # UTF-32 before UTF-16: the little-endian marks begin alike
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Bytes that are not UTF-8, as Python's surrogateescape shows them: the beginning of a character that was
# cut off, or a single byte.
DAMAGED = re.compile("[\udcc2-\udcf4][\udc80-\udcbf]{1,3}|[\udc80-\udcff]")


@dataclass(frozen=True)
class Decoded:
    """Text, the encoding it was in, and how many characters that encoding could not vouch for."""

    text: str
    encoding: str
    replaced: int
    line: int | None = None  # where the first such character stands


def decode(raw: bytes, fallback: str = "cp1252") -> Decoded:
    r"""Return bytes as text, deciding on one encoding for all of them.

    A byte order mark decides, and is dropped. Without one, NUL bytes at every other place mean UTF-16. Then
    comes strict UTF-8.
    """
    # What fails there is either UTF-8 with a few damaged characters (the valid ones beyond ASCII outnumber
    # the others: a stray byte is read by the fallback, a broken sequence becomes U+FFFD), or is in the
    # fallback encoding as a whole, where bytes that mean nothing become U+FFFD.
    # ``replaced`` counts the characters that were not valid UTF-8: the damaged ones in the first case, all
    # characters beyond ASCII in the second, and the U+FFFD that were put into text in UTF-16 or UTF-32.
    encoding, mark = _marked(raw)
    encoding = encoding or _unmarked_utf16(raw)
    raw = raw[mark:]
    try:
        return Decoded(raw.decode(encoding or "utf-8"), encoding or "utf-8", 0)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
    if encoding not in (None, "utf-8"):
        return _with_replacements(raw, str(encoding), line)
    return _repaired(raw, fallback, line)


def looks_like_utf16(raw: bytes) -> bool:
    """Return whether bytes are UTF-16 by their mark, or by a NUL at every other place."""
    encoding = _marked(raw)[0] or _unmarked_utf16(raw)
    return encoding is not None and encoding != "utf-8"


def _unmarked_utf16(raw: bytes) -> str | None:
    start = raw[:4096]
    if len(start) < 4 or b"\0" not in start:
        return None
    even, odd = start[::2].count(0) / len(start[::2]), start[1::2].count(0) / len(start[1::2])
    if min(even, odd) > 0.05 or max(even, odd) < 0.4:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _marked(raw: bytes) -> tuple[str | None, int]:
    for mark, encoding in BOMS.items():
        if raw.startswith(mark):
            return encoding, len(mark)
    return None, 0


def _with_replacements(raw: bytes, encoding: str, line: int) -> Decoded:
    text = raw.decode(encoding, "replace")
    strict = raw.decode(encoding, "ignore")
    return Decoded(text, encoding, text.count("\ufffd") - strict.count("\ufffd"), line)


def _repaired(raw: bytes, fallback: str, line: int) -> Decoded:
    """Read damaged UTF-8 as such where it mostly is UTF-8, else all of it in the fallback encoding."""

    def repair(match: re.Match[str]) -> str:
        bad = match.group().encode("utf-8", "surrogateescape")
        return bad.decode(fallback, "replace") if len(bad) == 1 else "\ufffd"

    text, damaged = DAMAGED.subn(repair, raw.decode("utf-8", "surrogateescape"))
    valid = beyond_ascii(text) - damaged
    if valid > damaged:
        return Decoded(text, "utf-8", damaged, line)
    text = raw.decode(fallback, "replace")
    return Decoded(text, fallback, beyond_ascii(text), line)


def beyond_ascii(text: str) -> int:
    """Return how many characters are not ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))
