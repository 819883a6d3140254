"""XML from strangers: no entities of its own, nothing fetched, no tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import IO, Any
from xml.parsers import expat

_PIECE = 1 << 16  # bytes that are parsed at once
_DEEPEST = 10_000  # elements inside each other


class XmlError(ValueError):
    """What cannot be read, and why in a few words."""


def walk(
    file: IO[bytes],
    start: Callable[[str, Mapping[str, str]], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
    skipped: Callable[[str], None] | None = None,
) -> None:
    """Call functions for what a document holds, in its order; names of elements and attributes come without prefix.

    ``skipped`` gets the names of entities that a DTD elsewhere would declare, such as nbsp.
    """
    parser, depth = expat.ParserCreate(), 0

    def begins(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise XmlError("XML that is nested too deep")
        start(_local(name), {_local(key): value for key, value in attributes.items()})

    def ends(name: str) -> None:
        nonlocal depth
        depth -= 1
        if end is not None:
            end(_local(name))

    parser.StartElementHandler, parser.EndElementHandler = begins, ends
    parser.EntityDeclHandler = parser.AttlistDeclHandler = _refuse
    parser.buffer_text = True
    if text is not None:
        parser.CharacterDataHandler = text
    if skipped is not None:
        parser.UseForeignDTD(False)
        parser.SkippedEntityHandler = lambda name, is_parameter: None if is_parameter else skipped(name)
    try:
        while piece := file.read(_PIECE):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise XmlError(f"damaged XML (line {error.lineno:,})") from None
    except XmlError:
        raise
    except (ValueError, LookupError):  # an encoding that is none
        raise XmlError("XML in an unknown encoding") from None


def _refuse(*declared: Any) -> None:
    """Refuse entities and default values: small documents of them become large, or fetch files."""
    raise XmlError("XML that declares entities of its own")


def _local(name: str) -> str:
    return name.rpartition(":")[2]
