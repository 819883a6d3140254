"""The page inside a cell of a notebook."""

from __future__ import annotations

import base64
import math
from html import escape
from pathlib import Path
from typing import Any

from quire.pages.file import page_html
from quire.pages.payload import payload_of
from quire.runs.run import Run

# The frame goes on to a page with an address of its own, in which links within it lead where they should: in a `srcdoc`
# they would lead out of it, and an address that holds all may have 2 MB in Chromium.
_DOOR = """<!doctype html><meta charset="utf-8"><script type="text/plain" id="page">%s</script><script>
const bytes = Uint8Array.from(atob(document.getElementById("page").textContent), (c) => c.charCodeAt(0))
location.replace(URL.createObjectURL(new Blob([bytes], { type: "text/html;charset=utf-8" })))
</script>"""


class PageInCell:
    """A page that a notebook shows in a frame of its own."""

    def __init__(self, html: str, height: int, title: str) -> None:
        self.html, self._height, self._title = html, height, title

    def __repr__(self) -> str:
        return f"<Page: {self._title}, {len(self.html.encode()) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self._height}px;border:1px solid rgba(128,128,128,.35);border-radius:4px"
        may = "allow-scripts allow-downloads allow-popups"
        inside = escape(_DOOR % base64.b64encode(self.html.encode()).decode())
        return f'<iframe title="{escape(self._title)}" style="{style}" sandbox="{may}" srcdoc="{inside}"></iframe>'


def page_in_cell(
    run: Run,
    height: int = 720,
    limit: float = 10,
    *,
    title: str | None = None,
    choice: str | Path | None = None,
    other: str | Path | dict[str, Any] | None = None,
    layout: str = "topics",
) -> PageInCell:
    """Return the page of a run, to be shown in a cell."""
    if not 0 < limit < math.inf:
        raise ValueError(f"limit={limit:g} is no size: give the megabytes that the page may have.")
    if not height > 0:
        raise ValueError(f"height={height} must be a number of pixels above 0.")
    payload = payload_of(run, title=title, choice=choice, other=other, layout=layout)
    return PageInCell(page_html(payload, limit=round(limit * 1e6)).html, int(height), payload.head["title"])
