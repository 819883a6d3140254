"""Data as the page holds it: few digits, columns of small numbers, and JSON that is never read as markup."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.pages.deflate import Deflated

_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
_KINDS = {"u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4"}
_quoted = json.encoder.encode_basestring
_FEW = 200  # numbers that Python writes sooner than Polars does
Columns = list[dict[str, Any]]


def json_bytes(data: Any) -> bytes:
    r"""Return data as JSON; what JSON has no number for becomes null, half a character a question mark."""
    return _json(data).encode("utf-8", "replace")


def json_block(id: str, data: Any) -> str:
    r"""Return data as a block that JavaScript reads with ``JSON.parse``."""
    text = json_bytes(data).decode().translate(_ESCAPED)
    return f'<script type="application/json" id="{id}">{text}</script>\n'


def packed_block(id: str, data: bytes | Deflated) -> str:
    r"""Return bytes as a block, compressed and in base64."""
    stream = Deflated().then(data) if isinstance(data, bytes) else data
    packed = base64.b64encode(stream.ended()).decode()
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


def json_string(text: str | None) -> str:
    """Return a string as JSON, null for none."""
    return "null" if text is None else _quoted(text)


def json_numbers(values: NDArray[Any]) -> list[str]:
    """Return numbers as JSON, none of which may be NaN or infinite."""
    return pl.Series(values).cast(pl.String).to_list() if len(values) > _FEW else [*map(repr, values.tolist())]


def json_lists(entries: Sequence[str], sizes: NDArray[Any]) -> list[str]:
    """Return lists of so many of some entries, one after the other."""
    ends = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    return [f"[{','.join(entries[start:end])}]" for start, end in pairwise(ends)]


def packed_columns(columns: Iterable[tuple[str, str, Any]], after: int = 0) -> tuple[bytes, Columns]:
    r"""Pack columns of numbers one after the other, each at a multiple of four bytes."""
    pieces, places, offset = [], Columns(), after
    for name, kind, values in columns:
        data = np.asarray(values).astype(_KINDS[kind]).tobytes()
        data += bytes(-len(data) % 4)
        places.append({"name": name, "type": kind, "offset": offset})
        pieces.append(data)
        offset += len(data)
    return b"".join(pieces), places
