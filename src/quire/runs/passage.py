"""A sentence that says what a topic is about, quoted from its typical documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.text.spelling import AS_THEY_ARE, Spelling

_SHORTEST, _LONGEST, _SOUGHT = 6, 30, 10  # words of a passage; keywords that it should hold
_END = re.compile(r"(?<=[.!?؟۔।])[\"')\]]*\s+|(?<=[。！？．។။])|\n\s*\n")
_MARKS = re.compile(r"^[ \t>|:]+", re.MULTILINE)  # by which mail marks what it quotes
_SENTENCE = re.compile(r"[^\W\d_][^@<>|{}\\^~=_*]*[.!?؟۔।。！？．។။]")  # not a header, an address, a drawing or code


def passage_of(texts: Sequence[str | None], keywords: Sequence[str], spelling: Spelling = AS_THEY_ARE) -> str | None:
    """Return the sentence of 6 to 30 words that holds most of the leading keywords; None where none holds one."""
    worth = {word: 1 / (place + 2) for place, word in enumerate(keywords[:_SOUGHT])}
    best, most = None, 0.0
    for text in texts:
        for sentence, words in _sentences(text or "", spelling):
            run = f" {' '.join(words)} "
            value = sum(worth[word] for word in worth if f" {word} " in run)
            if value > most:
                best, most = sentence, value
    return best


def _sentences(text: str, spelling: Spelling) -> Iterator[tuple[str, list[str]]]:
    """Yield what could be quoted, and its words; a short text as a whole, whatever it looks like."""
    pieces = [" ".join(piece.split()) for piece in _END.split(_MARKS.sub("", text))]
    for piece in pieces:
        words = spelling.words(piece)
        if _SHORTEST <= len(words) <= _LONGEST and (len(pieces) == 1 or _is_sentence(piece)):
            yield piece, words


def _is_sentence(piece: str) -> bool:
    whole = not piece[0].islower() and piece.count("(") == piece.count(")") and piece.count(":") < 2
    return whole and _SENTENCE.fullmatch(piece) is not None
