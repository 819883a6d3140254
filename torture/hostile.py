"""Documents that would run, break out, mislead or exhaust, made of pieces."""

from __future__ import annotations

import random
from typing import Any

from torture.seeds import CHOICE

_SCRIPTS = (
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=2</script>",
    "<img src=x onerror=window.hacked=3>",
    "<svg/onload=window.hacked=4>",
    '"><svg onload="window.hacked=5">',
    "javascript:window.hacked=6",
    "<iframe srcdoc='<script>parent.hacked=7</script>'>",
    "<math><mtext></p><style><img src=x onerror=window.hacked=8>",
    "{{constructor.constructor('window.hacked=9')()}}",
    "${window.hacked=10}",
    "<!--<script>window.hacked=11</script>-->",
    "]]><script>window.hacked=12</script>",
    "<a href=javascript:window.hacked=13>x</a>",
    "<body onload=window.hacked=14>",
    "<details open ontoggle=window.hacked=15>",
    "&lt;script&gt;window.hacked=16&lt;/script&gt;",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<form action=//evil.example><input autofocus onfocus=window.hacked=17>",
    "<style>@import '//evil.example'</style>",
    "<plaintext>",
    "</textarea><script>window.hacked=18</script>",
    "</title><script>window.hacked=19</script>",
    "<noscript><p title='</noscript><img src=x onerror=window.hacked=20>'>",
)
_ODD = (
    "\0",
    "\x07",
    "\x1b[31m",
    "\x9b2J",
    "\u202egnp.exe",
    "\u2066\u2069",
    "\ufffe",
    "\uffff",
    "\U0010ffff",
    "\ufeff",
    "\u2028",
    "\u2029",
    "\x02moon\x03",
    "e" + "\u0301" * 200,
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞",
    "👩‍👩‍👧‍👦" * 20,
    "x" * 100_000,
    "﷽" * 50,
    "W" * 300,
    "\t" * 50,
    "\r\n" * 30,
    "ﬁ ſ İ ı ß",
    "中文" * 40,
    "__proto__",
    "constructor",
    "toString",
    "NaN",
    "null",
    "undefined",
    "-0",
    "1e999",
    "../../../etc/passwd",
    "%00",
    "%E0%A4%A",
    "#/topic/0",
    "?q=1&x=2",
    "=1+1",
    "+cmd|' /C calc'!A0",
    "a" * 40 + "!" * 40,
    "\\u003cscript\\u003e",
    "\\",
    "'",
    '"',
    "`",
    "&amp;&#x3c;",
    "<!DOCTYPE html>",
    "<?xml version='1.0'?>",
)
_THEMES = (
    "moon orbit rocket launch shuttle nasa",
    "goal team match player season coach",
    "recipe butter flour oven sauce pepper",
)


_COLUMN = "<img src=x onerror=alert(1)>"  # of no role: topics are compared by its values


def documents(draw: random.Random, n: int) -> list[dict[str, Any]]:
    """Return documents whose every field is hostile, about three themes so that there are topics."""
    rows = []
    for number in range(n):
        theme = _THEMES[number % len(_THEMES)].split()
        words = draw.choices(theme, k=12)
        for _ in range(draw.choice([1, 2, 4])):
            words.insert(draw.randrange(len(words) + 1), _piece(draw))
        text = draw.choice([" ", " ", "\n", ""]).join(words) + " " + " ".join(theme)
        label = draw.choice([theme[0], theme[0] + _SCRIPTS[0], _ODD[draw.randrange(16)] + "label", "</script>"])
        rows.append(
            {
                "id": f"{number}{_piece(draw)[:80]}",
                "title": _piece(draw) + draw.choice(["", _piece(draw)]),
                "text": text,
                "label": label,
                "date": f"20{10 + number % 12}-0{1 + number % 9}-11",
                _COLUMN: _SCRIPTS[number % 3],
            }
        )
    return rows


def _piece(draw: random.Random) -> str:
    return draw.choice(_SCRIPTS if draw.random() < 0.6 else _ODD)


def names(draw: random.Random, n: int) -> list[str]:
    """Return different names that topics may be given: what a line can hold."""
    return draw.sample([*_SCRIPTS, "__proto__", "constructor", "﷽" * 50, "W" * 200, "%E0%A4%A", "=1+1"], n)


def choice(draw: random.Random) -> dict[str, Any]:
    """Return what somebody may pass for the answer to how many topics there are."""
    said = {"by": _piece(draw)[:300], "verdict": [_piece(draw)[:300] for _ in range(4)]}
    return CHOICE | said | {"says": {"elbow": 3, _SCRIPTS[0]: 2}}


def words(draw: random.Random) -> list[str]:
    """Return what somebody may put into an address in place of a word or a search."""
    return [draw.choice(_SCRIPTS)[:300], draw.choice(_ODD)[:300]]
