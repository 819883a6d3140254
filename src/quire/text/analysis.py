"""How a document becomes terms: ``CountVectorizer``'s parameters, understood by scikit-learn's own analysers.

Plain words are found by compiled code; whatever else is asked for is cut by Python, and then counted as fast. Kinds
of tokens that are not counted are cut out of a text before words are looked for in either way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from quire.text import languages as words
from quire.text import subwords as subword
from quire.text.spelling import AS_THEY_ARE
from quire.text.token_kinds import WHOLE, Preparation, TokenKinds, with_emoji
from quire.text.tokens import Split, no_text

PATTERN = r"(?u)\b\w\w+\b"
_PLAIN = {  # what a parameter may be for compiled code to find the words
    "lowercase": (True,), "preprocessor": (None,), "tokenizer": (None,), "analyzer": ("word",),
    "token_pattern": (PATTERN, r"\b\w\w+\b"),
}  # fmt: skip
_OWN_ACCENTS = ("ascii", "unicode")  # which leave ASCII as it is
_HOOKS = ("build_preprocessor", "build_tokenizer", "decode", "get_stop_words")  # that scikit-learn's analyser calls
SHARED = (
    "input", "encoding", "decode_error", "strip_accents", "lowercase", "preprocessor", "tokenizer", "token_pattern",
    "ngram_range", "analyzer", "binary", "max_features", "vocabulary",
)  # fmt: skip


@dataclass(eq=False, repr=False, kw_only=True)
class Analysis:
    """The parameters that say what a term is (``Counts`` explains them), and what follows from them."""

    tokens: str | Callable[[str], Iterable[str]] = "word"
    ngrams: tuple[int, int] = (1, 1)
    stop_words: str | list[str] | None = None
    input: str = "content"
    encoding: str = "utf-8"
    decode_error: str = "strict"
    strip_accents: str | Callable[[str], str] | None = None
    lowercase: bool = True
    preprocessor: Callable[[Any], str] | None = None
    tokenizer: Callable[[str], Iterable[str]] | None = None
    token_pattern: str | None = PATTERN
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: str | Callable[[Any], Iterable[str]] = "word"
    max_features: int | None = None
    vocabulary: Mapping[str, int] | list[str] | None = None
    binary: bool = False
    spelling_ = AS_THEY_ARE

    @property
    def plain(self) -> bool:
        """Whether compiled code finds the words."""
        return not self._by_python()

    def _by_python(self) -> list[str]:
        """Return what asks for Python, by the names of parameters and methods."""
        odd = [name for name, plain in _PLAIN.items() if getattr(self, name) not in plain]
        odd += ["strip_accents"] if self.strip_accents else []
        odd += ["tokens"] if callable(self.tokens) or self.tokens in WHOLE[1:] else []
        odd += ["ngrams"] if self._runs != (1, 1) else []
        return odd + [hook for hook in ("build_analyzer", *_HOOKS) if self._is_overridden(hook)]

    def _is_overridden(self, hook: str) -> bool:
        return getattr(type(self), hook) is not getattr(Analysis, hook)

    def report(self) -> str:
        """Say how documents are cut into terms with these parameters: by compiled code, or by Python and why.

        Examples
        --------
        >>> from quire import Counts
        >>> Counts().report()
        'Words are found and counted by compiled code.'
        >>> Counts(lowercase=False).report()
        'Documents are cut into terms by Python (lowercase), which compiled code counts.'
        """
        odd = self._by_python()
        if odd == ["strip_accents"] and self.strip_accents in _OWN_ACCENTS:
            return "Words are found and counted by compiled code, those of documents beyond ASCII by Python."
        if odd:
            return f"Documents are cut into terms by Python ({', '.join(odd)}), which compiled code counts."
        kinds = "" if self._kinds is None else "; Python looks for other kinds of tokens (tokens)"
        return f"Words are found and counted by compiled code{kinds}."

    @property
    def _runs(self) -> tuple[int, int]:
        """The shortest and the longest run of tokens that is a term."""
        low, high = self.ngram_range if tuple(self.ngrams) == (1, 1) else self.ngrams
        return low, high

    @property
    def _runs_of_words(self) -> bool:
        """Whether words are joined into runs, out of which stop words are taken before."""
        return self.finds_words and self._runs != (1, 1)

    @property
    def _by_word(self) -> bool:
        """Whether terms are words, or runs of them, that stop lists and stemmers know."""
        return (callable(self.tokens) and self.analyzer == "word") or self.finds_words

    @property
    def finds_words(self) -> bool:
        """Whether terms are words, or runs of them, as they stand in texts."""
        return not callable(self.tokens) and self.tokens not in WHOLE[1:] and self.analyzer == "word"

    @property
    def _kinds(self) -> TokenKinds | None:
        """Which kinds of tokens are told apart; None where none are."""
        return None if callable(self.tokens) else TokenKinds.of(self.tokens)

    def _check_analysis(self) -> list[str] | None:
        """Refuse what ``CountVectorizer`` refuses, and warn where it warns; return the given vocabulary by column."""
        if not callable(self.tokens) and not isinstance(self.tokens, str):
            raise ValueError(f"tokens={self.tokens!r} is not known: use {', '.join(WHOLE)}, kinds or a function.")
        others = ("analyzer",) if self._kinds is None else ("analyzer", "tokenizer", "token_pattern")
        both = [name for name in others if getattr(self, name) not in _PLAIN[name]]
        if self.tokens != "word" and both:
            raise ValueError(f"Both tokens and {both[0]} say what a token is: give one of them.")
        for name in ("ngrams", "ngram_range"):
            given = getattr(self, name)
            if not _is_pair(given) or (name == "ngrams" and not 1 <= given[0] <= given[1]):
                raise ValueError(f"{name}={given!r} must be two whole numbers, the smaller first, from 1 on.")
        listed = self.stop_words is not None and not isinstance(self.stop_words, str)
        if not listed and all(_same(getattr(self, name), getattr(Analysis, name)) for name in SHARED):
            return None  # so scikit-learn's module need not be imported, which takes a tenth of a second
        theirs = self._theirs(ngram_range=self.ngram_range, stop_words=self._listed_stops(), analyzer=self.analyzer)
        if self.vocabulary is None:
            theirs.vocabulary = ["term"]  # no document has to be read then
        try:
            columns = theirs.fit([]).vocabulary_
        except ValueError as error:
            raise ValueError(str(error).replace(type(theirs).__name__, "Counts")) from None
        return None if self.vocabulary is None else sorted(columns, key=columns.__getitem__)

    def _listed_stops(self) -> Any:
        if self.stop_words is None or isinstance(self.stop_words, str):
            return "english" if self.stop_words == "english" else None
        return list(self.stop_words)

    def _theirs(self, **changes: Any) -> Any:
        """Return scikit-learn's vectoriser with these parameters; methods that a subclass overrides are its too."""
        from sklearn.feature_extraction.text import CountVectorizer  # not for words, which most runs count

        parameters = {name: getattr(self, name) for name in SHARED} | {"ngram_range": self._runs, "vocabulary": None}
        if self.tokens in ("char", "char_wb"):
            parameters["analyzer"] = self.tokens
        if "analyzer" in changes:
            parameters["vocabulary"] = self.vocabulary
        theirs = CountVectorizer(**(parameters | changes))
        for hook in filter(self._is_overridden, _HOOKS):
            setattr(theirs, hook, getattr(self, hook))
        return theirs

    def _split(self, stops: frozenset[str] | None) -> Split | None:
        """Return what cuts a document, once decoded, into terms, or only cuts away; None for plain words."""
        odd = self._by_python()
        if not odd:
            return self._prepare()
        if callable(self.tokens):
            return partial(_listed, self.tokens)
        if self.tokens == "subword":
            return subword.splitter(getattr(self, "subword_model_", None) or b"")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # on stop words, of which the check has warned
            if self._is_overridden("build_analyzer"):
                return partial(_listed, self.build_analyzer())
            left_out = list(stops) if stops and self._runs_of_words else None
            analyse = partial(_listed, self._analyser(odd, stop_words=left_out, input="content"))
        if odd == ["strip_accents"] and self.strip_accents in _OWN_ACCENTS:
            prepare = self._prepare() or str
            return lambda text: prepare(text) if isinstance(text, str) and text.isascii() else analyse(text)
        if self.tokens in ("char", "char_wb"):
            return lambda text: analyse(text.replace("\n", " "))
        return analyse

    def _prepare(self) -> Split | None:
        """Return what cuts away tokens of kinds that are not counted, and finds emoji; None for words alone."""
        kinds = self._kinds
        return None if kinds is None else Preparation(kinds, self.spelling_)

    def _analyser(self, odd: list[str], **changes: Any) -> Any:
        """Return scikit-learn's analyser; of words that are not odd, it joins those that compiled code would find."""
        if self.finds_words and not set(odd) - {"ngrams"}:
            changes |= {"tokenizer": self.spelling_.words, "token_pattern": None, "lowercase": False}
        theirs, kinds = self._theirs(**changes), self._kinds
        if kinds is not None and self.finds_words:
            prepare, find = theirs.build_preprocessor(), theirs.build_tokenizer()
            cut = partial(kinds.cut, numbers=self._runs_of_words, but=self._kept_words())
            theirs.build_preprocessor = lambda: (
                lambda document: prepare(cut(document)) if isinstance(document, str) else cut(prepare(document))
            )
            if kinds.finds_emoji:
                theirs.build_tokenizer = lambda: partial(with_emoji, find=find)
        return theirs.build_analyzer()

    def _decoded(self, document: Any, number: int) -> Any:
        """Return a document that is no str as one, where bytes are given, or as a function of the user's takes it."""
        if isinstance(document, bytes):
            return document.decode(self.encoding, self.decode_error)
        if document is np.nan:
            raise ValueError("np.nan is an invalid document, expected byte or unicode string.")
        theirs = callable(self.analyzer) or self.preprocessor is not None
        theirs |= self.tokenizer is not None and not (self.lowercase or self.strip_accents)  # which gets it as it is
        overridden = self._is_overridden("build_analyzer") or self._is_overridden("build_preprocessor")
        return document if theirs or overridden else no_text(document, number)

    def _contents(self, raw_documents: Iterable[Any]) -> Iterable[Any]:
        """Return documents, read where they are files or their names."""
        if isinstance(raw_documents, str):
            raise ValueError(
                "Iterable over raw text documents expected, string object received: put the text into a list."
            )
        if isinstance(raw_documents, Mapping) or hasattr(raw_documents, "columns"):  # its keys would be counted
            kind = type(raw_documents).__name__
            raise ValueError(f"Documents cannot be told from the names in a {kind}: pass one column, or the values.")
        many = hasattr(raw_documents, "__iter__") or hasattr(raw_documents, "__getitem__")
        if not many or sp.issparse(raw_documents) or getattr(raw_documents, "shape", None) == ():
            kind = type(raw_documents).__name__
            raise TypeError(f"Documents cannot be taken from {kind}: pass a list of texts, or anything to go through.")
        if self._is_overridden("build_analyzer"):  # which decodes
            return raw_documents
        return raw_documents if self.input == "content" else map(self.decode, raw_documents)

    # -- as CountVectorizer has them ---------------------------------------------------------------------

    def build_analyzer(self) -> Any:
        """Return a function from a document to its terms, without what is learnt from all documents."""
        if callable(self.tokens) or self.tokens == "subword":
            return self._split(None)
        stops = self.get_stop_words()
        left_out = None if stops is None or not self._by_word else list(stops)
        return self._analyser(self._by_python(), stop_words=left_out)

    def build_preprocessor(self) -> Any:
        """Return a function that prepares a text before it is cut: lower case, accents."""
        return self._theirs().build_preprocessor()

    def build_tokenizer(self) -> Any:
        """Return a function from a prepared text to its tokens."""
        return self.tokens if callable(self.tokens) else self._theirs().build_tokenizer()

    def decode(self, doc: Any) -> Any:
        """Return the text of a document: of ``doc`` itself, bytes, a file or its name, as ``input`` says."""
        return self._theirs().decode(doc)

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the words to be left out; None for none, and where their language is yet to be found."""
        return self._lexicon().stops

    def _lexicon(self) -> words.Lexicon:
        raise NotImplementedError

    def _kept_words(self) -> frozenset[str]:
        raise NotImplementedError


def _listed(cut: Callable[[Any], Iterable[str]], document: Any) -> list[str]:
    """Return what a function makes of a document as a list: where it gives a str, its characters are terms."""
    return list(cut(document))


def _same(value: Any, default: Any) -> bool:
    """Compare a parameter with its default; an array or a table is none."""
    return value is default or (isinstance(value, str | bool | tuple) and bool(value == default))


def _is_pair(given: Any) -> bool:
    """Say whether something may be the shortest and the longest run of tokens."""
    return isinstance(given, list | tuple) and len(given) == 2 and all(isinstance(one, Integral) for one in given)
