"""Data inside of HTML: whatever it holds, it ends where it should and is never read as markup."""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import Any

_LEVEL = 6
_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def json_bytes(data: Any) -> bytes:
    r"""Return data as JSON; what JSON has no number for becomes null, half a character a question mark."""
    return _json(data).encode("utf-8", "replace")


def json_block(id: str, data: Any) -> str:
    r"""Return data as a block that JavaScript reads with ``JSON.parse``."""
    text = json_bytes(data).decode().translate(_ESCAPED)
    return f'<script type="application/json" id="{id}">{text}</script>\n'


def packed_block(id: str, data: bytes) -> str:
    r"""Return bytes as a block, compressed and in base64."""
    packed = base64.b64encode(gzip.compress(data, _LEVEL, mtime=0)).decode()
    return f'<script type="text/plain" id="{id}">{packed}</script>\n'


def packed_json(id: str, data: Any) -> str:
    """Return data as a block of compressed JSON."""
    return packed_block(id, json_bytes(data))


def _json(data: Any) -> str:
    try:
        return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:  # seldom: only then is all of it looked through
        return json.dumps(_without_nan(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _without_nan(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_nan(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_without_nan(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
