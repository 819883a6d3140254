"""The page as one file: the app, what it may do, and the data that it shows."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from quire.messages import Update, counted
from quire.pages.cuts import cuts_within
from quire.pages.deflate import Deflated
from quire.pages.encoding import json_block, packed_block, packed_columns, packed_json
from quire.pages.payload import Payload, payload_of
from quire.pages.texts import Texts, packed_names, texts_within
from quire.places.machine import side_by_side
from quire.runs.folder import check_file, write_file
from quire.runs.run import Run

LIMIT = 25_000_000  # bytes
_CSP, _DATA = "<!--quire:csp-->", "<!--quire:data-->"
_ELEMENTS = re.compile(r"<(script|style)\b[^>]*>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
_SLACK = 1 << 12  # for the policy, and what the head says of what was left out


class Page(NamedTuple):
    """A page, and what was left out of it for its size (as ``head["left"]``; None: nothing)."""

    html: str
    left: dict[str, Any] | None

    def write(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all."""
        try:
            write_file(path, self.html)
        except OSError as error:
            reason = error.strerror or error
            raise ValueError(f"The page could not be written to {path}: {reason}.") from None


def page(
    run: Run,
    path: str | Path,
    *,
    title: str | None = None,
    choice: str | Path | None = None,
    other: str | Path | dict[str, Any] | None = None,
    layout: str = "topics",
    limit: int = LIMIT,
) -> Path:
    """Write the page of a run: one file that opens in any browser, without a network.

    Parameters
    ----------
    run : Run
        What to show.
    path : path
        The file; one that is there already is replaced.
    title : str, optional
        What the page is called; the file's name by default.
    choice : path, optional
        What ``quire choose --out`` wrote: adds how the number of topics was found.
    other : path, optional
        The folder of another run over the same documents: adds a comparison.
    layout : {"topics", "tsne"}
        Of the map.
    limit : int, default=25,000,000
        Bytes that the file may have; texts that do not fit are left out, and the page says so.

    Examples
    --------
    >>> import tempfile, quire
    >>> run = quire.cluster(["the moon", "a moon", "goal", "a goal"], 2, random_state=0)
    >>> quire.page(run, tempfile.mkdtemp() + "/moon.html").name
    'moon.html'
    """
    target = check_file(path)
    called = target.stem if title is None else title
    payload = payload_of(run, title=called, choice=choice, other=other, layout=layout)
    write_page(payload, target, limit)
    return Path(path)


def page_html(payload: Payload, *, limit: int = LIMIT, update: Update = lambda done, total: None) -> Page:
    """Return the page as one file that needs nothing else.

    It holds all points, the other cuts of the run, and the texts of as many documents as the limit allows, the
    most typical of each topic first; then what other cuts say of these.
    """
    time, names, points, terms = side_by_side(
        lambda: None if payload.time is None else packed_json("quire-time", payload.time),
        lambda: packed_names(payload),
        lambda: Deflated().then(payload.points),
        lambda: packed_json("quire-terms", payload.terms),
    )
    blocks = [terms] if time is None else [terms, time]
    fixed = sum(map(len, blocks)) + len(_app().encode())
    fixed += len(json_block("quire-head", payload.head).encode())
    fixed += len(packed_block("quire-points", points))
    fixed += 3 * payload.head["n"]  # at the most, for the column `chunk`
    room = limit - fixed - _SLACK
    cuts = cuts_within(payload, room)
    texts = texts_within(payload, room - cuts.size, names, update)
    reasons = cuts.reasons(texts, room - cuts.size - sum(map(len, texts.blocks)))
    more, column = packed_columns([("chunk", "i16", texts.chunk)], len(payload.points))
    left = _left_out(payload, texts, cuts.left, fixed > limit)
    there = [k for k in payload.head["cuts"] if k not in cuts.left]
    head = payload.head | {"columns": payload.head["columns"] + column, "left": left, "cuts": there}
    packed = packed_block("quire-points", points.then(more))
    data = [json_block("quire-head", head), packed, *blocks, *cuts.blocks, *texts.blocks, *reasons]
    return Page(app_with(data, "'none'"), left)


def write_page(
    payload: Payload, path: str | Path, limit: int = LIMIT, update: Update = lambda done, total: None
) -> Page:
    """Write the page to a file, whole or not at all."""
    page = page_html(payload, limit=limit, update=update)
    page.write(path)
    return page


def app_with(blocks: Iterable[str], connect: str) -> str:
    """Return the app with its Content-Security-Policy and its blocks of data."""
    app = _app()
    for mark in (_CSP, _DATA):
        if app.count(mark) != 1:
            raise ValueError(f"The app of the page should hold {mark} once: build it anew in web/.")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{content_security(app, connect)}">'
    before, _, after = app.partition(_CSP)
    middle, _, end = after.partition(_DATA)
    return "".join([before, policy, middle, *blocks, end])


def content_security(app: str, connect: str) -> str:
    """Return the policy under which the app runs: its own scripts and styles, by their hashes, no other."""
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, content in _ELEMENTS.findall(app):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        hashes[kind.lower()].append(f"'sha256-{digest}'")
    scripts, styles = (" ".join(digests) or "'none'" for digests in hashes.values())
    return "; ".join(
        [
            "default-src 'none'", f"script-src {scripts}", f"style-src {styles}", "img-src data: blob:",
            f"connect-src {connect}", "base-uri 'none'", "form-action 'none'",
        ]
    )  # fmt: skip


def _app() -> str:
    """Return the app as Vite built it; line ends as a browser sees them, since their hash counts."""
    app = files("quire") / "pages" / "app.html"
    if not app.is_file():
        raise ValueError("The app of the page is missing: build it with `npm run build` in web/.")
    return app.read_text("utf-8").replace("\r\n", "\n")


def _left_out(payload: Payload, texts: Texts, cuts: list[int], too_large: bool) -> dict[str, Any] | None:
    """Say what there was no room for: other cuts, and texts."""
    n, kept = payload.head["n"], texts.kept
    sentences = [] if kept == n else [_texts_left(payload, texts, too_large)]
    if cuts:
        named = " and ".join(map(str, sorted(cuts)))
        sentences.append(f"The file has no room for the same documents in {named} topics.")
    if not sentences:
        return None
    command = f"quire serve {shlex.quote(payload.folder or 'RUN')}"
    return {"kept": kept, "sentence": " ".join(sentences), "command": command}


def _texts_left(payload: Payload, texts: Texts, too_large: bool) -> str:
    n, kept = payload.head["n"], texts.kept
    what = "texts" if payload.head["has"]["text"] else "details"
    sentence = f"The file holds the {what} of {kept:,} of {counted(n, 'document')}"
    sentence += ", the most typical of each topic" if kept else ""
    if not texts.all_named:
        sentence += "; the others are points without a name" if kept else ", which are points without a name"
    if too_large:
        sentence += "; it is larger than asked for, since every document is a point in it"
    return f"{sentence}."
