"""Rows far from each other: the ones that scikit-learn chooses."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import kmeans_plusplus

from quire.engine.spread import spread_rows
from quire.engine.start import seeds


def drawn(n, d, seed, dtype):
    rng = np.random.default_rng(seed)
    X = sp.csr_array(sp.random_array((n, d), density=0.2, rng=rng)).astype(dtype)
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(8))
def test_as_scikit_learn_does(seed, dtype):
    X = drawn(30 + 40 * seed, 5 + 10 * seed, seed, dtype)
    k = 1 + 3 * seed
    theirs = kmeans_plusplus(X, k, random_state=np.random.RandomState(seed))[1]
    rng = np.random.RandomState(seed)
    assert spread_rows(X, k, rng).tolist() == theirs.tolist()
    after = np.random.RandomState(seed)
    kmeans_plusplus(X, k, random_state=after)
    assert rng.random_sample() == after.random_sample()  # as many numbers were drawn


def test_rows_that_are_all_alike():
    X = sp.csr_array(np.ones((6, 3), np.float32))
    assert spread_rows(X, 3, np.random.RandomState(0)).max() < 6


def test_a_large_matrix_begins_as_a_small_one(monkeypatch):
    X = drawn(200, 40, 0, np.float32)
    small = seeds(X, 5, "k-means++", np.random.RandomState(0))
    monkeypatch.setattr("quire.engine.start._SPREAD", 0)
    assert (seeds(X, 5, "k-means++", np.random.RandomState(0)) == small).all()
