"""What documents are rid of as they are counted: lines that come again, and the stop words of their languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.machine import allowed_threads
from quire.text import languages as words
from quire.text.analysis import Analysis
from quire.text.document_languages import Spoken, every_so_many, language_votes, languages_among, only_used
from quire.text.letters import composed
from quire.text.repeated import FEWEST, Repeated
from quire.text.token_kinds import QUOTES
from quire.text.tokens import count_texts
from quire.text.trimming import Tally
from quire.text.vocabulary import as_bytes

_ONE_IN = 20  # documents, of which one must quote for that to be told


@dataclass(eq=False, repr=False, kw_only=True)
class LeavingOut(Analysis):
    """The parameters that say what is left out of documents (``Counts`` explains them), and counting what stays."""

    stem: str | None = None
    extra_stop_words: list[str] | None = None
    keep_words: list[str] | None = None
    keep_repeated: bool = True
    n_jobs: int | None = None
    lexicon_ = words.Lexicon()
    spoken_ = cast(Spoken | None, None)  # with a type beside its name it would be a parameter
    repeated_ = cast(Repeated | None, None)
    quoting_ = 0  # documents that have lines which begin with >
    _stopped = 0  # words that are gone since they were stop words wherever they stood

    def count(self, texts: Iterable[Any], known: list[str] | None = None) -> tuple[sp.csr_array, list[str]]:
        """Count all terms of texts, or known ones: before anything is trimmed."""
        split = self._split(self.lexicon_.stops)
        how: dict[str, Any] = {"decode": self._decoded, "spelling": self.spelling_}
        counts, terms = count_texts(self.own(texts), allowed_threads(self.n_jobs), split, known=known, **how)
        if self.binary:
            counts.data.fill(1)
        return counts, terms

    def count_words(self, texts: Iterable[Any]) -> tuple[sp.csr_array, list[str]]:
        """Count single words, and tokens of other kinds that are counted, also where terms are runs of them.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        """
        how: dict[str, Any] = {"decode": self._decoded, "spelling": self.spelling_}
        return count_texts(self.own(texts), allowed_threads(self.n_jobs), self._prepare(), **how)

    def without_kinds(self, texts: Iterable[str]) -> list[str]:
        """Return texts without what is not counted, such as addresses: what stood around them is no phrase.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        """
        kinds = self._kinds
        return list(texts) if kinds is None else [kinds.cut(text) for text in texts]

    # -- lines that come again ---------------------------------------------------------------------------

    def own(self, texts: Iterable[Any]) -> Iterable[Any]:
        """Return texts without the lines that come again in many others, where these are not counted.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        """
        if self.repeated_ is None:
            return texts
        left = self.repeated_.left_out_of(self._texts(texts))
        return list(left) if isinstance(texts, list) else left

    def about_quotes(self, n: int) -> list[str]:
        """Say what was done with lines that begin with >, where a share of n documents has some."""
        if self.quoting_ < max(FEWEST, n / _ONE_IN):
            return []
        which = f"In {self.quoting_:,} documents lines begin with >, as quotations do"
        if self._kinds is not None and not self._kinds.quotes:
            return [f"{which}; these, and what stands below a line of --, were not counted."]
        return [f"{which}, and are counted; --tokens=-{QUOTES} counts what was written by the author alone."]

    def _texts(self, documents: Iterable[Any]) -> Iterator[Any]:
        """Yield documents, decoded where they are bytes."""
        for number, document in enumerate(documents):
            yield document if isinstance(document, str) else self._decoded(document, number)

    # -- stop words --------------------------------------------------------------------------------------

    @property
    def words_first(self) -> bool:
        """Whether single words must be counted, and their language learnt, before terms are."""
        return self._runs_of_words and self._guesses

    @property
    def _guesses(self) -> bool:
        """Whether the language is to be found from how often each word occurs."""
        return any(isinstance(one, str) and one in ("auto", words.EACH) for one in (self.stop_words, self.stem))

    def learn_words(self, terms: list[str], tally: Tally) -> None:
        """Learn the language, its stop words and whether to stem, from how often each word occurs.

        Parameters
        ----------
        terms : list of str
            The words.
        tally : Tally
            How often each occurs.
        """
        if self.spoken_ is None:
            self.lexicon_ = self._lexicon(terms, tally.totals())
        else:
            more = self._as_terms(self.extra_stop_words) - self._kept_words()
            self.lexicon_ = words.Lexicon(",".join(self.spoken_.languages), more or None)

    def _lexicon(self, terms: Iterable[str] = (), totals: NDArray[Any] | None = None) -> words.Lexicon:
        """Return the stop words and the language that the parameters name, or that these words are found to be in."""
        if terms == () and self._guesses:
            return self.lexicon_
        if not self._by_word or not (self.stop_words is not None or self.stem is not None or self.extra_stop_words):
            return words.Lexicon()
        own = self._as_terms(self.extra_stop_words), self._kept_words()
        totals = np.zeros(0) if totals is None else totals
        found = words.lexicon_of(list(terms), totals, self.stop_words, self.stem, *own)
        return found.spelled(composed) if self.spelling_.normal else found

    def _as_terms(self, listed: list[str] | None) -> frozenset[str]:
        """Return words as they are counted: in lower case, or as a function for tokens gives them."""
        if not listed:
            return frozenset()
        return frozenset(listed if callable(self.tokens) else self.count_words(listed)[1])

    def _kept_words(self) -> frozenset[str]:
        """Return the words that are never left out."""
        return self._as_terms(self.keep_words)

    def _stays(self, terms: list[str]) -> NDArray[np.bool_]:
        return np.ones(len(terms), bool) if self._runs_of_words else self.lexicon_.stays(terms)

    # -- of several languages ----------------------------------------------------------------------------

    @property
    def tells_languages(self) -> bool:
        """Whether each document is rid of the stop words of its own language, if there are several."""
        several = isinstance(self.stop_words, str) and (self.stop_words == words.EACH or "," in self.stop_words)
        return several and self.stem is None and self._by_word and not self._runs_of_words

    def languages_of(self, votes: Callable[[], NDArray[np.int64]]) -> Spoken | None:
        """Return the languages that were named, or those that documents vote for; None where they are not several.

        Parameters
        ----------
        votes : callable
            Returns what ``language_votes`` says of documents.
        """
        if not self.tells_languages:
            return None
        named = str(self.stop_words) != words.EACH
        found = words.language_codes(str(self.stop_words)) if named else languages_among(votes())
        return Spoken.of(found) if len(found) > 1 else None

    def learn_languages(self, spoken: Spoken, occurrences: NDArray[np.int64]) -> Spoken:
        """Decide what documents in each language leave out, from how often each stop word is in each.

        Parameters
        ----------
        spoken : Spoken
            The languages.
        occurrences : array
            By its method of that name, over all documents.
        """
        learnt = spoken.with_quotations(occurrences, self._kept_words())
        self.spoken_ = learnt
        return learnt

    def _of_own_language(self, counts: sp.csr_array, terms: list[str]) -> tuple[sp.csr_array, list[str]]:
        """Rid each document of the stop words of its language, where there are several."""
        some = sp.csr_array(counts[:: every_so_many(counts.shape[0])])
        spoken = self.languages_of(lambda: language_votes(some, as_bytes(terms)))
        if spoken is None:
            return counts, terms
        counts, _ = self.learn_languages(spoken, spoken.occurrences(counts, terms)).without_stops(counts, terms)
        counts, used = only_used(counts, terms)
        self._stopped = len(terms) - len(used)
        return counts, used
