"""How texts are read before their words are counted: the one mechanism, for all that must know the same words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.kernels.layout import TURKISH
from quire.places.codec import storable
from quire.text.letters import composed, first_look, marks_class, needs_spelling
from quire.text.segmentation import BETWEEN, segmented, segmenters_here

_WORD_OR_SIGN = r"\w+|[^\w\s'’-]"


@storable
@dataclass(frozen=True)
class Spelling:
    """Whether letters are normalized and words found where there are no spaces, and how; by default neither is.

    What can find words is looked up once, where a run begins, and kept with it: workers, and whoever loads the run,
    find the same words or say what is missing.
    """

    normal: bool = False
    turkish: bool = False  # all texts are, so that I is a capital ı even where nothing else shows it
    segmenters: tuple[str, ...] = ()

    @classmethod
    def here(cls, language: object = None) -> Self:
        """Return how texts are read that are not read as scikit-learn does."""
        return cls(True, isinstance(language, str) and language.lower() in ("tr", "turkish"), segmenters_here())

    @classmethod
    def of(cls, state: dict[str, Any] | None) -> Self:
        """Take back what :meth:`state` gave; a run from before there was any reads texts as they are."""
        return cls() if state is None else cls(True, bool(state["turkish"]), tuple(map(str, state["segmenters"])))

    def state(self) -> dict[str, Any] | None:
        """Return it as plain data."""
        return {"turkish": self.turkish, "segmenters": list(self.segmenters)} if self.normal else None

    def plain(self, text: str) -> str:
        """Return a text with its letters normalized and its words apart; capitals stay capitals."""
        if not self.normal or text.isascii():
            return text
        return segmented(composed(text), self.segmenters)

    def lower(self, text: str) -> str:
        """Return a plain text in lower case, character by character."""
        return self._dotted(text).lower() if self.normal else text.lower()

    def for_kernels(self, texts: list[str], units: NDArray[np.uint16]) -> list[str]:
        """Return texts in which compiled code finds the words: the same list where nothing is to be done.

        ``units`` are those of the texts beyond ASCII, in UTF-16. Compiled code knows what İ is, and which I is ı where
        not all are; but texts with a Σ are in lower case before.
        """
        needed, dotted = first_look(units) if self.normal else (False, False)
        if needed:
            texts = [self.plain(text) if not text.isascii() and needs_spelling(text) else text for text in texts]
        if self.turkish:
            texts = [text.replace("I", "ı") if "I" in text else text for text in texts]
        if (needed or dotted) and any("Σ" in text for text in texts):
            texts = [self._dotted(text) if "Σ" in text else text for text in texts]
        return texts

    def words(self, text: str) -> list[str]:
        """Return the words of a text in lower case: of two characters or more."""
        found = _pattern(self.normal).findall(self.lower(self.plain(text)))
        return [word for word in found if len(word) > 1]

    def words_and_signs(self, text: str) -> list[str]:
        """Return the words of a text in lower case, and every sign that keeps two apart."""
        return _pattern(self.normal, signs=True).findall(self.lower(self.plain(text)))

    def _dotted(self, text: str) -> str:
        """Return a text without the capitals İ, and I where it is one of ı."""
        return self._with_dotless(text).replace("İ", "i")

    def _with_dotless(self, text: str) -> str:
        return text.replace("I", "ı") if self.turkish or text.count("ı") * TURKISH > len(text) else text


AS_THEY_ARE = Spelling()
"""Texts are read as scikit-learn reads them."""


@cache
def _pattern(normal: bool, signs: bool = False) -> re.Pattern[str]:
    if not normal:
        return re.compile(_WORD_OR_SIGN if signs else r"\w+")
    word = rf"[\w{marks_class()}]"
    return re.compile(rf"{word}+|[^\w{marks_class()}\s{BETWEEN}'’-]" if signs else f"{word}+")
