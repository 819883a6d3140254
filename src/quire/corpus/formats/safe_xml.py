"""XML from strangers: no entities of its own, nothing fetched, no tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html.entities import html5
from typing import IO, Any
from xml.parsers import expat

PIECE = 1 << 16  # bytes that are parsed at once
_DEEPEST = 10_000  # elements inside each other
Start = Callable[[str, Mapping[str, str]], None]
Text = Callable[[str], None]


class XmlError(ValueError):
    """What cannot be read, and why in a few words."""


class Parser:
    """Calls functions for what a document holds, in its order; names come without prefix."""

    def __init__(self, start: Start, end: Text | None = None, text: Text | None = None) -> None:
        self._start, self._end, self._depth = start, end, 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._begins, self._ends
        self._parser.EntityDeclHandler = self._parser.AttlistDeclHandler = _refuse
        self._parser.buffer_text = True
        if text is not None:
            self._parser.CharacterDataHandler = text
            # Of a DTD elsewhere, which nobody fetches: &nbsp; and the like.
            self._parser.SkippedEntityHandler = lambda name, is_parameter: text(html5.get(f"{name};", ""))

    def feed(self, piece: bytes, last: bool = False) -> None:
        """Parse some bytes more."""
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            raise XmlError(f"damaged XML (line {error.lineno:,})") from None
        except XmlError:
            raise
        except (ValueError, LookupError):
            raise XmlError("XML in an unknown encoding") from None

    def _begins(self, name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise XmlError("XML that is nested too deep")
        self._start(_local(name), {_local(key): value for key, value in attributes.items()})

    def _ends(self, name: str) -> None:
        self._depth -= 1
        if self._end is not None:
            self._end(_local(name))


def walk(file: IO[bytes], start: Start, end: Text | None = None, text: Text | None = None) -> None:
    """Parse a whole document."""
    parser = Parser(start, end, text)
    while piece := file.read(PIECE):
        parser.feed(piece)
    parser.feed(b"", True)


def _refuse(*declared: Any) -> None:
    """Refuse entities and default values: small documents of them become large, or fetch files."""
    raise XmlError("XML that declares entities of its own")


def _local(name: str) -> str:
    return name.rpartition(":")[2]
