"""Singular vectors of large X: by Gram matrices what LAPACK gives, and by LAPACK where these lack the digits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from quire.engine import singular
from quire.engine.singular import leading_vectors


def matrix(n=120, d=80, rank=80, dtype=np.float32, seed=0):
    rng = np.random.RandomState(seed)
    values = np.geomspace(1, 0.2, rank)
    U, V = (np.linalg.qr(rng.normal(size=(size, rank)))[0] for size in (n, d))
    return np.ascontiguousarray(np.abs((U * values) @ V.T)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(120, 80), (80, 120)])
@pytest.mark.parametrize("kind", [sp.csr_array, np.asarray])
def test_either_way_gives_the_same(monkeypatch, dtype, shape, kind):
    X = kind(matrix(*shape, dtype=dtype))
    U, S, Vt = leading_vectors(X, 6, np.random.RandomState(1), 1)
    monkeypatch.setattr(singular, "_TALL", 0)
    monkeypatch.setattr(singular, "_BLOCK", 7)
    other = leading_vectors(X, 6, np.random.RandomState(1), 2)
    near = 2e-4 if dtype == np.float32 else 1e-9
    for one, by_gram in zip((U, S, Vt), other, strict=True):
        np.testing.assert_allclose(by_gram, one, atol=near)
    for vectors in (other[0].T, other[2]):
        np.testing.assert_allclose(vectors @ vectors.T, np.eye(6), atol=near / 10)


def test_where_directions_have_too_few_digits_lapack_is_asked(monkeypatch):
    monkeypatch.setattr(singular, "_TALL", 0)
    asked = []
    monkeypatch.setattr(singular, "_by_qr", lambda P: asked.append(P) or np.linalg.qr(P)[0])
    X = np.outer(np.arange(1.0, 41), np.arange(1.0, 31)).astype(np.float32)  # of rank 1
    U, S, _ = leading_vectors(X, 3, np.random.RandomState(0), 1)
    assert asked
    np.testing.assert_allclose(S, [np.linalg.norm(X), 0, 0], atol=1e-2)
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-4)


def test_a_gram_matrix_of_dependent_columns_has_no_basis():
    assert singular._orthogonal(np.ones((2, 2))) is None
    assert singular._orthogonal(np.diag([1.0, 0.0])) is None
    assert singular._orthogonal(np.full((2, 2), np.nan)) is None
    G = np.array([[2.0, 1.0], [1.0, 3.0]])
    basis = singular._orthogonal(G)
    np.testing.assert_allclose(basis.T @ G @ basis, np.eye(2), atol=1e-12)
