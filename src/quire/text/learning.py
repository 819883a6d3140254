"""What counting learns from all documents: the language, the words to leave out, the terms that stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import compress
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from quire.places.machine import allowed_threads
from quire.text import languages as words
from quire.text import subwords as subword
from quire.text.analysis import Analysis
from quire.text.letters import composed
from quire.text.spelling import Spelling
from quire.text.tokens import count_texts
from quire.text.trimming import FEWEST, Tally, Trimming


@dataclass(eq=False, repr=False, kw_only=True)
class Learning(Analysis):
    """The parameters that say which terms stay (``Counts`` explains them), and how that is decided."""

    stem: str | None = None
    extra_stop_words: list[str] | None = None
    keep_words: list[str] | None = None
    min_count: int = 1
    min_df: float | str = 1
    max_df: float = 1.0
    cut_common: bool = False
    keep_share: float = 1.0
    normalize: bool = False
    subword_model: str | Path | None = None
    subword_size: int = 8000
    n_jobs: int | None = None

    def begin(self) -> None:
        """Check the parameters and forget what was learnt."""
        given = self._check_parameters()
        self.lexicon_ = words.Lexicon()
        read = self.normalize and self.tokens == self.analyzer == "word"  # other tokens have their own ways
        self.spelling_ = Spelling.here(self.stem or self.stop_words) if read else Spelling()
        self.subword_model_: bytes | None = None
        if not self._guesses:
            self.lexicon_ = self._lexicon()
        if given is not None:
            self.terms_ = self.shown_ = given

    def _check_parameters(self) -> list[str] | None:
        """Refuse parameters that make no sense; return the given vocabulary, by column."""
        if isinstance(self.min_df, str) and self.min_df not in FEWEST:
            raise ValueError(
                f"min_df={self.min_df!r} must be a number of documents, a share of them, 'auto' or 'shared'."
            )
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if not isinstance(value, str) and not _is_number_of_documents(value):
                raise ValueError(f"{name}={value!r} must be a whole number of documents, or a share from 0.0 to 1.0.")
        if not 0 < self.keep_share <= 1:
            raise ValueError(f"keep_share={self.keep_share!r} must be a share above 0, and 1 at the most.")
        if self.min_count < 1 or self.subword_size < 1:
            raise ValueError("min_count and subword_size must be whole numbers of at least 1.")
        return self._check_analysis()

    def settle(self, terms: list[str], tally: Tally, joined: Callable[[NDArray[Any], int], Tally]) -> NDArray[np.bool_]:
        """Decide which terms stay, from how often each occurs.

        Parameters
        ----------
        terms : list of str
            All that were found, sorted.
        tally : Tally
            How often.
        joined : callable
            Joins columns: given each column's new number (−1 for none) and how many there are, it returns
            the new tally. Called where words are stemmed, or the vocabulary is given.

        Returns
        -------
        array of bool
            Which columns stay, out of those that ``joined`` made, where it was called.
        """
        if not terms and self.vocabulary is None:
            raise ValueError(
                "No term was found (an empty vocabulary): the documents hold no word of two letters or more; if they "
                "are not written in words, try tokens='char'."
            )
        if self._guesses and self._by_word and not self._runs_of_words:
            self.learn_words(terms, tally)
        if self.vocabulary is not None:
            joined(self._columns(terms), len(self.terms_))
            self.cut_ = {}
            return np.ones(len(self.terms_), bool)
        shown, stays, cut = terms, self._stays(terms), dict[str, int]()
        cut["stop_words"] = int((~stays).sum())
        if self.lexicon_.stemmed:
            columns, terms, shown = self._joined(terms, stays, tally.totals())
            tally, cut["stem"] = joined(columns, len(terms)), int(stays.sum()) - len(terms)
            stays = np.ones(len(terms), bool)
        kept = self._trimming.kept(tally, stays, cut, self._safe(terms))
        if not kept.any():
            raise _nothing_left(cut)
        if not kept.all():
            terms = list(compress(terms, kept))
            shown = list(compress(shown, kept)) if self.lexicon_.stemmed else terms
        self.terms_, self.shown_, self.cut_ = terms, shown, cut
        return kept

    @property
    def _trimming(self) -> Trimming:
        return Trimming(self.min_count, self.min_df, self.max_df, self.cut_common, self.keep_share, self.max_features)

    def _columns(self, terms: list[str]) -> NDArray[np.int64]:
        """Return the known column of each term, −1 for none."""
        known = self.vocabulary_
        columns = np.array([known.get(t, -1) for t in self.lexicon_.stems(terms)], np.int64)
        columns[~self._stays(terms)] = -1
        return columns

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Term → column."""
        self._check_fitted()
        terms, columns = _COLUMNS.get(self, (None, {}))
        if terms is not self.terms_:
            columns = {term: j for j, term in enumerate(self.terms_)}
            _COLUMNS[self] = self.terms_, columns
        return columns

    @property
    def fixed_vocabulary_(self) -> bool:
        """Whether the vocabulary was given."""
        return self.vocabulary is not None

    def _check_fitted(self) -> None:
        """Refuse what was not fitted; a vocabulary that was given needs no fit."""
        if self.vocabulary is not None and not hasattr(self, "terms_"):
            self.begin()
        check_is_fitted(self, "terms_")

    def learn_pieces(self, texts: Iterable[str]) -> None:
        """Take the model of sub-words, or learn one.

        Parameters
        ----------
        texts : iterable of str
            All texts.
        """
        own = self.subword_model
        self.subword_model_ = subword.train(texts, self.subword_size) if own is None else subword.read_model(own)

    @property
    def words_first(self) -> bool:
        """Whether single words must be counted, and their language learnt, before terms are."""
        return self._runs_of_words and self._guesses

    @property
    def _guesses(self) -> bool:
        """Whether the language is to be found from how often each word occurs."""
        return "auto" in [one for one in (self.stop_words, self.stem) if isinstance(one, str)]

    def learn_words(self, terms: list[str], tally: Tally) -> None:
        """Learn the language, its stop words and whether to stem, from how often each word occurs.

        Parameters
        ----------
        terms : list of str
            The words.
        tally : Tally
            How often each occurs.
        """
        self.lexicon_ = self._lexicon(terms, tally.totals())

    def _lexicon(self, terms: Iterable[str] = (), totals: NDArray[Any] | None = None) -> words.Lexicon:
        """Return the stop words and the language that the parameters name, or that these words are found to be in."""
        if terms == () and self._guesses:
            return getattr(self, "lexicon_", words.Lexicon())
        if not self._by_word or not (self.stop_words is not None or self.stem is not None or self.extra_stop_words):
            return words.Lexicon()
        own = self._as_terms(self.extra_stop_words), self._as_terms(self.keep_words)
        totals = np.zeros(0) if totals is None else totals
        found = words.lexicon_of(list(terms), totals, self.stop_words, self.stem, *own)
        return found.spelled(composed) if self.spelling_.normal else found

    def _as_terms(self, listed: list[str] | None) -> frozenset[str]:
        """Return words as they are counted: in lower case, or as a function for tokens gives them."""
        return frozenset((listed or []) if callable(self.tokens) else self.count_words(listed or [])[1])

    def _safe(self, terms: list[str]) -> NDArray[np.bool_] | bool:
        """Mark the terms that no trimming may drop."""
        if not self.keep_words:
            return False
        safe = set(self.lexicon_.stems(sorted(self._as_terms(self.keep_words))))
        return np.array([term in safe for term in terms], bool)

    def count(self, texts: Iterable[Any], known: list[str] | None = None) -> tuple[sp.csr_array, list[str]]:
        """Count all terms of texts, or known ones: before anything is trimmed."""
        split = self._split(self.lexicon_.stops)
        how: dict[str, Any] = {"decode": self._decoded, "spelling": self.spelling_}
        counts, terms = count_texts(texts, allowed_threads(self.n_jobs), split, known=known, **how)
        if self.binary:
            counts.data.fill(1)
        return counts, terms

    def count_words(self, texts: Iterable[Any]) -> tuple[sp.csr_array, list[str]]:
        """Count the single words of texts, whatever terms are made of."""
        return count_texts(texts, allowed_threads(self.n_jobs), decode=self._decoded, spelling=self.spelling_)

    def _joined(
        self, terms: list[str], stays: NDArray[np.bool_], totals: NDArray[Any]
    ) -> tuple[NDArray[np.int64], list[str], list[str]]:
        """Return which stem each term has, −1 for none, the stems, and the most frequent word of each."""
        words, totals = list(compress(terms, stays)), totals[stays]
        stems = self.lexicon_.stems(words)
        joined, place = np.unique(np.array(stems, object), return_inverse=True)
        by_total = np.argsort(totals, kind="stable")  # the most frequent comes last, and stays
        shown = {stems[j]: words[j] for j in by_total}
        columns = np.full(len(terms), -1, np.int64)
        columns[stays] = place
        return columns, joined.tolist(), [shown[stem] for stem in joined]

    def _stays(self, terms: list[str]) -> NDArray[np.bool_]:
        return np.ones(len(terms), bool) if self._runs_of_words else self.lexicon_.stays(terms)

    # -- stored ------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what was learnt as plain data: with the parameters, all it takes to count new documents."""
        self._check_fitted()
        known = self.lexicon_
        stops = None if known.stops is None else sorted(known.stops)
        return {"terms": self.terms_, "language": known.language, "stops": stops, "stemmed": known.stemmed,
                "callable": callable(self.tokens), "spelling": self.spelling_.state()}  # fmt: skip

    def restore(self, state: dict[str, Any], subword_model: bytes | None = None) -> Self:
        """Take back what :meth:`state` gave.

        Parameters
        ----------
        state : dict
            Of a transformer with the same parameters.
        subword_model : bytes, optional
            Its ``subword_model_``.
        """
        stops = None if state["stops"] is None else frozenset(state["stops"])
        self.terms_, self.subword_model_ = list(state["terms"]), subword_model
        self.lexicon_ = words.Lexicon(state["language"], stops, state["stemmed"])
        self.spelling_ = Spelling.of(state.get("spelling"))
        if state["callable"] and not callable(self.tokens):
            self.tokens = _missing_function
        return self


def _missing_function(text: str) -> list[str]:
    raise ValueError(
        "This run was made with a Python function for tokens, which is not stored: give it again, "
        "quire.load(path, tokens=function)."
    )


def _is_number_of_documents(value: Any) -> bool:
    """Say whether a value is a whole number of at least 1, or a share; NumPy's numbers too, but no truth value."""
    whole, number = isinstance(value, Integral), isinstance(value, Real) and not isinstance(value, bool)
    return number and bool(value >= 1 if whole else 0 <= value <= 1)


def _nothing_left(cut: dict[str, int]) -> ValueError:
    dropped = ", ".join(f"{step} dropped {n:,}" for step, n in cut.items() if n)
    stopped = "; language='none' keeps stop words" if cut["stop_words"] else ""
    return ValueError(f"No term is left of {sum(cut.values()):,} ({dropped}; an empty vocabulary): trim less{stopped}.")


# Of each transformer that was asked for it: beside its attributes, as all of these are stored.
_COLUMNS: WeakKeyDictionary[Learning, tuple[list[str], dict[str, int]]] = WeakKeyDictionary()
