"""Texts → weighted terms, as scikit-learn's ``TfidfVectorizer`` has them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.exceptions import NotFittedError

from quire.text.containers import as_configured, check_dtype
from quire.text.counts import Counts

_REALS = (np.float64, np.float32, np.float16)


@dataclass(eq=False, repr=False, kw_only=True)
class Tfidf(Counts, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Count the terms of documents and weigh them: scikit-learn's ``TfidfVectorizer``.

    Terms are counted by :class:`quire.Counts`; the weights are scikit-learn's own (``TfidfTransformer``).

    Parameters
    ----------
    norm : {"l1", "l2"} or None, default="l2"
        What length or sum of a row is brought to 1.
    use_idf, smooth_idf : bool, default=True
        Whether rare terms weigh more; whether one document more is counted as if it had every term.
    sublinear_tf : bool, default=False
        Take 1 + log(count) instead of counts.
    dtype : dtype, default=float64
        Of the matrix.
    others
        As for :class:`quire.Counts`.

    Attributes
    ----------
    idf_ : array of shape (n_features,)
        The terms' weights.
    others
        As of :class:`quire.Counts`.

    Examples
    --------
    >>> from quire import Tfidf
    >>> Tfidf(norm="l1").fit_transform(["moon sun", "sun"]).toarray().round(2).tolist()
    [[0.58, 0.42], [0.0, 1.0]]
    """

    norm: str | None = "l2"
    use_idf: bool = True
    smooth_idf: bool = True
    sublinear_tf: bool = False
    dtype: DTypeLike = np.float64

    def fit(self, raw_documents: Iterable[Any], y: object = None) -> Self:
        """Learn the vocabulary and the terms' weights.

        Parameters
        ----------
        raw_documents, y
            As for :meth:`quire.Counts.fit`.
        """
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: object = None) -> Any:
        """Learn the vocabulary and the terms' weights; return the weighted counts.

        Parameters
        ----------
        raw_documents, y
            As for :meth:`quire.Counts.fit`.
        """
        check_dtype(self.dtype, "bfiu")
        if self.dtype not in _REALS:
            warnings.warn(
                f"Only {_REALS} 'dtype' should be used. {self.dtype} 'dtype' will be converted to np.float64.",
                UserWarning,
                stacklevel=2,
            )
        counts = self._numbers(self.fit_csr(raw_documents))
        self._tfidf = self._weighting().fit(counts)
        return as_configured(sp.csr_array(self._tfidf.transform(counts, copy=False)))

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """Count and weigh the known terms of new documents.

        Parameters
        ----------
        raw_documents : iterable of str
            As for :meth:`quire.Counts.fit`.
        """
        if not hasattr(self, "_tfidf"):
            raise NotFittedError("The TF-IDF vectorizer is not fitted: call fit first.")
        counts = self._numbers(self.csr(raw_documents))
        return as_configured(sp.csr_array(self._tfidf.transform(counts, copy=False)))

    @property
    def idf_(self) -> NDArray[Any]:
        """The terms' weights; they may be set, to weigh by what was learnt elsewhere."""
        if not hasattr(self, "_tfidf"):
            raise NotFittedError("Tfidf is not fitted yet: call fit first.")
        return np.asarray(self._tfidf.idf_)

    @idf_.setter
    def idf_(self, value: NDArray[Any]) -> None:
        if not self.use_idf:
            raise ValueError("`idf_` cannot be set when `user_idf=False`.")
        if not hasattr(self, "terms_"):
            self.fit_csr([])
        if len(value) != len(self.terms_):
            raise ValueError(f"idf length = {len(value)} must be equal to vocabulary size = {len(self.terms_)}")
        if not hasattr(self, "_tfidf"):
            self._tfidf = self._weighting()
        self._tfidf.idf_ = value

    def _weighting(self) -> Any:
        from sklearn.feature_extraction.text import TfidfTransformer

        how = {name: getattr(self, name) for name in ("norm", "use_idf", "smooth_idf", "sublinear_tf")}
        return TfidfTransformer(**how)

    def _numbers(self, counts: sp.csr_array) -> sp.csr_matrix:
        held = counts.astype(self.dtype)
        return sp.csr_matrix(held if held.dtype in _REALS else held.astype(np.float64))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
