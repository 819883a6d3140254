"""Counts → X: every weighting of the papers, as one transformer.

All of them are X = D_r f(TF) D_c: a function of each count, a factor per document, a factor per term;
``weights/registry.py`` has them by name. New documents are weighted with the statistics of the documents the
weighting was fitted on.
"""

from __future__ import annotations

import numbers
import reprlib
import sys
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from quire.backends.check import as_numbers, check_in_memory, check_input, check_learnt
from quire.places.codec import storable
from quire.text.containers import as_configured, check_dtype
from quire.text.weights.registry import SCHEMES
from quire.text.weights.scheme import Scheme, scaled


@storable
class Weight(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc,call-arg]
    """Weigh counts.

    Parameters
    ----------
    scheme : str, default="log-tfidf"
        ``counts``, ``rs``, ``cs``, ``pwmi``, ``nl``, ``nl-tau``, ``tfidf-cf``, ``tfidf`` or ``ncw``; after
        ``log-`` with log(1 + TF) instead of TF.
    tau : float, default=0.3
        τ of ``nl-tau``.
    dtype : dtype, default=float32
        Of the weighted matrix.

    Attributes
    ----------
    column_scale_ : array of shape (n_features,)
        The diagonal of D_c.
    row_scale_ : array of shape (n_samples,)
        The diagonal of D_r for the documents it was fitted on.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.text.weight import Weight
    >>> Weight("rs").fit_transform(np.array([[1, 3], [2, 0]])).toarray().tolist()
    [[0.25, 0.75], [1.0, 0.0]]
    """

    def __init__(self, scheme: str = "log-tfidf", tau: float = 0.3, dtype: Any = np.float32) -> None:
        self.scheme = scheme
        self.tau = tau
        self.dtype = dtype

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn the terms' factors from these documents.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Counts.
        y : ignored
            For scikit-learn.
        """
        self._fit(self._check(X, reset=True))
        return self

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit, and weigh the same documents: a ``csr_matrix``, or ``csr_array``, as scikit-learn is set to.

        Parameters
        ----------
        X, y
            As for :meth:`fit`.
        """
        return as_configured(self.fit_csr(X))

    def transform(self, X: Any) -> Any:
        """Weigh documents with the statistics of those it was fitted on.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Counts.
        """
        return as_configured(self.csr(X))

    def fit_csr(self, X: Any) -> sp.csr_array:
        """Fit, and weigh the same documents, whatever scikit-learn's configuration says.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Counts.
        """
        values, rows = self._fit(self._check(X, reset=True))
        return self._weigh(values, rows)

    def csr(self, X: Any) -> sp.csr_array:
        """Weigh documents as :meth:`transform` does, whatever scikit-learn's configuration says.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Counts.
        """
        check_is_fitted(self)
        values = self._apply(self._check(X, reset=False))
        return self._weigh(values, self._row_scale(values))

    def inverse_transform(self, X: Any, row_scale: NDArray[Any] | None = None) -> Any:
        """Return the counts behind a weighted matrix, where the weighting kept them.

        Parameters
        ----------
        X : sparse matrix
            Weighted.
        row_scale : array, optional
            The documents' factors (:meth:`row_scale`); those of the fitted documents by default.
        """
        self._check_fitted()
        weighted = as_numbers(X, f"{type(self).__name__}.inverse_transform", self.n_features_in_)
        rows = self._inverse_rows(row_scale, weighted.shape[0])
        values = scaled(sp.csr_array(weighted, dtype=np.float64), rows, _inverse(self.column_scale_))
        if self.scheme.startswith("log-"):
            values.data = np.expm1(values.data)
        return as_configured(values)

    def row_scale(self, X: Any) -> NDArray[np.float64]:
        """Return the documents' factors, the diagonal of D_r.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Counts.
        """
        check_is_fitted(self)
        return self._row_scale(self._apply(self._check(X, reset=False)))

    def unscale(
        self, W: NDArray[Any], H: NDArray[Any], row_scale: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Post-scale factors of X into factors of f(TF): D_r⁻¹ W and H D_c⁻¹ (conroy2023).

        Row scaling cannot change which topic of a document is the largest.

        Parameters
        ----------
        W, H : arrays
            X ≈ W H.
        row_scale : array, optional
            As for :meth:`inverse_transform`.
        """
        W = as_numbers(W, f"{type(self).__name__}.unscale")
        return W * self._inverse_rows(row_scale, W.shape[0])[:, None], self.unscaled_topics(H)

    def unscaled_topics(self, H: NDArray[Any]) -> NDArray[Any]:
        """Return H D_c⁻¹: topics in the scale of f(TF).

        Parameters
        ----------
        H : array of shape (k, n_features)
            Topics of X.
        """
        self._check_fitted()
        H = as_numbers(H, f"{type(self).__name__}.unscaled_topics", self.n_features_in_)
        return np.asarray(H * _inverse(self.column_scale_))

    def state(self) -> dict[str, NDArray[np.float64]]:
        """Return what was learnt, as arrays: with the parameters, all it takes to weigh new documents."""
        check_is_fitted(self)
        arrays = {"column_scale": self.column_scale_, "row_scale": self.row_scale_}
        arrays["row_shift"] = np.array([self._row_shift])
        return arrays if self._degree is None else {**arrays, "degree": self._degree}

    def restore(self, state: dict[str, NDArray[Any]]) -> Self:
        """Take back a ``state`` of a weighting with the same parameters."""
        self.column_scale_, self.row_scale_ = state["column_scale"], state["row_scale"]
        self._row_shift, self._degree = float(state["row_shift"][0]), state.get("degree")
        self.n_features_in_ = len(self.column_scale_)
        return self

    def _check(self, X: Any, *, reset: bool) -> sp.csr_array:
        self.check_parameters()
        check_in_memory(X, "Weight takes counts in memory: give it one block after the other.")
        if not reset:
            self._check_fitted()
        return sp.csr_array(check_input(X, self, reset=reset))

    def _check_fitted(self) -> None:
        """Refuse a weighting that has learnt nothing, or another number of factors than there are terms."""
        check_is_fitted(self)
        check_learnt(self.column_scale_, "column_scale_", (self.n_features_in_,))
        if self._degree is not None:
            check_learnt(self._degree, "degree", (self.n_features_in_,))

    def _inverse_rows(self, given: NDArray[Any] | None, n: int) -> NDArray[np.float64]:
        """Return what undoes the factors of n documents: of those given, or of those that were learnt from."""
        self._check_fitted()
        rows = np.asarray(self.row_scale_ if given is None else given)
        if rows.shape != (n,) or rows.dtype.kind not in "fiu":
            raise ValueError(f"There are {n:,} documents: give row_scale, a factor for each (Weight.row_scale).")
        return _inverse(rows)

    def check_parameters(self) -> None:
        """Refuse a scheme that is not known, and a τ that is no number."""
        if not isinstance(self.scheme, str) or self.scheme.removeprefix("log-") not in SCHEMES:
            raise ValueError(
                f"scheme={reprlib.repr(self.scheme)} is no weighting: use {', '.join(SCHEMES)}, or 'log-' and one."
            )
        tau: Any = self.tau
        if not isinstance(tau, numbers.Real) or not 0 <= tau <= sys.float_info.max:  # type: ignore[operator]
            raise ValueError(f"tau={reprlib.repr(tau)} must be a number of 0 or more.")
        check_dtype(self.dtype)

    def _apply(self, counts: sp.csr_array) -> sp.csr_array:
        """f(TF), in float64."""
        values = counts.data.astype(np.float64, copy=False)
        if self.scheme.startswith("log-"):
            values = np.log1p(values)
        return sp.csr_array((values, counts.indices, counts.indptr), counts.shape)

    def _fit(self, counts: sp.csr_array) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Learn from all documents at once; return f(TF) and the documents' factors."""
        values = self._apply(counts)
        self.learn_columns(self._scheme.column_sums(counts, values), counts.shape[0])
        if self.needs_degrees:
            self.learn_degrees(self._degrees(values))
        self.row_scale_ = self._row_scale(values)
        return values, self.row_scale_

    def column_sums(self, counts: sp.csr_array) -> NDArray[np.float64]:
        """Return what the ``counts`` of some documents tell about the terms: to be added up over all."""
        return self._scheme.column_sums(counts, self._apply(counts))

    def learn_columns(self, sums: NDArray[np.float64], n: int) -> None:
        """Set the terms' factors from ``sums``, the :meth:`column_sums` of all ``n`` documents."""
        self._degree, self.n_features_in_ = None, len(sums)
        self._row_shift = self._scheme.row_shift(sums, n, self.tau)
        self.column_scale_ = self._scheme.columns(sums, n, self.tau)

    @property
    def needs_degrees(self) -> bool:
        """Whether documents are weighed by what they share with all others, which takes a second look."""
        return self._scheme.needs_degrees

    def degrees(self, counts: sp.csr_array) -> NDArray[np.float64]:
        """Return what ``counts`` tell once the terms' factors are known: to be added up over all."""
        return self._degrees(self._apply(counts))

    def _degrees(self, values: sp.csr_array) -> NDArray[np.float64]:
        return np.asarray(scaled(values, self._row_scale(values), self.column_scale_).sum(axis=0))

    def learn_degrees(self, sums: NDArray[np.float64]) -> None:
        """Take ``sums``, the :meth:`degrees` of all documents."""
        self._degree = sums

    def weigh(self, counts: sp.csr_array) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Weigh ``counts`` of documents it learns from, unchecked; return also the documents' factors."""
        values = self._apply(counts)
        rows = self._row_scale(values)
        return self._weigh(values, rows), rows

    def _row_scale(self, values: sp.csr_array) -> NDArray[np.float64]:
        return self._scheme.rows(values, self.column_scale_, self._row_shift, self._degree)

    @property
    def _scheme(self) -> Scheme:
        return SCHEMES[self.scheme.removeprefix("log-")]

    def _weigh(self, values: sp.csr_array, rows: NDArray[np.float64]) -> sp.csr_array:
        with np.errstate(over="ignore", invalid="ignore"):
            X = scaled(values, rows, self.column_scale_, self.dtype)
        if not np.isfinite(X.data).all():
            raise ValueError(f"Weighted counts leave the range of {X.dtype}: divide the counts by a constant first.")
        if not X.data.all():
            X = X.copy()  # the indices are those of the counts
            X.eliminate_zeros()
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _inverse(scale: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(np.divide(1.0, scale, out=np.zeros(len(scale)), where=scale > 0))
