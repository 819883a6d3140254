"""Ways to damage a file: its bytes, its text, its JSON, the members of its archive, its NumPy header."""

from __future__ import annotations

import io
import json
import random
import tomllib
import zipfile
from collections.abc import Callable
from typing import Any

import tomli_w

Mutator = Callable[[bytes, random.Random], bytes]
_NUMBERS = (0, 1, 2**7, 2**8 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**64 - 1)
_PIECES = (
    b"\0",
    b"\0" * 64,
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b'""',
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b",",
    b"," * 5000,
    b"\x1b[31m",
    b"\xc2\x9b",
    "\u202e\ufffe\U0010ffff".encode(),
    b"\xed\xa0\x80",
    b"nan",
    b"1e999",
    b"-1",
    b"99999999999999999999",
    b"{" * 3000,
    b"[" * 3000,
    b"<div>" * 3000,
    b"x" * 70000,
    b"%",
    b"\\",
    b"'",
    b"=cmd|' /C calc'!A0",
)
_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2**31, 2**63, 2**70, 1e308, float("nan"), float("inf"), "", "x" * 3000,
    "\x1b[31m\x9b\u202e", "\ud800", [], {}, [[]], [None], {"": ""}, [0] * 2000, "nan", "../../etc", "0",
)  # fmt: skip


def mutated(data: bytes, name: str, draw: random.Random) -> tuple[bytes, str]:
    """Return a file changed in one to four ways, and the names of these."""
    ways = [*_BYTES]
    if name.endswith((".json", ".jsonl", ".ndjson")):
        ways += [_json] * 8
    if name.endswith((".npz", ".docx", ".xlsx", ".ods", ".odt", ".pptx", ".epub", ".zip")):
        ways += [_member] * 8
    if name.endswith(".npy"):
        ways += [_npy] * 8
    if name.endswith(".toml"):
        ways += [_toml] * 8
    if name.endswith(".safetensors"):
        ways += [_safetensors] * 6
    chosen = [draw.choice(ways) for _ in range(draw.choice([1, 1, 1, 2, 4]))]
    for way in chosen:
        data = way(data, draw)
    return data, " ".join(way.__name__.strip("_") for way in chosen)


def _flip(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 8, 64])):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _byte(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + bytes([draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])]) + data[at + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _behead(data: bytes, draw: random.Random) -> bytes:
    return data[draw.randrange(len(data) + 1) :]


def _drop(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data) + 1)
    return data[:start] + data[start + draw.choice([1, 2, 8, 100, 5000]) :]


def _insert(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(_PIECES) + data[at:]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data) + 1)
    piece = data[start : start + draw.choice([4, 40, 400])]
    return data[:start] + piece * draw.choice([2, 20, 300]) + data[start:]


def _number(data: bytes, draw: random.Random) -> bytes:
    size = draw.choice([1, 2, 4, 8])
    at = draw.randrange(max(1, len(data) - size))
    value = draw.choice(_NUMBERS) & (256**size - 1)
    written: bytes = value.to_bytes(size, "little")
    return data[:at] + draw.choice([written, written[::-1]]) + data[at + size :]


def _swap(data: bytes, draw: random.Random) -> bytes:
    first, second = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    return data[second:] + data[first:second] + data[:first]


def _replace(data: bytes, draw: random.Random) -> bytes:
    return draw.choice(
        [b"", b"\0" * 1000, draw.randbytes(500), b"\n" * 5000, b"PK\x03\x04", b"PAR1PAR1", b"\x1f\x8b\x08\0"]
    )


_BYTES: list[Mutator] = [
    _flip,
    _flip,
    _byte,
    _byte,
    _cut,
    _behead,
    _drop,
    _insert,
    _insert,
    _repeat,
    _number,
    _number,
    _swap,
    _replace,
]


def _json(data: bytes, draw: random.Random) -> bytes:
    """Put another value somewhere into JSON, or take a key away."""
    lines = data.split(b"\n") if b"\n{" in data else [data]
    at = draw.randrange(len(lines))
    try:
        tree = json.loads(lines[at])
    except (ValueError, RecursionError):
        return _byte(data, draw)
    lines[at] = json.dumps(_changed(tree, draw)).encode()
    if draw.random() < 0.05:
        lines[at] = lines[at].replace(b"null", b"[" * 100_000 + b"]" * 100_000, 1)
    return b"\n".join(lines)


def _toml(data: bytes, draw: random.Random) -> bytes:
    """Put another value somewhere into TOML, or take a key away."""
    try:
        return tomli_w.dumps(_changed(tomllib.loads(data.decode()), draw)).encode()
    except (ValueError, TypeError, AttributeError, RecursionError):  # no TOML any more, or a value that it cannot hold
        return _byte(data, draw)


def _changed(tree: Any, draw: random.Random) -> Any:
    """Walk down to a random place and change what is there."""
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree))) if isinstance(tree, list) else []
    if not keys or draw.random() < 0.15:
        return draw.choice(_VALUES)
    key = draw.choice(keys)
    if draw.random() < 0.1:
        del tree[key]
    else:
        tree[key] = _changed(tree[key], draw)
    return tree


def _member(data: bytes, draw: random.Random) -> bytes:
    """Change a member of a zip archive, with a valid checksum of its own."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return _byte(data, draw)
    if not members:
        return data
    name = draw.choice(list(members))
    members[name] = (_npy if name.endswith(".npy") else draw.choice(_BYTES))(members[name], draw)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return out.getvalue()


def _npy(data: bytes, draw: random.Random) -> bytes:
    """Change the header of a NumPy array, or numbers behind it."""
    at = data.find(b"\n") + 1
    head, body = data[:at], data[at:]
    if draw.random() < 0.5 or not 12 <= at < 1 << 16:  # no header that could be written anew
        return head + draw.choice([_number, _flip, _cut])(body, draw) if body else data
    shapes = [b"(10000000000,)", b"(-1,)", b"(0,)", b"()", b"(3, 3)", b"(2,) * 5", b"((((1,)", b"None"]
    kinds = [
        b"'|O'",
        b"'<f8'",
        b"'<c16'",
        b"'<M8[D]'",
        b"'<U2000000000'",
        b"'>i4'",
        b"[('a', '<f8')]",
        b"'nonsense'",
        b"__import__('os')",
    ]
    start, end = head.find(b"(" if draw.random() < 0.5 else b"'descr':"), len(head)
    if head[start : start + 1] == b"(":
        changed = head[:start] + draw.choice(shapes) + head[head.find(b")", start) + 1 :]
    else:
        first = head.find(b"'", start + 8)
        changed = head[:first] + draw.choice(kinds) + head[head.find(b"'", first + 1) + 1 :]
    body_of = changed[10:].rstrip(b" \n")
    return head[:8] + (end - 10).to_bytes(2, "little") + body_of.ljust(end - 11)[: end - 11] + b"\n" + body


def _safetensors(data: bytes, draw: random.Random) -> bytes:
    """Change the header of safetensors, with its length made right."""
    size = int.from_bytes(data[:8], "little")
    try:
        head = json.loads(data[8 : 8 + size])
    except (ValueError, RecursionError):  # what an earlier change may have left
        return _byte(data, draw)
    if draw.random() < 0.3:
        return data[: 8 + size] + draw.choice([_number, _flip])(data[8 + size :], draw)
    changed = json.dumps(_changed(head, draw)).encode()
    return len(changed).to_bytes(8, "little") + changed + data[8 + size :]
