"""Languages: stop words, stemmers, and which language a vocabulary is in.

Lists come from stopwords-iso (58 languages), stems from Snowball. English uses scikit-learn's list and the
pieces that contractions leave (``don``, ``ve``): the long list of stopwords-iso holds words such as
``computer`` that topics are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.messages import meant
from quire.places.codec import storable
from quire.text.segmentation import language_of_script

# Two letters (ISO 639-1) → the name that people and Snowball use.
NAMES = {
    "af": "afrikaans", "ar": "arabic", "bg": "bulgarian", "bn": "bengali", "br": "breton", "ca": "catalan",
    "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english", "eo": "esperanto",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french",
    "ga": "irish", "gl": "galician", "gu": "gujarati", "ha": "hausa", "he": "hebrew", "hi": "hindi",
    "hr": "croatian", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "ja": "japanese", "ko": "korean", "ku": "kurdish", "la": "latin", "lt": "lithuanian", "lv": "latvian",
    "mr": "marathi", "ms": "malay", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sk": "slovak", "sl": "slovenian", "so": "somali",
    "sr": "serbian", "st": "sesotho", "sv": "swedish", "sw": "swahili", "ta": "tamil", "th": "thai",
    "tl": "tagalog", "tr": "turkish", "uk": "ukrainian", "ur": "urdu", "vi": "vietnamese", "yi": "yiddish",
    "yo": "yoruba", "zh": "chinese", "zu": "zulu",
}  # fmt: skip
_CONTRACTIONS = (
    "ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won wouldn ll ve re"
)
EACH = "each"  # stands for the stop words of the language that each document is in
_LEAST_COVER = 0.2  # share of all words that are stop words, below which no language is recognised


def language_codes(languages: str) -> list[str]:
    """Return the two letters of one or several languages, as in ``en,german``."""
    return list(dict.fromkeys(language_code(one) for one in languages.split(",")))


def language_code(language: str) -> str:
    """Return the two letters of a language given by them or by its English name."""
    wanted = language.strip().lower()
    if wanted in NAMES:
        return wanted
    for code, name in NAMES.items():
        if wanted == name:
            return code
    raise ValueError(
        f"Language {language!r} is not known{meant(wanted, [*NAMES.values(), *NAMES])}: use a code such as "
        "'en', a name such as 'german', or 'none'."
    )


@cache
def stop_list(language: str) -> frozenset[str]:
    """Return the stop words of a language."""
    import stopwordsiso

    code = language_code(language)
    if code == "en":
        return _scikit_learn_list().union(_CONTRACTIONS.split())
    if not stopwordsiso.has_lang(code):
        raise ValueError(f"There is no stop list for {NAMES[code]}: give stop_words as a list of words instead.")
    return frozenset(word.lower() for word in stopwordsiso.stopwords(code))


def _scikit_learn_list() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def stemmer(language: str) -> Callable[[Sequence[str]], list[str]]:
    """Return what stems words of a language (Snowball)."""
    import Stemmer

    name = NAMES[language_code(language)]
    if name not in Stemmer.algorithms():
        known = ", ".join(a for a in Stemmer.algorithms() if a in NAMES.values())
        raise ValueError(f"There is no Snowball stemmer for {name}: leave stemming out, or use one of {known}.")
    return Stemmer.Stemmer(name).stemWords  # type: ignore[no-any-return]


def guess_language(terms: Sequence[str], totals: NDArray[Any]) -> str | None:
    """Return the language whose stop words make up most of all words; None where that is under a fifth."""
    import stopwordsiso

    frequent = np.argsort(-np.asarray(totals), kind="stable")[:2000]  # stop words are frequent by their nature
    times = {terms[j]: float(totals[j]) for j in frequent}
    words, cover = frozenset(times), {}
    for code in sorted(stopwordsiso.langs()):
        cover[code] = sum(times[word] for word in words & stopwordsiso.stopwords(code))
    best = max(cover, key=cover.__getitem__, default=None)
    return best if best and cover[best] >= _LEAST_COVER * sum(times.values()) > 0 else None


@storable
@dataclass(frozen=True)
class Lexicon:
    """What is known of the words of a corpus: their language, those to leave out, and whether to stem."""

    language: str | None = None
    stops: frozenset[str] | None = None
    stemmed: bool = False

    def stays(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        """Mark the terms that are no stop words."""
        if self.stops is None:
            return np.ones(len(terms), bool)
        return np.array([term not in self.stops for term in terms], bool)

    def spelled(self, spell: Callable[[str], str]) -> Lexicon:
        """Return it with its stop words written as terms are."""
        return self if self.stops is None else replace(self, stops=frozenset(map(spell, self.stops)))

    def stems(self, terms: list[str]) -> list[str]:
        """Return the stem of each term; of a run of words, that of each word."""
        if not self.stemmed or self.language is None:
            return terms
        stem = stemmer(self.language)
        if not any(" " in term for term in terms):
            return stem(terms)
        return [" ".join(stem(term.split(" "))) for term in terms]


def lexicon_of(
    terms: Sequence[str],
    totals: NDArray[Any],
    stop_words: str | Iterable[str] | None,
    stem: str | None,
    more: frozenset[str] = frozenset(),
    keep: frozenset[str] = frozenset(),
) -> Lexicon:
    """Find the stop words and the language of a vocabulary, guessing where they are ``"auto"``.

    ``more`` are stop words beside those, ``keep`` words that are none in any case.
    """
    language = None
    stop_words = "auto" if stop_words == EACH else stop_words  # one language, where documents are not told apart
    if "auto" in (stop_words, stem):
        language = language_of_script(terms, totals) or guess_language(terms, totals)
    named = stem if stem not in (None, "auto") else stop_words
    if isinstance(named, str) and named != "auto":
        language = ",".join(language_codes(named))
    if stop_words is None or (stop_words == "auto" and language is None):
        stops = None
    elif stop_words == "english":
        stops = _scikit_learn_list()
    elif isinstance(stop_words, str):
        listed = language_codes(str(language) if stop_words == "auto" else stop_words)
        stops = frozenset[str]().union(*map(stop_list, listed))
    else:
        stops = frozenset(stop_words)
    if more or (stops and keep):
        stops = (stops or frozenset()) - keep | more - keep
    return Lexicon(language, stops, stem is not None)
