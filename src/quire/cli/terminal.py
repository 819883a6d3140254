"""The one door to the terminal: no text of a document, a path or somebody's run may steer it."""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

# What moves the cursor, recolours, renames the window or answers in the user's place (C0 and C1 controls, of which
# a line break and a tab are kept), and what turns the letters around it (bidirectional overrides and isolates).
_STEERING = [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_SHOWN = dict.fromkeys(_STEERING, "\ufffd")
_ESCAPED = re.compile(f"[{''.join(map(chr, _STEERING[_STEERING.index(127) :]))}]")  # JSON escapes the others itself


def printable(text: str) -> str:
    r"""Put U+FFFD where a character would steer the terminal; line breaks and tabs stay."""
    return text.translate(_SHOWN)


def printable_json(data: Any) -> str:
    r"""Return data as JSON on one line, such characters as ``\u009b``: nothing of it is lost."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(data, ensure_ascii=False))


class CleanStream:
    """A stream of text that cannot steer the terminal behind it; all else is that stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def rich_proxied_file(self) -> TextIO:
        """Where rich writes, which colours and moves the cursor itself (:func:`clean_console` cleans its texts)."""
        return self._stream

    def write(self, text: str) -> int:
        """Write a text without what would steer."""
        return self._stream.write(printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts without what would steer."""
        self._stream.writelines(map(printable, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def clean_output() -> Iterator[None]:
    """Let all that is printed inside, by whomever, go through the door; an uncaught error too."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, CleanStream(stream)) for stream in before)
    sys.excepthook = _print_error
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _print_error(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Print an error that nobody caught, whose message may hold anything."""
    sys.stderr.write(printable("".join(traceback.format_exception(kind, error, trace))))


def clean_console(stderr: bool = False) -> Any:
    """Return a console of rich whose texts cannot steer, and that leaves a broken pipe to the one who called."""
    from rich.console import Console
    from rich.segment import Segment

    class Clean(Console):
        def render(self, *arguments: Any, **named: Any) -> Iterator[Segment]:
            for text, style, control in super().render(*arguments, **named):
                if control is None:
                    unlinked = style if style is None or style.link is None else style.update_link(None)
                    yield Segment(printable(text), unlinked)
                else:
                    yield Segment(text, style, control)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for main, which ends quietly

    return Clean(stderr=stderr, highlight=False)
