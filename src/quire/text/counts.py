"""Texts → counts and vocabulary, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from quire.places.codec import storable
from quire.places.machine import allowed_threads
from quire.text import languages as words
from quire.text import subwords as subword
from quire.text.document_languages import Spoken, every_so_many, language_votes, languages_among, only_used
from quire.text.letters import composed
from quire.text.repeated import Repeated, repeated_among
from quire.text.spelling import Spelling
from quire.text.token_kinds import WHOLE, TokenKinds, with_emoji
from quire.text.tokens import Split, count_texts
from quire.text.trimming import FEWEST, Tally, Trimming, columns_joined, columns_kept
from quire.text.vocabulary import as_bytes

FEW = 256  # documents whose words are looked up one by one: going through all known terms would take longer


@storable
class Counts(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Count the terms of documents: scikit-learn's ``CountVectorizer``, several times faster, and trimming.

    With its defaults it gives the vocabulary and the matrix of ``CountVectorizer()``, to the last entry.

    Parameters
    ----------
    tokens : {"word", "char", "char_wb", "subword", "auto"}, str or callable, default="word"
        Words in lower case, characters, characters within words, SentencePiece's sub-words (extra
        ``subword``), or a function from a text to its tokens. Kinds of tokens are told apart by a list of those to
        count, such as ``"words,hashtags,emoji"``: of ``words``, ``hashtags``, ``mentions``, ``urls``, ``emails``,
        ``numbers`` and ``emoji``. ``"auto"`` is all but bare numbers, and emoji where documents have 50 words or
        fewer on average; ``"+numbers,-mentions"`` is that with a change.
    ngrams : (int, int), default=(1, 1)
        Shortest and longest run of tokens that makes a term (of words and characters; a line break counts as
        a space, unlike in scikit-learn).
    stop_words : str, list of str or None, default=None
        Words to leave out: a list, a language by code or name (``stop_list``), ``"auto"`` for
        that of the language found; ``"english"`` is scikit-learn's list. Several languages (``"en,de"``), or
        ``"each"`` for those found that have a share of the documents, are told apart by document: each is rid of the
        stop words of its own language (where terms are runs of words, or words are stemmed: of all, or of the first).
    stem : str or None, default=None
        Join the words of one stem (Snowball): a language, or ``"auto"``. It is the vocabulary that is
        stemmed, not every token.
    extra_stop_words, keep_words : list of str or None, default=None
        Words to leave out beside ``stop_words``; words that are never left out, be they stop words, rare or
        common.
    min_count : int, default=1
        Terms that occur less often in all documents together are dropped (tsikhanovich2011: 5).
    min_df, max_df : int or float, default=1 and 1.0
        Terms in fewer or in more documents are dropped; a float is a share of the documents.
        ``min_df="auto"`` is 5, less for fewer than 400 documents; ``"shared"`` is 2, 1 for fewer than 100.
    cut_common : bool, default=False
        Drop common terms by ``common_threshold`` (conroy2023), unless that would be more than
        a tenth of all terms, as it can be for a handful of documents.
    keep_share : float, default=1.0
        Keep the most frequent terms that make up this share of all counts (conroy2023: 0.99).
    normalize : bool, default=False
        Read words as people mean them, where scikit-learn takes characters as they are: one form of each letter
        (composed, neither full-width nor mathematical, İ as i), without Arabic and Hebrew vowel marks and soft
        hyphens; marks within words; and the words of Chinese, Japanese, Thai, Lao, Khmer and Burmese, which have
        no spaces between them (extra ``cjk``; without it pairs of characters). It is on in ``quire cluster``.
    keep_repeated : bool, default=True
        Whether lines that come again in many documents, such as signatures and disclaimers, are counted.
    subword_model : path or None, default=None
        A SentencePiece model file; by default one is trained on the documents.
    subword_size : int, default=8000
        Pieces of a model that is trained.
    n_jobs : int or None, default=None
        Threads; None for all that may be used.

    Attributes
    ----------
    terms_ : list of str
        The terms by column.
    shown_ : list of str
        The same to be read: of a stem, its most frequent word.
    lexicon_ : quire.text.languages.Lexicon
        The language whose stop words or stems were used, and the stop words.
    spoken_ : quire.text.document_languages.Spoken or None
        The languages of documents and their stop words, where there are several.
    vocabulary_ : dict
        Term → column.
    spelling_ : quire.text.spelling.Spelling
        How texts are read: what ``normalize`` found to find words with.
    cut_ : dict
        How many terms each step dropped, in order.
    repeated_ : quire.text.repeated.Repeated or None
        The lines that are not counted.

    Examples
    --------
    >>> from quire import Counts
    >>> counts = Counts(stop_words="english")
    >>> counts.fit_transform(["The moon, the sun", "A sun"]).toarray().tolist()
    [[1, 1], [0, 1]]
    >>> counts.get_feature_names_out().tolist()
    ['moon', 'sun']
    """

    lexicon_: words.Lexicon
    spelling_: Spelling
    spoken_: Spoken | None = None
    _stopped = 0  # words that are gone since they were stop words wherever they stood
    repeated_: Repeated | None

    def __init__(
        self,
        *,
        tokens: str | Callable[[str], list[str]] = "word",
        ngrams: tuple[int, int] = (1, 1),
        stop_words: str | list[str] | None = None,
        stem: str | None = None,
        extra_stop_words: list[str] | None = None,
        keep_words: list[str] | None = None,
        min_count: int = 1,
        min_df: float | str = 1,
        max_df: float = 1.0,
        cut_common: bool = False,
        keep_share: float = 1.0,
        normalize: bool = False,
        keep_repeated: bool = True,
        subword_model: str | Path | None = None,
        subword_size: int = 8000,
        n_jobs: int | None = None,
    ) -> None:
        self.tokens = tokens
        self.ngrams = ngrams
        self.stop_words = stop_words
        self.stem = stem
        self.extra_stop_words = extra_stop_words
        self.keep_words = keep_words
        self.min_count = min_count
        self.min_df = min_df
        self.max_df = max_df
        self.cut_common = cut_common
        self.keep_share = keep_share
        self.normalize = normalize
        self.keep_repeated = keep_repeated
        self.subword_model = subword_model
        self.subword_size = subword_size
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Iterable[str], y: object = None) -> Self:
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents : iterable of str
            The texts.
        y : ignored
            For scikit-learn.
        """
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: object = None) -> sp.csr_array:
        """Learn the vocabulary and count.

        Parameters
        ----------
        raw_documents, y
            As for :meth:`fit`.
        """
        counts, terms = self.count(self._prepared(raw_documents))
        counts, terms = self._of_own_language(counts, terms)

        def joined(columns: NDArray[Any], width: int) -> Tally:
            nonlocal counts
            counts = columns_joined(counts, columns, width)
            return Tally.of(counts)

        kept = self.settle(terms, Tally.of(counts), joined)
        return counts if kept.all() else columns_kept(counts, kept)

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
            the new tally. Called where words are stemmed.

        Returns
        -------
        array of bool
            Which columns stay, out of those that ``joined`` made, where it was called.
        """
        if not terms:
            raise ValueError(
                "No term was found: the documents hold no word of two letters or more; if they are not "
                "written in words, try tokens='char'."
            )
        if self._by_word and not self._runs_of_words:
            self.learn_words(terms, tally)
        n_terms, shown, stays = len(terms), terms, self._stays(terms)
        cut = {"stop_words": int((~stays).sum()) + self._stopped} | self._without_kinds(terms, tally, stays)
        if self.lexicon_.stemmed:
            columns, terms, shown = self._joined(terms, stays, tally.totals())
            tally, cut["stem"] = joined(columns, len(terms)), int(stays.sum()) - len(terms)
            stays = np.ones(len(terms), bool)
        steps = Trimming(self.min_count, self.min_df, self.max_df, self.cut_common, self.keep_share)
        kept = steps.kept(tally, stays, cut, self._safe(terms))
        if not kept.any():
            dropped = ", ".join(f"{step} dropped {n:,}" for step, n in cut.items() if n)
            stopped = "; language='none' keeps stop words" if cut["stop_words"] else ""
            raise ValueError(f"No term is left of {n_terms:,} ({dropped}): trim less{stopped}.")
        if not kept.all():
            terms = list(compress(terms, kept))
            shown = list(compress(shown, kept)) if self.lexicon_.stemmed else terms
        self.terms_, self.shown_, self.cut_ = terms, shown, cut
        return kept

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Term → column."""
        check_is_fitted(self)
        terms, columns = _COLUMNS.get(self, (None, {}))
        if terms is not self.terms_:
            columns = {term: j for j, term in enumerate(self.terms_)}
            _COLUMNS[self] = self.terms_, columns
        return columns

    def transform(self, raw_documents: Iterable[str]) -> sp.csr_array:
        """Count the known terms of new documents.

        Parameters
        ----------
        raw_documents : iterable of str
            The texts.
        """
        check_is_fitted(self)
        if self.spoken_ is not None:
            return self._transform_by_language(self.spoken_, raw_documents)
        if self.stem is None and not (isinstance(raw_documents, list) and len(raw_documents) <= FEW):
            return self.count(raw_documents, self.terms_)[0]
        return self._known_and_others(raw_documents)[0]

    def heard(self, raw_documents: Iterable[str]) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Count the known terms of new documents, and say how much there is of others that are no stop words.

        Parameters
        ----------
        raw_documents : iterable of str
            The texts.

        Returns
        -------
        counts, unknown
            What :meth:`transform` returns, and Σ log(1 + how often) over the other terms of each document.
        """
        check_is_fitted(self)
        known, others = self._known_and_others(raw_documents)
        others.sort_indices()  # sums to the same bit in any batch
        rows = np.repeat(np.arange(others.shape[0]), np.diff(others.indptr))
        unknown = np.bincount(rows, np.log1p(others.data.astype(np.float64)), others.shape[0])
        return known, unknown.astype(np.float64)

    def _known_and_others(self, raw_documents: Iterable[str]) -> tuple[sp.csr_array, sp.csr_array]:
        """Count all terms; return those of the known ones, and those of others, whichever these are."""
        counts, terms = self.count(raw_documents)
        known, stays = self.vocabulary_, self._stays(terms)
        if self.spoken_ is not None:  # each document is rid of the stop words of its own language
            counts, stays = self.spoken_.without_stops(counts, terms)[0], np.ones(len(terms), bool)
        columns = np.array([known.get(t, -1) for t in self.lexicon_.stems(terms)], np.int64)
        columns[~stays] = -1
        return columns_joined(counts, columns, len(self.terms_)), columns_kept(counts, stays & (columns < 0))

    def _transform_by_language(self, spoken: Spoken, raw_documents: Iterable[str]) -> sp.csr_array:
        """Count the known terms, and the stop words that tell of which language a document is."""
        few = isinstance(raw_documents, list) and len(raw_documents) <= FEW
        known = self.vocabulary_
        stops = [word for word in spoken.stops if word not in known]
        counts, terms = self.count(raw_documents, None if few else [*self.terms_, *stops])
        counts, _ = spoken.without_stops(counts, terms)
        return columns_joined(counts, np.array([known.get(term, -1) for term in terms], np.int64), len(known))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the terms by column.

        Parameters
        ----------
        input_features : ignored
            For scikit-learn.
        """
        check_is_fitted(self)
        return np.array(self.terms_, dtype=object)

    def state(self) -> dict[str, Any]:
        """Return what was learnt as plain data: with the parameters, all it takes to count new documents."""
        check_is_fitted(self)
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

    def _check_parameters(self) -> None:
        self._kinds  # noqa: B018 (it refuses a kind that is not known)
        if isinstance(self.min_df, str) and self.min_df not in FEWEST:
            raise ValueError(
                f"min_df={self.min_df!r} must be a number of documents, a share of them, 'auto' or 'shared'."
            )
        if not 0 < self.keep_share <= 1:
            raise ValueError(f"keep_share={self.keep_share!r} must be a share above 0, and 1 at the most.")
        if self.min_count < 1 or self.subword_size < 1:
            raise ValueError("min_count and subword_size must be whole numbers of at least 1.")
        low, high = self.ngrams
        if not 1 <= low <= high:
            raise ValueError(f"ngrams={self.ngrams!r} must be two whole numbers, the smaller first, from 1 on.")

    @property
    def _kinds(self) -> TokenKinds | None:
        """Which kinds of tokens are told apart; None where none are."""
        return None if callable(self.tokens) else TokenKinds.of(self.tokens)

    @property
    def finds_words(self) -> bool:
        """Whether terms are words, or runs of them, as they stand in texts."""
        return not callable(self.tokens) and (self.tokens == "word" or self.tokens not in WHOLE)

    @property
    def _by_word(self) -> bool:
        """Whether terms are words, or runs of them, that stop lists and stemmers know."""
        return callable(self.tokens) or self.finds_words

    def _prepared(self, raw_documents: Iterable[str]) -> Iterable[str]:
        """Learn what must be known before counting; where that takes a first pass, make the texts a list."""
        self.begin()
        if self.tokens == "subword" or self.words_first or not self.keep_repeated:
            raw_documents = list(raw_documents)
        if not self.keep_repeated:
            self.repeated_ = repeated_among(raw_documents)
        if self.tokens == "subword":
            self.learn_pieces(self.own(raw_documents))
        if self.words_first:
            counts, terms = self.count_words(raw_documents)
            self.learn_words(terms, Tally.of(counts))
        return raw_documents

    def begin(self) -> None:
        """Check the parameters and forget what was learnt."""
        self._check_parameters()
        self.lexicon_, self.subword_model_, self.repeated_ = words.Lexicon(), None, None
        read = self.normalize and self.finds_words  # other tokens have their own ways
        self.spelling_ = Spelling.here(self.stem or self.stop_words) if read else Spelling()
        self.spoken_, self._stopped = None, 0

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
        self.spoken_ = spoken.with_quotations(occurrences, self._as_terms(self.keep_words))
        return self.spoken_

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

    def learn_pieces(self, texts: Iterable[str]) -> None:
        """Take the model of sub-words, or learn one.

        Parameters
        ----------
        texts : iterable of str
            All texts.
        """
        own = self.subword_model
        self.subword_model_ = subword.train(texts, self.subword_size) if own is None else subword.read_model(own)

    def own(self, texts: Iterable[str]) -> Iterable[str]:
        """Return texts without the lines that come again in many others, where these are not counted.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        """
        repeated: Repeated | None = getattr(self, "repeated_", None)
        if repeated is None:
            return texts
        left = repeated.left_out_of(texts)
        return list(left) if isinstance(texts, list) else left

    @property
    def words_first(self) -> bool:
        """Whether single words must be counted, and their language learnt, before terms are."""
        return self._runs_of_words and self._knows_words

    def learn_words(self, terms: list[str], tally: Tally) -> None:
        """Learn the language, its stop words and whether to stem, from how often each word occurs.

        Parameters
        ----------
        terms : list of str
            The words.
        tally : Tally
            How often each occurs.
        """
        if self.spoken_ is not None:
            more = self._as_terms(self.extra_stop_words) - self._as_terms(self.keep_words)
            self.lexicon_ = words.Lexicon(",".join(self.spoken_.languages), more or None)
        elif not self._knows_words:
            self.lexicon_ = words.Lexicon()
        else:
            own = self._as_terms(self.extra_stop_words), self._as_terms(self.keep_words)
            self.lexicon_ = words.lexicon_of(terms, tally.totals(), self.stop_words, self.stem, *own)
            if self.spelling_.normal:
                self.lexicon_ = self.lexicon_.spelled(composed)

    @property
    def _knows_words(self) -> bool:
        return self.stop_words is not None or self.stem is not None or bool(self.extra_stop_words)

    def _as_terms(self, listed: list[str] | None) -> frozenset[str]:
        """Return words as they are counted: in lower case, or as a function for tokens gives them."""
        return frozenset((listed or []) if callable(self.tokens) else self.count_words(listed or [])[1])

    def _safe(self, terms: list[str]) -> NDArray[np.bool_] | bool:
        """Mark the terms that no trimming may drop."""
        if not self.keep_words:
            return False
        safe = set(self.lexicon_.stems(sorted(self._as_terms(self.keep_words))))
        return np.array([term in safe for term in terms], bool)

    def count(self, texts: Iterable[str], known: list[str] | None = None) -> tuple[sp.csr_array, list[str]]:
        """Count all terms of texts, or known ones: before anything is trimmed."""
        if isinstance(texts, str):
            raise ValueError("One string was given where a list of texts was expected: put it into a list.")
        threads = allowed_threads(self.n_jobs)
        return count_texts(self.own(texts), threads, self._split(), known=known, spelling=self.spelling_)

    def count_words(self, texts: Iterable[str]) -> tuple[sp.csr_array, list[str]]:
        """Count single words, and tokens of other kinds that are counted, also where terms are runs of them.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        """
        threads = allowed_threads(self.n_jobs)
        return count_texts(self.own(texts), threads, self._prepare(), spelling=self.spelling_)

    def without_kinds(self, texts: Iterable[str]) -> list[str]:
        """Return texts without what is not counted, such as addresses: what stood around them is no phrase.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        """
        kinds = self._kinds
        return list(texts) if kinds is None else [kinds.cut(text) for text in texts]

    def _split(self) -> Split | None:
        """Return what cuts a text into terms, or only cuts away; None for plain words, which compiled code finds."""
        kinds = self._kinds
        if self.finds_words and tuple(self.ngrams) == (1, 1):
            return self._prepare()
        if callable(self.tokens):
            own = self.tokens
            return lambda text: list(own(text))
        if self.tokens == "subword":
            return subword.splitter(self.subword_model_ or b"")
        return self._split_into_runs(kinds)

    def _prepare(self) -> Split | None:
        """Return what cuts away tokens of kinds that are not counted, and finds emoji; None for words alone."""
        kinds = self._kinds
        return None if kinds is None else partial(kinds.prepared, spelling=self.spelling_)

    def _split_into_runs(self, kinds: TokenKinds | None) -> Split:
        """Return what cuts a text into runs of characters or words."""
        from sklearn.feature_extraction.text import CountVectorizer  # not for words, which most runs count

        stops = list(self.lexicon_.stops) if self.lexicon_.stops and self.finds_words else None
        options = {"ngram_range": tuple(self.ngrams), "stop_words": stops}
        if not self.finds_words:
            analyse = CountVectorizer(analyzer=self.tokens, **options).build_analyzer()
            return lambda text: analyse(text.replace("\n", " "))
        emoji, spelling = kinds is not None and kinds.finds_emoji, self.spelling_
        find = partial(with_emoji, spelling=spelling) if emoji else spelling.words
        analyse = CountVectorizer(**options, tokenizer=find, token_pattern=None, lowercase=False).build_analyzer()
        if kinds is None:
            return lambda text: list(analyse(text))
        kept = self._as_terms(self.keep_words)
        return lambda text: list(analyse(kinds.cut(text, numbers=True, but=kept)))

    def _without_kinds(self, terms: list[str], tally: Tally, stays: NDArray[np.bool_]) -> dict[str, int]:
        """Take terms of kinds that are not counted out of those that stay, unless nothing else is there; say how many.

        Words that are to be kept in any case are.
        """
        kinds, cut = self._kinds, {}
        if kinds is not None:
            mean_length = float(tally.totals().sum()) / max(tally.n, 1)
            kept = self._as_terms(self.keep_words)
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

    def _stays(self, terms: list[str]) -> NDArray[np.bool_]:
        return np.ones(len(terms), bool) if self._runs_of_words else self.lexicon_.stays(terms)

    @property
    def _runs_of_words(self) -> bool:
        """Whether words are joined into runs, out of which stop words are taken before."""
        return self.finds_words and tuple(self.ngrams) != (1, 1)


def _missing_function(text: str) -> list[str]:
    raise ValueError(
        "This run was made with a Python function for tokens, which is not stored: give it again, "
        "quire.load(path, tokens=function)."
    )


# Of each transformer that was asked for it: beside its attributes, as all of these are stored.
_COLUMNS: WeakKeyDictionary[Counts, tuple[list[str], dict[str, int]]] = WeakKeyDictionary()
