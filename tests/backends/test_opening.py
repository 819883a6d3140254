"""An X that is opened again while it is open is transposed once, and never shared where it is another."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse

from quire import NMF
from quire.backends import opening
from quire.backends.backend import as_matrix
from quire.backends.check import silent_rows
from quire.backends.cpu import products


@pytest.fixture
def transposed(monkeypatch):
    """Count how often X is transposed."""
    made, plain = [], products.transposed

    def counted(rows, team):
        made.append(rows)
        return plain(rows, team)

    monkeypatch.setattr(products, "transposed", counted)
    return made


def product(X, weights=None):
    with as_matrix(X, 1) as matrix:
        other = matrix.factor(np.ones((len(X.indptr) - 1, 2)) if weights is None else weights)
        return matrix.array(matrix.product("H", other), 2)


def test_a_fit_and_its_start_transpose_once(transposed):
    X = random_sparse(60, 40, 0.3)
    NMF(5, init="nndsvda", random_state=0, max_iter=3, tol=0).fit(X)
    assert len(transposed) == 1
    assert not opening._OPEN


def test_what_is_shared_is_the_same_to_the_last_bit():
    X = random_sparse(60, 40, 0.3, np.float32)
    alone = product(X)
    with as_matrix(X, 1) as outer:
        outer.product("H", outer.factor(np.ones((60, 2), X.dtype)))
        np.testing.assert_array_equal(product(X), alone)


@pytest.mark.parametrize("kind", ["values", "columns", "rows"])
def test_another_x_with_some_of_the_same_arrays_is_not_shared(kind):
    X = random_sparse(60, 40, 0.3)
    other = X.copy()
    other.data, other.indices, other.indptr = X.data, X.indices, X.indptr
    if kind == "values":
        other.data = X.data * 2
    elif kind == "columns":
        other.indices = 39 - X.indices
    else:
        other.indptr = np.r_[0, np.full(59, X.indptr[30]), X.indptr[-1]].astype(X.indptr.dtype)
    weights = np.arange(120.0).reshape(60, 2)
    with as_matrix(X, 1) as outer:
        outer.product("H", outer.factor(weights))
        np.testing.assert_allclose(product(other, weights), other.T @ weights)


def test_nothing_is_shared_once_it_is_closed():
    X = random_sparse(60, 40, 0.3)
    before = product(X)
    X.data *= 2
    np.testing.assert_allclose(product(X), 2 * before)
    with as_matrix(X, 1) as matrix, pytest.raises(ValueError, match="do not fit"):
        matrix.product("H", matrix.factor(np.ones((7, 2))))
    X.data *= 2
    np.testing.assert_allclose(product(X), 4 * before)
    assert not opening._OPEN


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, np.asarray])
def test_rows_of_zeros_are_silent_whether_or_not_they_are_stored(kind):
    stored = sp.csr_array(([1e-45, 0.0, 0.0, 2.0], [0, 1, 2, 0], [0, 1, 1, 3, 4]), (4, 3))
    for X in (stored, sp.csr_array([[1.0, 0], [0, 0], [0, 3], [0, 0]])):
        given = kind(X.toarray()) if kind is not sp.csr_array else X
        assert silent_rows(given).tolist() == (X.toarray().max(axis=1) == 0).tolist()
    assert silent_rows(sp.csr_array((2, 3))).tolist() == [True, True]
