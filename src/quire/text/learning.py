"""What counting learns from all documents: which terms stay, and what it takes to count others alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from itertools import compress
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from quire.text import languages as words
from quire.text import subwords as subword
from quire.text.document_languages import Spoken
from quire.text.leaving_out import LeavingOut
from quire.text.repeated import Repeated
from quire.text.spelling import Spelling
from quire.text.trimming import FEWEST, Tally, Trimming


@dataclass(eq=False, repr=False, kw_only=True)
class Learning(LeavingOut):
    """The parameters that say which terms stay (``Counts`` explains them), and how that is decided."""

    min_count: int = 1
    min_df: float | str = 1
    max_df: float = 1.0
    cut_common: bool = False
    keep_share: float = 1.0
    normalize: bool = False
    subword_model: str | Path | None = None
    subword_size: int = 8000

    def begin(self) -> None:
        """Check the parameters and forget what was learnt."""
        given = self._check_parameters()
        self.lexicon_, self.spoken_, self.repeated_ = words.Lexicon(), None, None
        self._stopped = self.quoting_ = 0
        read = self.normalize and self.finds_words  # other tokens have their own ways
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
            if (name == "max_df" or not isinstance(value, str)) and not _is_number_of_documents(value):
                raise ValueError(f"{name}={value!r} must be a whole number of documents, or a share from 0.0 to 1.0.")
        for name in ("keep_share", "min_count", "subword_size"):
            value = getattr(self, name)
            if not isinstance(value, Real):
                raise ValueError(f"{name}={value!r} must be a number.")
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
        if (self._guesses or self.spoken_ is not None) and self._by_word and not self._runs_of_words:
            self.learn_words(terms, tally)
        if self.vocabulary is not None:
            joined(self._columns(terms), len(self.terms_))
            self.cut_: dict[str, int] = {}
            return np.ones(len(self.terms_), bool)
        return self._trimmed(terms, tally, joined)

    def grown(self, terms: list[str], tally: Tally, joined: Callable[[NDArray[Any], int], Tally]) -> Self:
        """Return a copy that also knows the terms of more documents: behind its own, those that a fit would keep.

        Parameters
        ----------
        terms, tally, joined
            As for :meth:`settle`, of all documents.
        """
        other = copy(self)
        if self.vocabulary is not None:
            return other
        other._stopped = 0
        other._trimmed(terms, tally, joined)
        new = [at for at, term in enumerate(other.terms_) if term not in self.vocabulary_]
        shown = [*self.shown_, *(other.shown_[at] for at in new)]
        other.terms_ = [*self.terms_, *(other.terms_[at] for at in new)]
        other.shown_ = shown if self.lexicon_.stemmed else other.terms_
        return other

    def _trimmed(
        self, terms: list[str], tally: Tally, joined: Callable[[NDArray[Any], int], Tally]
    ) -> NDArray[np.bool_]:
        """Keep the terms that no parameter drops."""
        shown, stays = terms, self._stays(terms)
        cut = {"stop_words": int((~stays).sum()) + self._stopped} | self._without_kinds(terms, tally, stays)
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

    def _safe(self, terms: list[str]) -> NDArray[np.bool_] | bool:
        """Mark the terms that no trimming may drop."""
        if not self.keep_words:
            return False
        safe = set(self.lexicon_.stems(sorted(self._kept_words())))
        return np.array([term in safe for term in terms], bool)

    def _without_kinds(self, terms: list[str], tally: Tally, stays: NDArray[np.bool_]) -> dict[str, int]:
        """Take terms of kinds that are not counted out of those that stay, unless nothing else is there; say how many.

        Words that are to be kept in any case are.
        """
        kinds, cut = self._kinds, dict[str, int]()
        if kinds is not None:
            mean_length = float(tally.totals().sum()) / max(tally.n, 1)
            kept = self._kept_words()
            for kind, marked in kinds.leaves_out(terms, mean_length).items():
                if kept:
                    marked &= np.array([term not in kept for term in terms], bool)
                left = stays & ~marked
                if left.any():
                    cut[kind] = int(stays.sum() - left.sum())
                    stays[:] = left
        return cut

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

    # -- stored ------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what was learnt as plain data: with the parameters, all it takes to count new documents."""
        self._check_fitted()
        known = self.lexicon_
        stops = None if known.stops is None else sorted(known.stops)
        each = {} if self.spoken_ is None else {"spoken": self.spoken_.state()}
        return {"terms": self.terms_, "language": known.language, "stops": stops, "stemmed": known.stemmed,
                "callable": callable(self.tokens), "spelling": self.spelling_.state(),
                "repeated": None if self.repeated_ is None else self.repeated_.state(), **each}  # fmt: skip

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
        self.spoken_ = Spoken.restored(state["spoken"]) if state.get("spoken") else None
        repeated = state.get("repeated")  # an older run counted all
        self.repeated_ = None if repeated is None else Repeated.restored(repeated)
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
    stopped = "; stop_words=None, or language='none' of a run, keeps stop words" if cut["stop_words"] else ""
    return ValueError(f"No term is left of {sum(cut.values()):,} ({dropped}; an empty vocabulary): trim less{stopped}.")


# Of each transformer that was asked for it: beside its attributes, as all of these are stored.
_COLUMNS: WeakKeyDictionary[Learning, tuple[list[str], dict[str, int]]] = WeakKeyDictionary()
