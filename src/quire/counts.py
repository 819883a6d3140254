"""Texts → counts and vocabulary, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import compress
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from quire.ops.threads import allowed_threads
from quire.tokenise import count_texts
from quire.trim import common_threshold, most_frequent


class Counts(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Count the terms of documents: scikit-learn's ``CountVectorizer``, several times faster, and trimming.

    With its defaults it gives the vocabulary and the matrix of ``CountVectorizer()``, to the last entry.

    Parameters
    ----------
    tokens : {"word", "char", "char_wb"} or callable, default="word"
        Words in lower case, characters, characters within words, or a function from a text to its tokens.
    ngrams : (int, int), default=(1, 1)
        Shortest and longest run of tokens that makes a term.
    stop_words : "english", list of str or None, default=None
        Words to leave out.
    min_count : int, default=1
        Terms that occur less often in all documents together are dropped (tsikhanovich2011: 5).
    min_df, max_df : int or float, default=1 and 1.0
        Terms in fewer or in more documents are dropped; a float is a share of the documents.
    cut_common : bool, default=False
        Drop common terms by :func:`quire.trim.common_threshold` (conroy2023).
    keep_share : float, default=1.0
        Keep the most frequent terms that make up this share of all counts (conroy2023: 0.99).
    n_jobs : int or None, default=None
        Threads; None for all that may be used.

    Attributes
    ----------
    terms_ : list of str
        The terms by column.
    vocabulary_ : dict
        Term → column.
    cut_ : dict
        How many terms each step dropped, in order.

    Examples
    --------
    >>> from quire import Counts
    >>> counts = Counts(stop_words="english")
    >>> counts.fit_transform(["The moon, the sun", "A sun"]).toarray().tolist()
    [[1, 1], [0, 1]]
    >>> counts.get_feature_names_out().tolist()
    ['moon', 'sun']
    """

    def __init__(
        self,
        *,
        tokens: str | Callable[[str], list[str]] = "word",
        ngrams: tuple[int, int] = (1, 1),
        stop_words: str | list[str] | None = None,
        min_count: int = 1,
        min_df: float = 1,
        max_df: float = 1.0,
        cut_common: bool = False,
        keep_share: float = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        self.tokens = tokens
        self.ngrams = ngrams
        self.stop_words = stop_words
        self.min_count = min_count
        self.min_df = min_df
        self.max_df = max_df
        self.cut_common = cut_common
        self.keep_share = keep_share
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
        counts, terms = self._count(raw_documents)
        if not terms:
            raise ValueError("No term was found: the documents are empty or hold only stop words.")
        kept, cut = self._trim(counts, terms)
        if not kept.any():
            steps = ", ".join(f"{step} dropped {n:,}" for step, n in cut.items() if n)
            raise ValueError(f"No term is left of {len(terms):,} ({steps}): trim less.")
        self.cut_ = cut
        if not kept.all():
            terms, counts = list(compress(terms, kept)), _columns(counts, kept)
        self.terms_ = terms
        return counts

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Term → column."""
        check_is_fitted(self)
        return {term: j for j, term in enumerate(self.terms_)}

    def transform(self, raw_documents: Iterable[str]) -> sp.csr_array:
        """Count the known terms of new documents.

        Parameters
        ----------
        raw_documents : iterable of str
            The texts.
        """
        check_is_fitted(self)
        counts, terms = self._count(raw_documents)
        known_columns = self.vocabulary_
        column = np.array([known_columns.get(term, -1) for term in terms], np.int64)
        kept = column >= 0
        known = _columns(counts, kept)
        columns = column[kept].astype(np.int32)
        found = sp.csr_array((known.data, columns[known.indices], known.indptr),
                             shape=(counts.shape[0], len(self.terms_)))  # fmt: skip
        found.sort_indices()
        return found

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the terms by column.

        Parameters
        ----------
        input_features : ignored
            For scikit-learn.
        """
        check_is_fitted(self)
        return np.array(self.terms_, dtype=object)

    def _count(self, texts: Iterable[str]) -> tuple[sp.csr_array, list[str]]:
        if isinstance(texts, str):
            raise ValueError("One string was given where a list of texts was expected: put it into a list.")
        return count_texts(texts, allowed_threads(self.n_jobs), self._split())

    def _split(self) -> Callable[[str], list[str]] | None:
        """Return what cuts a text into terms; None for plain words, which compiled code finds."""
        if self.tokens == "word" and tuple(self.ngrams) == (1, 1):
            return None
        if callable(self.tokens):
            return self.tokens
        stops = self.stop_words if self.tokens == "word" else None
        options = {"analyzer": self.tokens, "ngram_range": tuple(self.ngrams), "stop_words": stops}
        return CountVectorizer(**options).build_analyzer()  # type: ignore[no-any-return]

    def _trim(self, counts: sp.csr_array, terms: list[str]) -> tuple[NDArray[np.bool_], dict[str, int]]:
        """Mark the terms that stay, and count what each step dropped."""
        n = counts.shape[0]
        totals, df = counts.sum(axis=0), np.bincount(counts.indices, minlength=len(terms))
        low, high = (limit * n if isinstance(limit, float) else limit for limit in (self.min_df, self.max_df))
        kept = np.ones(len(terms), bool)
        cut: dict[str, int] = {}
        steps: dict[str, Callable[[], NDArray[np.bool_]]] = {
            "stop_words": lambda: self._not_stopped(terms),
            "min_count": lambda: totals >= self.min_count,
            "min_df": lambda: df >= low,
            "max_df": lambda: df <= high,
            "cut_common": lambda: totals <= (common_threshold(totals[kept]) if self.cut_common else np.inf),
            "keep_share": lambda: most_frequent(totals * kept, self.keep_share) | (self.keep_share >= 1),
        }
        for name, step in steps.items():
            before = int(kept.sum())
            kept &= step()
            cut[name] = before - int(kept.sum())
        return kept, cut

    def _not_stopped(self, terms: list[str]) -> NDArray[np.bool_]:
        if self.stop_words is None or self._split() is not None:
            return np.ones(len(terms), bool)
        stops = CountVectorizer(stop_words=self.stop_words).get_stop_words() or frozenset()
        return np.array([term not in stops for term in terms], bool)


def _columns(counts: sp.csr_array, kept: NDArray[np.bool_]) -> sp.csr_array:
    """Keep some columns, without a second pass by scipy."""
    number = np.cumsum(kept, dtype=np.int32) - 1
    stays = kept[counts.indices]
    ends = np.concatenate([[0], np.cumsum(stays)])[counts.indptr]
    indices = number[counts.indices[stays]]
    return sp.csr_array((counts.data[stays], indices, ends), shape=(counts.shape[0], int(kept.sum())))
