"""How words are written in texts, which are counted in lower case: NASA, not nasa; and which are bits of addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from quire.text.letters import in_word
from quire.text.segmentation import BETWEEN, written_together
from quire.text.spelling import AS_THEY_ARE, Spelling

_MOSTLY = 0.65  # the share of its occurrences inside sentences from which a word has another form than lower case
_BIT = 0.8  # the share of its occurrences from which a word is only a bit of addresses
_LONGEST = 3000  # characters of a text that are looked at
_BEGINS = frozenset(".!?:;>\"'“‘(|*-")  # what stands before a sentence, a title or a quotation


def written_forms(
    texts: Sequence[str], words: Sequence[str], spelling: Spelling = AS_THEY_ARE
) -> dict[str, str | None]:
    """Return how each word or phrase is most often written; None for a bit of addresses (edu, uucp) or markup (lt).

    Lower case, unless most occurrences that do not begin a sentence are written otherwise.
    """
    read = (spelling.plain(text[:_LONGEST]).replace(BETWEEN, " ") for text in texts)
    plain = " ".join(" ".join(text.replace("\n\n", " | ").split()) for text in read)
    lower = spelling.lower(plain)
    if len(lower) != len(plain):  # of some letters lower case is longer
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in plain)
    forms = {word: _form(word, list(_occurrences(word, plain, lower))) for word in words}
    return {word: form and written_together(form) for word, form in forms.items()}


def _form(word: str, occurrences: list[tuple[str, bool, bool]]) -> str | None:
    if sum(address for _, _, address in occurrences) > _BIT * len(occurrences):
        return None
    inner = Counter(form for form, begins, address in occurrences if not begins and not address)
    others = inner.total() - inner[word]
    if others <= _MOSTLY * inner.total():
        return word
    return max((form for form in inner if form != word), key=lambda form: inner[form])


def _occurrences(word: str, plain: str, lower: str) -> Iterator[tuple[str, bool, bool]]:
    """Yield every occurrence as it is written, whether it begins a sentence, and whether it is a bit of something."""
    start, size = lower.find(word), len(word)
    while start >= 0:
        end = start + size
        before, after = lower[start - 1 : start], lower[end : end + 1]
        if not (in_word(before) or in_word(after)):
            begins = not before or (before == " " and lower[start - 2] in _BEGINS) or before in _BEGINS
            inside = before in ("@", ".", "!") and start > 1 and not lower[start - 2].isspace()
            outside = after == "@" or (after in (".", "!") and lower[end + 1 : end + 2].isalnum())
            markup = before == "&" and after == ";"  # &lt; and its like, where texts came from a page
            yield plain[start:end], begins, inside or outside or markup
        start = lower.find(word, end)
