"""Weightings: the formulas, new documents by the training statistics, and the way back."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import random_sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from quire import NMF, Weight
from quire.text.weights.registry import SCHEMES

ALL = [prefix + scheme for scheme in SCHEMES for prefix in ("", "log-")]


def _counts(n, d, seed):
    X = random_sparse(n, d, 0.3, seed=seed)
    X.data = np.ceil(X.data)
    return X


def _formula(scheme, A, tau=0.3):
    """Each row of the table, written out densely."""
    n = len(A)
    TF = np.log1p(A) if scheme.startswith("log-") else A
    name = scheme.removeprefix("log-")
    safe = lambda v: np.where(v > 0, v, 1.0)  # noqa: E731
    r, c = TF.sum(1, keepdims=True), TF.sum(0, keepdims=True)
    if name == "nl-tau":
        return TF / np.sqrt(safe(r) + tau * r.mean()) / np.sqrt(safe(c) + tau * c.mean())
    if name in ("counts", "rs", "cs", "pwmi", "nl"):
        a, b = {"counts": (0, 0), "rs": (1, 0), "cs": (0, 1), "pwmi": (1, 1), "nl": (0.5, 0.5)}[name]
        return TF / safe(r) ** a / safe(c) ** b
    if name == "tfidf-cf":
        return TF * np.maximum(np.log(n / safe(A.sum(0))), 0)
    X = TF * np.log(n / safe((A > 0).sum(0)))
    X = X / safe(np.linalg.norm(X, axis=1, keepdims=True))
    if name == "ncw":
        X = X / np.sqrt(safe((X @ X.T @ np.ones(n))[:, None]))
    return X


@parametrize_with_checks([Weight(), Weight("nl-tau"), Weight("ncw")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@given(st.sampled_from(ALL), st.integers(1, 25), st.integers(1, 20), st.integers(0, 999))
def test_formula(scheme, n, d, seed):
    X = _counts(n, d, seed)
    found = Weight(scheme, dtype=np.float64).fit_transform(X)
    np.testing.assert_allclose(found.toarray(), _formula(scheme, X.toarray()), rtol=1e-9, atol=1e-12)


@given(st.sampled_from(ALL), st.integers(0, 999))
def test_transform_of_the_training_documents_is_fit_transform(scheme, seed):
    X = _counts(25, 15, seed)
    weight = Weight(scheme)
    fitted = weight.fit_transform(X)
    np.testing.assert_array_equal(weight.transform(X).toarray(), fitted.toarray())
    np.testing.assert_array_equal(weight.transform(X[3:9]).toarray(), fitted[3:9].toarray())


@given(st.sampled_from(ALL), st.integers(0, 999))
def test_the_way_back(scheme, seed):
    X = _counts(25, 15, seed)
    weight = Weight(scheme, dtype=np.float64).fit(X)
    weighted = weight.transform(X)
    kept = weighted.toarray() > 0
    back = weight.inverse_transform(weighted).toarray()
    np.testing.assert_allclose(back[kept], X.toarray()[kept], rtol=1e-9)
    other = X[[4, 2]]
    again = weight.inverse_transform(weight.transform(other), weight.row_scale(other)).toarray()
    kept = weight.transform(other).toarray() > 0
    np.testing.assert_allclose(again[kept], other.toarray()[kept], rtol=1e-9)


def test_a_term_in_every_document_weighs_nothing_in_tfidf():
    X = Weight("tfidf").fit_transform(np.array([[1, 2], [3, 0]]))
    assert X.toarray()[:, 0].tolist() == [0, 0]


def test_empty_documents_and_terms_stay_empty():
    A = _counts(20, 10, 0).toarray()
    A[3], A[:, 4] = 0, 0
    for scheme in ALL:
        X = Weight(scheme).fit_transform(A)
        assert np.isfinite(X.data).all()
        assert not X[[3]].toarray().any()
        assert not X[:, [4]].toarray().any()


@pytest.mark.parametrize("scheme", ["nl", "pwmi", "cs", "log-nl-tau", "tfidf", "ncw"])
def test_post_scaling_gives_factors_of_the_counts(scheme):
    X = _counts(60, 30, 1)
    weight = Weight(scheme, dtype=np.float64)
    model = NMF(8, init="random", random_state=0)
    W = model.fit_transform(weight.fit_transform(X))
    W_counts, H_counts = weight.unscale(W, model.components_)
    back = np.outer(weight.row_scale_, weight.column_scale_)
    np.testing.assert_allclose(W_counts @ H_counts * back, W @ model.components_, rtol=1e-9, atol=1e-12)
    assert (W_counts.argmax(axis=1) == W.argmax(axis=1)).all()


@pytest.mark.parametrize("bad", [{"scheme": "magic"}, {"scheme": "log-log-nl"}, {"tau": -1}])
def test_bad_options(bad):
    with pytest.raises(ValueError, match=r"scheme|tau"):
        Weight(**bad).fit(sp.eye_array(4))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scheme", ALL)
@pytest.mark.parametrize("size", [1e-320, 1e39, 1e100, 1e150])
def test_weights_are_finite_or_refused(scheme, size):
    outcome, refused = None, ""
    try:
        outcome = Weight(scheme).fit_transform(np.array([[size, 1.0], [2.0, size]]))
    except ValueError as error:
        refused = str(error)
    assert "leave the range of float32: divide the counts" in refused if refused else np.isfinite(outcome.data).all()


def test_factors_of_terms_that_were_cut_are_refused():
    weight = Weight().fit(np.eye(4))
    for cut in (weight.column_scale_[:2], weight.column_scale_ * np.nan, None):
        weight.column_scale_ = cut
        with pytest.raises(ValueError, match="column_scale_ is not what a fit leaves"):
            weight.transform(np.eye(4))
