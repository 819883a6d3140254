"""Requests made from the OpenAPI description with odd values, and bytes that are no request at all."""

from __future__ import annotations

import json
import random
import urllib.parse
from typing import Any, NamedTuple

from quire.runs.edits.entry import FIELDS

_TEXTS = (
    "",
    " ",
    "moon",
    "a " * 249,
    "\0",
    "\x1b[31m",
    "\u202e",
    "é" * 400,
    "𝒳" * 100,
    '"',
    '"moon',
    "moon*",
    "NEAR(a b)",
    "a OR b",
    "moon AND",
    "-moon",
    "(((",
    "%",
    "%00",
    "../../../etc/passwd",
    "<script>",
    "'; DROP TABLE words; --",
    "a-" * 200,
    '"' + "a " * 200 + '"',
    "\ud800",
    "x" * 500,
    "x" * 501,
    "x" * 5000,
    "moon goal team " * 20,
    "^moon",
    "text:moon",
    "{a b}:c",
)
_NUMBERS = (
    "0",
    "1",
    "-1",
    "00",
    "1e3",
    "1.0",
    "٣",
    "99999999999999999999",
    "",
    " 1",
    "1 ",
    "+1",
    "0x1",
    "NaN",
    "299",
    "300",
    "200",
    "201",
)
_METHODS = ("GET", "GET", "GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH", "FOO")
_BODIES = (
    b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 5000, b'{"version": 0}', b'{"version": 0, "what": []}',
    b'{"version": 0, "what": "rename", "topic": 0, "name": "' + b"x" * 20_000 + b'"}',
    b'{"version": 1e999, "what": "undo"}', b'{"version": ' + b"9" * 5000 + b', "what": "undo"}',
    b'{"what": "rename", "topic": 0, "name": "\xc3\xa9 \xf0\x9f\x9a\x80"}',
    b'{"version": 0, "what": "note", "topic": 0, "note": ' + b"[" * 900 + b"]" * 900 + b"}",
)  # fmt: skip
NOW = b'"@now"'  # in a body: the number of edits that there are when it is sent
_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2, 3, 50, 2**31, 2**70, 1e308, 0.5, "", "0", "moon", "\ud800", "\x1b[31m\x9b", "\u202e",
    "</script><script>alert(1)</script>", "x" * 1001, "a\nb", [], {}, [0, 1], [1, 0, 1], [0, 99], [0, "1"],
    ["0", "1"], ["5", "5"], ["7", "x" * 999], [[0]], {"topic": 0},
)  # fmt: skip
_SOUND: dict[str, tuple[Any, ...]] = {
    "topic": (0, 0, 1, 2), "name": ("Moon", "<b>", ""), "note": ("Look.", "a\nb", ""), "word": ("moon", "goal", "note"),
    "topics": ([0, 1], [1, 0]), "into": (2, 3), "document": ("3", "17"), "documents": (["3", "17"], ["5", "6"]),
}  # fmt: skip


class Asked(NamedTuple):
    """A request, and the statuses that the description allows for it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    allowed: frozenset[int]


def described(description: dict[str, Any], draw: random.Random, host: str, token: str) -> Asked:
    """Return a request for something that is described, with values that are or are not."""
    path, item = draw.choice(list(description["paths"].items()))
    own = next(iter(item)).upper()
    method = own if draw.random() < 0.8 else draw.choice(_METHODS)
    operation = item.get(method.lower(), {})
    query = []
    for parameter in operation.get("parameters", []):
        value = _value(parameter["schema"], draw)
        if parameter["in"] == "path":
            quoted = urllib.parse.quote(value, safe="", errors="replace") or "x"
            path = path.replace(f"{{{parameter['name']}}}", quoted)
        elif draw.random() < 0.9:
            query.append(f"{parameter['name']}={urllib.parse.quote(value, errors='replace')}")
    path = path.replace("{row}", "0").replace("{topic}", "0") + ("?" + "&".join(query) if query else "")
    headers = {"Host": host}
    headers |= {"X-Quire-Token": draw.choice([token] * 6 + ["", "x"])} if own == "POST" else {}
    headers |= draw.choice(
        [{}, {}, {}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil"}]
    )
    allowed = {int(code) for code in operation.get("responses", {})} | (
        {404, 405, 403, 421} if not operation else set()
    )
    allowed |= {404} if "%2F" in path or "%00" in path else set()  # which is another address
    if method == "HEAD":
        allowed |= {200}
    body = _body(draw) if method in ("PUT", "POST", "PATCH") else None
    return Asked(method, path, headers, body, frozenset(allowed))


def _body(draw: random.Random) -> bytes:
    """Return an edit, one with odd values or lacking some, or none at all."""
    if draw.random() < 0.2:
        return draw.choice(_BODIES)
    what = draw.choice([*FIELDS])
    edit: dict[str, Any] = {"version": "@now", "what": what}
    edit |= {name: draw.choice(_SOUND[name]) for name in FIELDS[what]}
    if draw.random() < 0.5:
        edit[draw.choice([*edit, *_SOUND, "words", "who", "cut", "__class__"])] = draw.choice(_VALUES)
    return json.dumps(edit).encode()


def _value(schema: dict[str, Any], draw: random.Random) -> str:
    if schema.get("type") == "integer":
        return draw.choice(_NUMBERS)
    if "pattern" in schema:
        return ",".join(draw.choice(_NUMBERS[: draw.choice([2, 18])]) for _ in range(draw.choice([0, 1, 3, 500, 501])))
    text = draw.choice(_TEXTS)
    return (
        text
        if draw.random() < 0.7
        else "".join(
            chr(draw.choice([32, 97, 34, 42, 0x301, 0x4E2D, draw.randrange(1, 0xD7FF)]))
            for _ in range(draw.randrange(60))
        )
    )


def raw(draw: random.Random, host: str) -> bytes:
    """Return bytes that a client should never send."""
    start, end = f"GET /api/head HTTP/1.1\r\nHost: {host}\r\n".encode(), b"\r\n"
    put = f"POST /api/edits HTTP/1.1\r\nHost: {host}\r\n".encode()
    return draw.choice(
        [
            b"",
            b"\0" * 100,
            draw.randbytes(300),
            b"GET",
            b"GET / HTTP/9.9\r\n\r\n",
            start,
            start + end + start + end,
            start + b"X: " + b"a" * 100_000 + end + end,
            start + b"X: 1\r\n" * 5000 + end,
            start + b"Host: other\r\n" + end,
            start + b"Content-Length: -1\r\n\r\n",
            start + b"Content-Length: 99999999999\r\n\r\nx",
            start + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            start + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            put + b"Content-Length: 10\r\n\r\n{",
            put + b"Transfer-Encoding: chunked\r\n\r\nffffffffff\r\nx",
            put + b"Expect: 100-continue\r\n\r\n",
            start + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            b"GET " + b"/a" * 40_000 + b" HTTP/1.1\r\n\r\n",
            b"GET /api/search?q=\xff\xfe HTTP/1.1\r\nHost: " + host.encode() + b"\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00",
            start.replace(b"\r\n", b"\n") + b"\n",
            b"GET http://evil/ HTTP/1.1\r\nHost: evil\r\n\r\n",
            start + b"X\x00Y: 1\r\n\r\n",
            start + b" folded: 1\r\n\r\n",
            b"GET /%c0%ae%c0%ae/ HTTP/1.1\r\nHost: " + host.encode() + b"\r\n\r\n",
        ]
    )


def problem(status: int, body: bytes, asked: Asked) -> str | None:
    """Say what is wrong with an answer; None where it is as described."""
    if status >= 500:
        return f"{status} {body[:200]!r}"
    if status not in asked.allowed:
        return f"{status} is not described, {sorted(asked.allowed)} are"
    if status >= 400 and asked.method != "HEAD":
        try:
            sentence = json.loads(body)["error"]
        except (ValueError, KeyError, TypeError):
            return f"{status} without a sentence: {body[:200]!r}"
        if not sentence.endswith("."):
            return f"no sentence: {sentence!r}"
    return None
