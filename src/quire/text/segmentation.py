"""Words of scripts that have no spaces between them: Chinese, Japanese, Thai, Lao, Khmer, Burmese.

With the extra ``cjk`` ICU finds the words by its dictionaries, and jieba those of simplified Chinese, which it knows
better. Without it pairs of characters stand for words.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.messages import listed
from quire.text.letters import SPACELESS, marks_class

BETWEEN = "\u200b"  # what stands between two words: a space that nobody sees
_PAIRED = "\u2063"  # and between two pairs, which are no neighbours: they overlap
_EXTRA = "pip install 'quire-topics[cjk]'"
_MODULES = {"jieba": "rjieba", "icu": "icu"}
_ANY = "".join(SPACELESS.values())
_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff]")
_FIRST = "今日は天気がいい 中国科学 วันนี้อากาศดี ມື້ນີ້ອາກາດດີ ថ្ងៃនេះអាកាសធាតុល្អ ဒီနေ့ရာသီဥတု"
_MOSTLY, _SOME = 0.5, 0.05  # shares of all words: of one script, and of kana among Japanese ones
_local = threading.local()


def segmenters_here() -> tuple[str, ...]:
    """Return what can find words here."""
    return tuple(name for name, module in _MODULES.items() if find_spec(module) is not None)


def segmented(text: str, segmenters: Sequence[str]) -> str:
    """Return a text with something invisible between the words that have no space between them."""
    if _anywhere().search(text) is None:
        return text
    chinese = "jieba" in segmenters and _is_simplified(text)

    def cut(found: re.Match[str]) -> str:
        words, between = _pairs(found[0]), _PAIRED
        if found.lastindex == 1 and chinese:
            words, between = _library("jieba").cut(found[0]), BETWEEN
        elif "icu" in segmenters:
            words, between = _by_icu(found[0]), BETWEEN
        return f"{BETWEEN}{between.join(words)}{BETWEEN}"

    return _runs().sub(cut, text)


def apart(text: str) -> str:
    """Return a text with something invisible between all characters of such scripts: any part of a run is found."""
    if _anywhere().search(text) is None:
        return text
    return _runs().sub(lambda found: f"{BETWEEN}{BETWEEN.join(found[0])}{BETWEEN}", text)


def written_together(words: str) -> str:
    """Return words as such scripts have them, without spaces."""
    return words if words.isascii() else re.sub(f"(?<=[{_ANY}]) (?=[{_ANY}])", "", words)


def about_pairs(terms: Sequence[str], segmenters: Sequence[str]) -> list[str]:
    """Say that pairs of characters were counted, where they were, and what would be better."""
    scripts = [] if "icu" in segmenters else [*SPACELESS]
    if "jieba" in segmenters:
        scripts = [name for name in scripts if name != "Chinese or Japanese" or _holds(terms, lambda: _KANA)]
    found = [name for name in scripts if _holds(terms, partial(re.compile, f"[{SPACELESS[name]}]"))]
    if not found:
        return []
    return [f"{listed(found)} has no spaces between words: pairs of characters were counted; {_EXTRA} finds the words."]


def versions_used(terms: Sequence[str], segmenters: Sequence[str]) -> dict[str, str]:
    """Return the versions of what found words, where there were any to find."""
    if not segmenters or not _holds(terms, _anywhere):
        return {}
    from importlib.metadata import version  # which takes longer than all else here

    return {name: version(_MODULES[name]) if name == "jieba" else _library(name).ICU_VERSION for name in segmenters}


def language_of_script(terms: Sequence[str], totals: NDArray[Any]) -> str | None:
    """Return the language that most words are written in, where its script tells: Chinese, Japanese or Thai."""
    if not _holds(terms, _anywhere):
        return None
    spaceless = [None if term.isascii() else _runs().search(term) for term in terms]
    number = np.array([0 if found is None else found.lastindex for found in spaceless], np.int64)
    times = np.asarray(totals, np.float64)
    most = _MOSTLY * times.sum()
    if times[number == 2].sum() > most:
        return "th"
    kana = np.array([i == 1 and _KANA.search(term) is not None for i, term in zip(number, terms)], bool)
    together = times[number == 1].sum()
    return None if together <= most else "ja" if times[kana].sum() > _SOME * together else "zh"


def _holds(terms: Sequence[str], letters: Callable[[], re.Pattern[str]]) -> bool:
    text = " ".join(terms)
    return not text.isascii() and letters().search(text) is not None


@cache
def _runs() -> re.Pattern[str]:
    return re.compile("|".join(f"([{letters}]+)" for letters in SPACELESS.values()))


@cache
def _anywhere() -> re.Pattern[str]:
    """Return what finds a character of any such script: sooner than a run of each script in turn."""
    return re.compile(f"[{_ANY}]")


def _is_simplified(text: str) -> bool:
    """Say whether a text is Chinese that the usual set of simplified characters covers as well as any other."""
    if _KANA.search(text):
        return False
    return len(text.encode("gb2312", "ignore")) >= len(text.encode("big5", "ignore"))


@cache
def _clusters() -> re.Pattern[str]:
    return re.compile(f".[{marks_class()}]*")


def _pairs(run: str) -> list[str]:
    """Return any two neighbours, each with its marks; of a single one, that one."""
    clusters = _clusters().findall(run)
    return [first + second for first, second in pairwise(clusters)] or [run]


def _by_icu(run: str) -> list[str]:
    """Return the words of a run; ICU's places are those of UTF-16."""
    breaks = _breaks()
    breaks.setText(run)
    ends = list(breaks)
    if max(run) <= "\uffff":
        return [run[start:end] for start, end in zip([0, *ends], ends)]
    units = run.encode("utf-16-le")
    return [units[2 * start : 2 * end].decode("utf-16-le") for start, end in zip([0, *ends], ends)]


def _breaks() -> Any:
    """Return what finds words, one a thread: it holds the text that it is at."""
    if not hasattr(_local, "breaks"):
        icu = _library("icu")
        _local.breaks = icu.BreakIterator.createWordInstance(icu.Locale.getRoot())
        for sample in _FIRST.split():  # some words depend on which dictionaries have been loaded: so all are, first
            _local.breaks.setText(sample)
            list(_local.breaks)
    return _local.breaks


def _library(name: str) -> Any:
    try:
        return __import__(_MODULES[name])
    except ImportError:
        raise ValueError(
            f"The run found words of texts without spaces by {name}, which is not installed here: {_EXTRA}."
        ) from None
