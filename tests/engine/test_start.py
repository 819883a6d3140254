"""Starts: scikit-learn's number for number where it has them, sensible where it has not."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse, squared_error
from sklearn.decomposition._nmf import _initialize_nmf

from quire import NMF
from quire.engine.rules.hals import Hals
from quire.engine.start import STARTS, coarse_start, first_factors


@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar", None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("largest", [1.0, 16.0, 4000.0])
def test_same_as_scikit_learn(init, dtype, largest):
    X = random_sparse(60, 40, 0.3, dtype)
    X = sp.csr_array(X * (largest / X.max())).astype(dtype)
    ours = first_factors(X, 5, init, np.random.RandomState(7))
    theirs = _initialize_nmf(X, 5, init, random_state=7)
    for a, b in zip(ours, theirs):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5 * max(1, b.max()))  # of a float32's largest


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("dense", [True, False])
def test_a_start_is_non_negative_and_repeatable(init, dense):
    X = random_sparse(60, 40, 0.3, np.float32)
    X = X.toarray() if dense else X
    first, again = (first_factors(X, 6, init, np.random.RandomState(1)) for _ in range(2))
    for a, b, shape in zip(first, again, ((60, 6), (6, 40))):
        assert a.shape == shape
        assert a.dtype == np.float32
        assert a.min() >= 0
        np.testing.assert_array_equal(a, b)


def test_uniform_start_has_the_best_scale():
    X = random_sparse(60, 40, 0.3)
    W, H = first_factors(X, 4, "uniform", np.random.RandomState(0))
    errors = [squared_error(X, W * s, H) for s in (0.98, 1.0, 1.02)]
    assert errors[1] == min(errors)


def test_random_start_when_there_are_more_topics_than_rows():
    W, _ = first_factors(random_sparse(4, 9, 0.5), 7, None, np.random.RandomState(0))
    assert W.shape == (4, 7)


def test_coarse_start_is_near_the_answer():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(rng.dirichlet(np.ones(5) * 0.1, 2000) @ rng.gamma(0.3, 3, (5, 60))) * 1.0)
    random = first_factors(X, 5, "random", np.random.RandomState(0))
    rng = np.random.RandomState(0)
    W, H = coarse_start(X, 5, lambda sample: first_factors(sample, 5, "random", rng), Hals(), 200, rng)
    assert not W.any()
    plain = NMF(5, init="custom", tol=0, max_iter=1, coarse=False).fit(X, W=random[0], H=random[1])
    W = np.full(W.shape, 1e-6, W.dtype)  # zeros are refused from callers
    coarse = NMF(5, init="custom", tol=0, max_iter=1, coarse=False).fit(X, W=W, H=H)
    assert coarse.objective_ < plain.objective_


@pytest.mark.parametrize("shape", [(3000, 200), (300, 900)])
def test_coarse_fit_is_repeatable_and_as_good(shape, monkeypatch):
    monkeypatch.setattr("quire.engine.start._COARSE_ROWS", 150)
    X = random_sparse(*shape, 0.05, np.float32)
    first, again = (NMF(5, init="random", random_state=0, coarse=True).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.components_, again.components_)
    plain = NMF(5, init="random", random_state=0, coarse=False).fit(X)
    assert first.objective_ < 1.02 * plain.objective_
