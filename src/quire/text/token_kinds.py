r"""Kinds of tokens beside words: hashtags, mentions, addresses, numbers, emoji; which are counted, and where they are.

A kind that is counted is read as any text: ``#NLP`` is the word nlp, and an address is the words in it. One that is
not is cut out of the text before words are looked for; bare numbers, which are words to every tokenizer, are left out
of the vocabulary instead. Emoji are no words: a text that holds some is cut into tokens here.

To look for signs that a text may hold any of this takes next to nothing; only a text that has them is looked at with
care. Every expression takes time in proportion to the text: it begins with a sign that is no part of what it may run
over, or looks back at no more than ``_LONGEST`` characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.corpus.formats.quotes import without_quotes
from quire.messages import meant
from quire.text.letters import in_word, units_hold
from quire.text.spelling import AS_THEY_ARE, Spelling

KINDS = ("words", "hashtags", "mentions", "urls", "emails", "numbers", "emoji")
QUOTES = "quotes"  # what mail quotes and signs with: part of the text unless it is taken away, whatever kinds are named
WHOLE = ("word", "char", "char_wb", "subword")  # what `tokens` says where nothing is told apart
AUTO = frozenset({"words", "hashtags", "mentions", "emails"})  # and emoji in short documents
SHORT = 50  # words of a document, on average, below which emoji say something of its subject
BREAK = " | "  # stands for what was cut out, so that the words around it are no neighbours
_LONGEST = 64  # characters before the @ of an address, by its standard

_REST = r"[^\s<>\"\u2010-\u2fff\u3000-\uffef]+"  # of an address: up to a space, a quotation mark, another script
_SCHEME, _WEB, _WWW = (
    re.compile(rf"[a-z]{{2,{_LONGEST}}}", re.I),
    re.compile(f"://{_REST}"),
    re.compile(rf"www\.{_REST}"),
)
_BEFORE = re.compile(rf"[\w+-][\w.+%-]{{0,{_LONGEST - 1}}}")  # the @ of an address, backwards
_AFTER = re.compile(r"@[\w-]+(?:\.[\w-]+)*")
_NAME = re.compile(r"@\w+(?:@[\w.-]+)?")  # of an account, there or elsewhere
_HASHTAG = re.compile(r"#(?<![\w&#]#)\w*[^\W\d_]\w*")  # with a letter: #1 is a rank, and &#39; an apostrophe
_NUMBER = re.compile(r"(?<!\w)\d+(?!\w)")

# Shown as pictures by themselves, or where U+FE0F says so (UTS #51); joined by U+200D; flags are two letters.
_PICTURE = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2639\u263a\u2648-\u2653\u2665\u267f\u2693\u26a1"
    "\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728"
    "\u274c\u274e\u2753-\u2755\u2757\u2764\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf"
    "\U0001f18e\U0001f191-\U0001f19a\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f7e0-\U0001f7eb\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
)
_LOOKS = "[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"  # how a picture is drawn, colours of skin among them
_JOINED = f"\u200d[{_PICTURE}\u203c-\u3299]{_LOOKS}{{0,9}}"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_EMOJI = f"{_FLAG}|(?:[{_PICTURE}]|[\u203c-\u3299]\ufe0f){_LOOKS}{{0,9}}(?:{_JOINED}){{0,9}}"
_HAS_EMOJI, _LOOK = re.compile(_EMOJI), re.compile(_LOOKS)
_MAY_BE_EMOJI = re.compile("[\u231a-\u2bff\ufe0f\U0001f000-\U0001faff]")  # found many times faster
_UNITS_OF_EMOJI = ((0x231A, 0x2C00), (0xFE0F, 0xFE10), (0xD800, 0xDC00))  # in UTF-16, and those of other pairs


@dataclass(frozen=True)
class TokenKinds:
    """Which kinds of tokens are counted."""

    counted: frozenset[str]
    emoji_if_short: bool = False  # emoji are found, and the vocabulary decides
    quotes: bool = True

    @classmethod
    def of(cls, tokens: str) -> TokenKinds | None:
        """Read ``words,hashtags``, or ``auto,-mentions``; None for ``word`` and all that tells nothing apart."""
        if tokens in WHOLE:
            return None
        names = [name.strip() for name in tokens.split(",")]
        plain, counted = [name for name in names if name[:1] not in ("+", "-")], set[str]()
        for name in plain or ["auto"]:
            counted |= AUTO if name == "auto" else {_known(name, tokens)}
        if_short = not plain or "auto" in plain
        signed = {(name[:1], name[1:].strip()) for name in names}
        names = [name for name in names if name[1:].strip() != QUOTES]
        for name in names:
            if name[:1] in ("+", "-"):
                kind = _known(name[1:].strip(), tokens)
                (counted.add if name[0] == "+" else counted.discard)(kind)
                if_short &= kind != "emoji"
        if not counted:
            raise ValueError(f"tokens={tokens!r} leaves nothing to count: name a kind, as in words,hashtags.")
        return cls(frozenset(counted), if_short and "emoji" not in counted, ("-", QUOTES) not in signed)

    @property
    def finds_emoji(self) -> bool:
        """Whether emoji are tokens, at least until it is known how long documents are."""
        return self.emoji_if_short or "emoji" in self.counted

    @cached_property
    def _cut_out(self) -> frozenset[str]:
        return frozenset({*_SIGNS, "numbers"}) - self.counted

    @cached_property
    def _signs(self) -> tuple[str, ...]:
        """What a text must hold to be looked at with care."""
        return tuple(sorted({sign for kind in self._cut_out for sign in _SIGNS.get(kind, ())}))

    def cut(self, text: str, numbers: bool = False, but: Container[str] = ()) -> str:
        """Return a text without what is not counted (bare numbers only where told): a break for each piece of it.

        ``but`` are numbers that are counted all the same.
        """
        text = text if self.quotes else without_quotes(text)
        if "words" not in self.counted:
            spans = [span for span in _spans(text, frozenset(KINDS)) if span[2] in self.counted]
            return BREAK.join(text[start:end] for start, end, _ in spans)
        if not numbers and not any(sign in text for sign in self._signs):
            return text
        pieces, at = [], 0
        for start, end, kind in _spans(text, (self._cut_out if numbers else self._cut_out - {"numbers"}) | {"urls"}):
            if kind not in self.counted and not (kind == "numbers" and text[start:end] in but):
                pieces.append(text[at:start])
                at = end
        return BREAK.join([*pieces, text[at:]]) if pieces else text

    def leaves_out(self, terms: list[str], mean_length: float) -> dict[str, NDArray[np.bool_]]:
        """Mark the terms that are bare numbers, or hold emoji, where these are not counted."""
        marked: dict[str, NDArray[np.bool_]] = {}
        if "numbers" not in self.counted:
            marked["numbers"] = np.fromiter(map(str.isdigit, terms), bool, len(terms))
        if self.emoji_if_short and mean_length > SHORT:
            marked["emoji"] = ~np.fromiter(map(str.isalnum, terms), bool, len(terms))
            for at in np.flatnonzero(marked["emoji"]).tolist():
                marked["emoji"][at] = not _of_words(terms[at])
        return marked


@dataclass(frozen=True)
class Preparation:
    """What is done to texts before words are looked for in them."""

    kinds: TokenKinds
    spelling: Spelling = AS_THEY_ARE

    def __call__(self, text: str) -> str | list[str]:
        """Return a text with what is not counted cut out; one that holds emoji as its tokens, if these are counted."""
        text = self.kinds.cut(text)
        if self.kinds.finds_emoji and not text.isascii() and _MAY_BE_EMOJI.search(text):
            return with_emoji(text, self.spelling.words)
        return text

    def many(self, texts: list[str], units: NDArray[np.uint16]) -> list[Any]:
        """Return the same of each text: the same list where none holds any sign of it, which one look at all tells.

        ``units`` are those of the texts beyond ASCII, in UTF-16.
        """
        if self.kinds.finds_emoji and any(units_hold(units, _UNITS_OF_EMOJI)):
            return [self(text) for text in texts]
        if not self.kinds.quotes:
            return [self.kinds.cut(text) for text in texts]
        together = "".join(texts)
        here = (sign in together for sign in self.kinds._signs if _RARE.get(sign, sign) in together)
        return [self.kinds.cut(text) for text in texts] if "words" not in self.kinds.counted or any(here) else texts


_SIGNS = {"hashtags": ("#",), "mentions": ("@",), "emails": ("@",), "urls": ("://", "www.")}
_RARE = {"://": "/", "www.": "w"}  # one character is found far sooner


def with_emoji(text: str, find: Callable[[str], list[str]]) -> list[str]:
    """Return the words of a text, which ``find`` finds, and its emoji, of whatever colour these are."""
    tokens, at = list[str](), 0
    for one in _HAS_EMOJI.finditer(text):
        tokens += [*find(text[at : one.start()]), _LOOK.sub("", one.group())]
        at = one.end()
    return [*tokens, *find(text[at:])]


def _of_words(term: str) -> bool:
    """Say whether a term holds no emoji: the vowels of Thai and Hindi are marks, and no letters."""
    return term.isascii() or all(in_word(c) or c == " " for c in term)


def _known(name: str, tokens: str) -> str:
    if name not in KINDS:
        hint = meant(name, [*KINDS, *WHOLE, "auto", f"-{QUOTES}"])
        raise ValueError(
            f"tokens={tokens!r}: {name!r} is not known{hint}; use word, char, char_wb, subword or a function, "
            f"or some of {', '.join(KINDS)} with commas between them, or auto; -{QUOTES} takes quotations away."
        )
    return name


def _spans(text: str, wanted: frozenset[str] | set[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where pieces of some kinds begin and end, in order; of two that overlap, the first, or the longer."""
    found: list[tuple[int, int, str]] = []
    if "urls" in wanted:
        found += ((start, end, "urls") for start, end, _ in _around("://", text, _SCHEME, _WEB))
        found += ((*one.span(), "urls") for one in _WWW.finditer(text))
    if wanted & {"emails", "mentions"}:
        sides = _around("@", text, _BEFORE, _AFTER, _NAME)
        found += (
            span for start, end, name in sides if (span := (start, end, "emails" if name else "mentions"))[2] in wanted
        )
    for kind, pattern in (("hashtags", _HASHTAG), ("numbers", _NUMBER), ("emoji", _HAS_EMOJI)):
        if kind in wanted:
            found += [(*one.span(), kind) for one in pattern.finditer(text)]
    last = 0
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if start >= last:
            yield start, end, kind
            last = end


def _around(
    sign: str, text: str, before: re.Pattern[str], after: re.Pattern[str], alone: re.Pattern[str] | None = None
) -> Iterator[tuple[int, int, bool]]:
    """Yield where a sign stands with what belongs to it, and whether something stands before it, or else ``alone``.

    Goes from one sign to the next: an expression that begins with any letter would try every word.
    """
    end, at = 0, text.find(sign)
    while at >= 0:
        name = before.match(text[max(end, at - _LONGEST) : at][::-1])
        rest = after if name else alone
        found = rest.match(text, at) if rest else None
        if found is not None:
            end = found.end()
            yield at - (name.end() if name else 0), end, name is not None
        at = text.find(sign, max(end, at + 1))
