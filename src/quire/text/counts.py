"""Texts → counts and vocabulary, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metadata_routing import UNUSED

from quire.backends.check import as_numbers
from quire.places.codec import storable
from quire.text.containers import as_configured, check_dtype
from quire.text.learning import Learning
from quire.text.repeated import repeated_among
from quire.text.trimming import Tally, columns_joined, columns_kept

FEW = 256  # documents whose words are looked up one by one: going through all known terms would take longer


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class Counts(Learning, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc,call-arg]
    r"""Count the terms of documents: scikit-learn's ``CountVectorizer``, several times faster, and trimming.

    It takes the parameters of ``CountVectorizer``, has its methods, and gives its vocabulary and its matrix, to the
    last entry. Plain words are found by compiled code; what other parameters ask for is cut by Python
    (:meth:`report` says which).

    Parameters
    ----------
    tokens : {"word", "char", "char_wb", "subword", "auto"}, str or callable, default="word"
        Words in lower case, characters, characters within words, SentencePiece's sub-words (extra
        ``subword``), or a function from a text to its tokens. Kinds of tokens are told apart by a list of those to
        count, such as ``"words,hashtags,emoji"``: of ``words``, ``hashtags``, ``mentions``, ``urls``, ``emails``,
        ``numbers`` and ``emoji``. ``"auto"`` is all but bare numbers, and emoji where documents have 50 words or
        fewer on average; ``"+numbers,-mentions"`` is that with a change.
    ngrams : (int, int), default=(1, 1)
        Shortest and longest run of tokens that makes a term (of characters a line break counts as a space,
        unlike with ``analyzer``).
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
    max_features : int or None, default=None
        Keep so many terms, the most frequent of those that no other step dropped.
    vocabulary : mapping, iterable or None, default=None
        The terms to count, by column, instead of those that the documents hold: nothing is trimmed then.
    input : {"content", "filename", "file"}, default="content"
        Whether documents are texts (or bytes), names of files, or files.
    encoding, decode_error : str, default="utf-8" and "strict"
        Of bytes and files.
    lowercase : bool, default=True
        Whether words are counted in lower case.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        How accents are taken off.
    preprocessor, tokenizer : callable or None, default=None
        A function that prepares a document instead of the two above; one from such a text to its tokens.
    token_pattern : str, default=r"(?u)\b\w\w+\b"
        What a token is, as a regular expression, where no ``tokenizer`` is given.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        As ``tokens``; a function is given the document as it is, and gives its terms.
    ngram_range : (int, int), default=(1, 1)
        As ``ngrams``.
    binary : bool, default=False
        Count each term of a document once.
    dtype : dtype, default=int64
        Of the matrix.
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
    fixed_vocabulary_ : bool
        Whether it was given.
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

    dtype: DTypeLike = np.int64

    # It is no data that metadata routing could ask for.
    __metadata_request__fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"raw_documents": UNUSED}  # noqa: RUF012

    def fit(self, raw_documents: Iterable[Any], y: object = None) -> Self:
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents : iterable of str
            The texts; or bytes, files or their names, as ``input`` says.
        y : ignored
            For scikit-learn.
        """
        self.fit_csr(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: object = None) -> Any:
        """Learn the vocabulary and count: a ``csr_matrix``, or ``csr_array``, as scikit-learn is set to.

        Parameters
        ----------
        raw_documents, y
            As for :meth:`fit`.
        """
        return self._as_asked(self.fit_csr(raw_documents))

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """Count the known terms of new documents.

        Parameters
        ----------
        raw_documents : iterable of str
            As for :meth:`fit`.
        """
        return self._as_asked(self.csr(raw_documents))

    def _as_asked(self, counts: sp.csr_array) -> Any:
        check_dtype(self.dtype, "bfiu")
        return as_configured(counts.astype(self.dtype, copy=False))

    def fit_csr(self, raw_documents: Iterable[Any]) -> sp.csr_array:
        """Learn the vocabulary and count, whatever ``dtype`` and scikit-learn's configuration say.

        Parameters
        ----------
        raw_documents : iterable of str
            As for :meth:`fit`.
        """
        documents = self._contents(raw_documents)
        self.begin()
        counts, terms = self._of_own_language(*self.count(self._prepared(documents)))

        def joined(columns: NDArray[Any], width: int) -> Tally:
            nonlocal counts
            counts = columns_joined(counts, columns, width, self.binary)
            return Tally.of(counts)

        kept = self.settle(terms, Tally.of(counts), joined)
        return counts if kept.all() else columns_kept(counts, kept)

    def csr(self, raw_documents: Iterable[Any]) -> sp.csr_array:
        """Count the known terms, whatever ``dtype`` and scikit-learn's configuration say.

        Parameters
        ----------
        raw_documents : iterable of str
            As for :meth:`fit`.
        """
        self._check_fitted()
        documents = self._contents(raw_documents)
        few = isinstance(documents, list) and len(documents) <= FEW
        if few or self.stem is not None or self.vocabulary is not None:
            return self._known_and_others(documents)[0]
        if self.spoken_ is None:
            return self.count(documents, self.terms_)[0]
        known = self.vocabulary_
        telling = [word for word in self.spoken_.stops if word not in known]  # of which language a document is
        return self._known_and_others(documents, [*self.terms_, *telling])[0]

    def heard(self, raw_documents: Iterable[Any]) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Count the known terms of new documents, and say how much there is of others that are no stop words.

        Parameters
        ----------
        raw_documents : iterable of str
            As for :meth:`fit`.

        Returns
        -------
        counts, unknown
            What :meth:`csr` returns, and Σ log(1 + how often) over the other terms of each document.
        """
        self._check_fitted()
        known, others = self._known_and_others(self._contents(raw_documents))
        others.sort_indices()  # sums to the same bit in any batch
        rows = np.repeat(np.arange(others.shape[0]), np.diff(others.indptr))
        unknown = np.bincount(rows, np.log1p(others.data.astype(np.float64)), others.shape[0])
        return known, unknown.astype(np.float64)

    def _known_and_others(
        self, documents: Iterable[Any], among: list[str] | None = None
    ) -> tuple[sp.csr_array, sp.csr_array]:
        """Count all terms, or some; return those of the known ones, and those of others that are no stop words."""
        counts, terms = self.count(documents, among)
        if self.spoken_ is not None:  # each document is rid of the stop words of its own language
            counts, _ = self.spoken_.without_stops(counts, terms)
        columns = self._columns(terms)
        others = columns_kept(counts, self._stays(terms) & (columns < 0))
        return columns_joined(counts, columns, len(self.terms_), self.binary), others

    def _prepared(self, documents: Iterable[Any]) -> Iterable[Any]:
        """Learn what must be known before counting; where that takes a first pass, make the texts a list."""
        if self.tokens == "subword" or self.words_first or not self.keep_repeated:
            documents = list(self._texts(documents))
        if not self.keep_repeated:
            self.repeated_ = repeated_among(documents)
        if self.tokens == "subword":
            self.learn_pieces(self.own(documents))
        if self.words_first:
            counts, terms = self.count_words(documents)
            self.learn_words(terms, Tally.of(counts))
        return documents

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """Return the terms that each document has.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Counts.
        """
        from sklearn.feature_extraction.text import CountVectorizer

        self._check_fitted()
        held = as_numbers(X, f"{type(self).__name__}.inverse_transform", len(self.terms_))
        theirs = CountVectorizer(vocabulary=self.terms_)
        return theirs.inverse_transform(sp.csr_matrix(held) if sp.issparse(X) else held)  # type: ignore[no-any-return]

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the terms by column.

        Parameters
        ----------
        input_features : ignored
            For scikit-learn.
        """
        self._check_fitted()
        return np.array(self.terms_, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
